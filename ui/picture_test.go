package ui

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
)

//go:generate go test -run ^TestPictures$ . -update

// pictured are the runs of the tests without those that no hub has.
func pictured() *engine.Snapshot {
	s := sample()
	var runs []*engine.RunView
	for _, v := range s.Runs {
		switch v.ID.Name().String() {
		case "garbage":
			continue
		case "web-app-rollout":
			own := *v
			own.Why.What = txt("The approval before stage dev is ignored: it has observedGeneration 0, the request has generation 1.")
			v = &own
		}
		runs = append(runs, v)
	}
	s.Runs = runs
	return s
}

// TestPictures compares the pictures of docs/screens.md with what the screen draws now.
func TestPictures(t *testing.T) {
	opened := func(m *Model) { withDetail(m, pictured()) }
	for _, tt := range []struct {
		name  string
		w, h  int
		light bool
		keys  []string
		after func(*Model)
	}{
		{name: "list", w: 120, h: 30},
		{name: "run", w: 120, h: 30, keys: []string{"enter"}, after: opened},
		{name: "panes", w: 160, h: 40, after: func(m *Model) {
			m.Update(restMsg{step: m.panes.Steps()})
			s := pictured()
			s.Detail = detail(s, find(s, "example-run"))
			m.Update(nextMsg{snap: s})
		}},
		{name: "approve", w: 120, h: 30, keys: []string{"j", "j", "j", "j", "j", "A"}, after: func(m *Model) { quiet(m); press(m, "c", "a") }},
		{name: "help", w: 120, h: 30, keys: []string{"?"}},
		{name: "light", w: 120, h: 30, light: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dark := !tt.light
			m := New(t.Context(), newFake(), Options{Now: t0, Dark: &dark})
			m.rules.Propose, m.rules.Clone = fakePropose, fakeClone
			m.Update(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
			m.Update(tea.WindowSizeMsg{Width: tt.w, Height: tt.h})
			m.Update(nextMsg{snap: pictured()})
			press(m, tt.keys...)
			if tt.after != nil {
				tt.after(m)
			}
			file := filepath.Join("..", "docs", "screens", tt.name+".svg")
			got := picture(t, m.View().Content, tt.w, tt.h, dark)
			if *update {
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s is not up to date: run go generate ./ui (%v)", file, err)
			}
		})
	}
}

// The size of a cell in a picture.
const (
	cellWidth  = 8
	cellHeight = 17
)

// pen is how a run of cells is drawn.
type pen struct {
	fg, bg string
	bold   bool
}

// picture draws a screen as SVG.
func picture(t *testing.T, content string, w, h int, dark bool) []byte {
	t.Helper()
	ground, ink := "#1c1c1c", "#d0d0d0"
	if !dark {
		ground, ink = "#ffffff", "#202020"
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="13" style="white-space:pre">`+"\n", w*cellWidth+16, h*cellHeight+16)
	fmt.Fprintf(&out, `<rect width="100%%" height="100%%" rx="6" fill="%s"/>`+"\n", ground)
	p := ansi.GetParser()
	defer ansi.PutParser(p)
	var now pen
	for y, line := range strings.Split(content, "\n") {
		x, state := 0, byte(0)
		var text strings.Builder
		from := 0
		flush := func() {
			if x > from {
				draw(t, &out, now, ink, text.String(), from, x, y)
			}
			text.Reset()
			from = x
		}
		for len(line) > 0 {
			seq, width, n, next := ansi.DecodeSequence(line, state, p)
			line, state = line[n:], next
			if width > 0 {
				text.WriteString(seq)
				x += width
				continue
			}
			if command := ansi.Cmd(p.Command()); command.Final() == 'm' && strings.HasPrefix(seq, "\x1b[") {
				flush()
				now.style(t, p.Params())
			}
		}
		flush()
	}
	out.WriteString("</svg>\n")
	return out.Bytes()
}

// draw writes a run of cells.
func draw(t *testing.T, out *bytes.Buffer, p pen, ink, text string, from, to, y int) {
	t.Helper()
	left, top, width := 8+from*cellWidth, 8+y*cellHeight, (to-from)*cellWidth
	if p.bg != "" {
		fmt.Fprintf(out, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`, left, top, width, cellHeight, p.bg)
	}
	trimmed := strings.TrimLeft(text, " ")
	left += (len(text) - len(trimmed)) * cellWidth
	if trimmed = strings.TrimRight(trimmed, " "); trimmed != "" {
		width = ansi.StringWidth(trimmed) * cellWidth
		if p.fg != "" {
			ink = p.fg
		}
		weight := ""
		if p.bold {
			weight = ` font-weight="bold"`
		}
		fmt.Fprintf(out, `<text x="%d" y="%d" textLength="%d" fill="%s"%s>`, left, top+13, width, ink, weight)
		if err := xml.EscapeText(out, []byte(trimmed)); err != nil {
			t.Fatal(err)
		}
		out.WriteString("</text>")
	}
	out.WriteString("\n")
}

// style applies the parameters of a sequence that changes colours.
func (p *pen) style(t *testing.T, params ansi.Params) {
	t.Helper()
	if len(params) == 0 {
		*p = pen{}
	}
	for i := 0; i < len(params); i++ {
		switch n := params[i].Param(0); {
		case n == 0:
			*p = pen{}
		case n == 1:
			p.bold = true
		case n == 22:
			p.bold = false
		case n == 39:
			p.fg = ""
		case n == 49:
			p.bg = ""
		case n == 38 || n == 48:
			var c color.Color
			read := ansi.ReadStyleColor(params[i:], &c)
			if read == 0 {
				t.Fatalf("cannot read the colour of %v", params)
			}
			r, g, b, _ := c.RGBA()
			hex := fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
			if n == 38 {
				p.fg = hex
			} else {
				p.bg = hex
			}
			i += read - 1
		case n >= 30 && n <= 37 || n >= 90 && n <= 97 || n >= 40 && n <= 47:
			t.Fatalf("the picture knows no colour %d", n)
		}
	}
}
