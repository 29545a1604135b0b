package field

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// press types keys: a name, or the characters of a text.
func press(f *Field, keys ...string) {
	for _, k := range keys {
		p := tea.KeyPressMsg{}
		switch k {
		case "left":
			p.Code = tea.KeyLeft
		case "right":
			p.Code = tea.KeyRight
		case "home":
			p.Code = tea.KeyHome
		case "end":
			p.Code = tea.KeyEnd
		case "delete":
			p.Code = tea.KeyDelete
		case "backspace":
			p.Code = tea.KeyBackspace
		default:
			if c, ok := strings.CutPrefix(k, "ctrl+"); ok {
				p = tea.KeyPressMsg{Code: rune(c[0]), Mod: tea.ModCtrl}
				break
			}
			for _, c := range k {
				f.Update(tea.KeyPressMsg{Code: c, Text: string(c)})
			}
			continue
		}
		f.Update(p)
	}
}

func TestEditing(t *testing.T) {
	for _, tt := range []struct {
		keys []string
		want string // | is the cursor
	}{
		{[]string{"state:stuck"}, "state:stuck|"},
		{[]string{"stte", "left", "left", "left", "x", "backspace", "a"}, "sa|tte"},
		{[]string{"one two", "ctrl+w", "2"}, "one 2|"},
		{[]string{"one two", "left", "ctrl+w"}, "one |o"},
		{[]string{"one two", "left", "ctrl+u"}, "|o"},
		{[]string{"one two", "ctrl+a", "ctrl+k"}, "|"},
		{[]string{"one two", "ctrl+a", "x", "ctrl+e", "y"}, "xone twoy|"},
		{[]string{"one", "home", "delete", "end", "s"}, "nes|"},
		{[]string{"one", "ctrl+v"}, "one|"},
	} {
		var f Field
		press(&f, tt.keys...)
		at := []rune(f.Value())
		got := string(at[:f.in.Position()]) + "|" + string(at[f.in.Position():])
		if got != tt.want {
			t.Errorf("%q make %q, want %q", tt.keys, got, tt.want)
		}
	}
}

func TestPaste(t *testing.T) {
	var f Field
	press(&f, "ad", "left")
	if !f.Paste("b\x1b[31mc\nrest") || f.Value() != `ab\x1b[31mcd` {
		t.Errorf("pasted %q", f.Value())
	}
	was := f.Value()
	if f.Paste(strings.Repeat("x", limit)) || f.Value() != was {
		t.Errorf("a paste that does not fit made %q", f.Value())
	}
}

// What does not fit is the part around the cursor, and the cursor stands where the
// next character goes, whatever characters are before it.
func TestTheCursorStaysInView(t *testing.T) {
	th := theme.New(true, false, false)
	for _, text := range []string{"", "abc", strings.Repeat("0123456789", 5), strings.Repeat("名前", 20), strings.Repeat("👍🏽e\u0301", 20)} {
		var f Field
		press(&f, text)
		for range 3 {
			for n := 1; n < 30; n++ {
				r := cell.NewRow(th, 80, theme.Plain).To(3)
				at := f.Write(r, th, theme.Text, n)
				if at < 3 || at > 3+n-1 || r.At() > 3+n-1 {
					t.Fatalf("%q in %d cells: cursor at %d, text to %d", text, n, at-3, r.At()-3)
				}
			}
			press(&f, "left", "left", "left")
		}
	}
	var f Field
	press(&f, "0123456789", "left", "left")
	r := cell.NewRow(th, 80, theme.Plain)
	if at := f.Write(r, th, theme.Text, 8); at != 5 || ansi.Strip(r.String()) != "…456789" {
		t.Errorf("cursor at %d in %q", at, ansi.Strip(r.String()))
	}
}
