package page

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// TestSearch: a search goes to the first match from the top of the screen on, and n and N go on
// around the ends; the cursor goes to the row of the match, prose is marked; all rows stay.
func TestSearch(t *testing.T) {
	th, now := theme.New(true, false, false), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p := &Page{}
	prose := page.Section{Title: text("cause"), Rows: []page.Row{
		{Cells: []page.Cell{{Text: text("A quota forbids the pods.")}}},
		{Cells: []page.Cell{{Text: text("An admission webhook denied the Deployment.")}}},
	}}
	p.Take(page.Answer{Sections: append([]page.Section{prose}, sections(30)[0])})
	shown := func() (marked string, all string) {
		p.Arrange(th, now, 60, 12)
		lines := p.View()
		for i, l := range lines {
			lines[i] = ansi.Strip(l)
			if rest, ok := strings.CutPrefix(lines[i], th.Glyph.Cursor); ok {
				marked += strings.Join(strings.Fields(strings.Trim(rest, " ─")), " ") + "|"
			}
		}
		return marked, strings.Join(lines, "\n")
	}
	shown()
	p.SetFilter("LEFT-2")
	for _, step := range []struct {
		key      keymap.Action
		at, of   int
		selected string
	}{
		{keymap.None, 1, 11, "left-2"},
		{keymap.NextMatch, 2, 11, "left-20"},
		{keymap.NextMatch, 3, 11, "left-21"},
		{keymap.PrevMatch, 2, 11, "left-20"},
		{keymap.PrevMatch, 1, 11, "left-2"},
		{keymap.PrevMatch, 11, 11, "left-29"},
		{keymap.NextMatch, 1, 11, "left-2"},
	} {
		if step.key != keymap.None && !p.Update(step.key) {
			t.Errorf("%v does nothing", step.key)
		}
		at, of := p.Found()
		if marked, all := shown(); at != step.at || of != step.of || p.Selected().String() != step.selected || marked != step.selected+" done|" {
			t.Errorf("match %d/%d, the cursor is on %q, marked %q, want %+v:\n%s", at, of, p.Selected(), marked, step, all)
		}
	}
	if _, _, of := p.Window(); of < 34 {
		t.Errorf("%d lines are left of the page", of)
	}

	// Prose has no cursor: its line is marked, and the match stands out.
	p.SetFilter("webhook denied")
	marked, all := shown()
	if marked != "An admission webhook denied the Deployment.|left-0 done|" {
		t.Errorf("marked %q:\n%s", marked, all)
	}
	if lines := p.View(); !slices.ContainsFunc(lines, func(l string) bool {
		return strings.Contains(l, th.Sequence(theme.Plain, theme.Wait|theme.Bold)+"webhook denied")
	}) {
		t.Errorf("the match does not stand out: %q", lines)
	}

	// Each word is looked for from where the search began, and that is where it leads back to.
	p.SetFilter("")
	top, selected := p.top, p.Selected()
	for _, words := range []string{"l", "le", "left-29", "left-2x", "left-3", "no such word"} {
		p.SetFilter(words)
		shown()
	}
	if p.top != top || p.Selected() != selected {
		t.Errorf("nothing found: at line %d on %q, want %d, %q", p.top, p.Selected(), top, selected)
	}
	if p.SetFilter("left-29"); p.top == top || p.Selected() == selected {
		t.Errorf("found: still at line %d on %q", p.top, p.Selected())
	}
	if p.SetFilter(""); p.top != top || p.Selected() != selected {
		t.Errorf("cancelled: at line %d on %q, want %d, %q", p.top, p.Selected(), top, selected)
	}

	// A second search begins where a person has gone since.
	p.SetFilter("left-1")
	p.Update(keymap.Bottom)
	shown()
	p.SetFilter("left-29")
	if p.SetFilter("left-2"); p.Selected() != text("left-20") {
		t.Errorf("the second search leads to %q", p.Selected())
	}

	// The next answer may have other lines.
	p.Take(page.Answer{Sections: sections(3)[:1]})
	p.SetFilter("left-2")
	p.Take(page.Answer{Sections: []page.Section{prose}})
	shown()
	if at, of := p.Found(); at != 0 || of != 0 {
		t.Errorf("match %d/%d of another page", at, of)
	}
	p.Update(keymap.NextMatch)
	if !p.Leave() || p.Filter() != "" || p.Leave() {
		t.Errorf("esc does not end the search %q, or more than that", p.Filter())
	}
}
