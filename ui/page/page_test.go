package page

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/theme"
)

func text(format string, a ...any) engine.Text { return engine.Clean(fmt.Sprintf(format, a...)) }

// sections returns two sections that may stand side by side, with n rows each.
func sections(n int) []page.Section {
	var out []page.Section
	for _, name := range []string{"left", "right"} {
		s := page.Section{Title: text("%s", name), Head: []engine.Text{text("NAME"), text("STATE")}, Beside: name == "right"}
		for i := range n {
			row := text("%s-%d", name, i)
			s.Rows = append(s.Rows, page.Row{Key: row, Cells: []page.Cell{{Text: row}, {Text: text("done")}}})
		}
		out = append(out, s)
	}
	return out
}

// What the mouse hits is the row that is drawn there, below each other and side by
// side, scrolled or not.
func TestHitFindsTheRowThatIsDrawn(t *testing.T) {
	th, now := theme.New(true, false, false), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, w := range []int{80, 160} {
		p := &Page{}
		p.Take(page.Answer{Sections: sections(12)})
		for _, a := range []keymap.Action{keymap.None, keymap.PageDown, keymap.Down, keymap.Bottom} {
			p.Arrange(th, now, w, 9)
			p.Update(a)
			p.Arrange(th, now, w, 9)
			drawn := 0
			for y, l := range p.View() {
				l = ansi.Strip(l)
				for _, name := range []string{"left-", "right-"} {
					if x := strings.Index(l, name); x >= 0 {
						drawn++
						x = ansi.StringWidth(l[:x])
						want, _, _ := strings.Cut(ansi.TruncateLeft(l, x, ""), " ")
						if got := p.Hit(x, y).String(); got != want {
							t.Errorf("%d wide after %v: hit %q at %d,%d, want %q", w, a, got, x, y, want)
						}
					}
				}
			}
			if drawn == 0 {
				t.Errorf("%d wide after %v: no row is drawn", w, a)
			}
		}
		if !p.Hit(5, -1).IsZero() || !p.Hit(5, 9).IsZero() {
			t.Error("hit a row outside of the page")
		}
	}
}

// A failed answer leaves what is shown.
func TestAFailedAnswerKeepsThePage(t *testing.T) {
	p := &Page{}
	p.Take(page.Answer{Sections: sections(2)})
	p.Arrange(theme.New(true, false, false), time.Time{}, 80, 9)
	was := p.selected
	p.Take(page.Answer{Err: text("forbidden")})
	p.Arrange(theme.New(true, false, false), time.Time{}, 80, 9)
	if !p.loaded || p.selected != was || was.IsZero() || p.err.IsZero() {
		t.Errorf("selected %q, loaded %v, error %q", p.selected, p.loaded, p.err)
	}
}
