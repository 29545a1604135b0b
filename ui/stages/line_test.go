package stages

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

func TestALineHidesNoTrouble(t *testing.T) {
	th := theme.New(true, false, true)
	for total := range 12 {
		for done := 0; done <= total; done++ {
			for bad := 0; done+bad <= total; bad++ {
				for busy := 0; done+bad+busy <= total; busy++ {
					for _, n := range []int{1, 2, 5, 30} {
						r := cell.NewRow(th, 100, theme.Plain)
						stretch(th, r, done, busy, bad, total, n, false)
						s := ansi.Strip(r.String())
						if ansi.StringWidth(s) != n {
							t.Fatalf("%d cells, want %d", ansi.StringWidth(s), n)
						}
						if bad > 0 && !strings.Contains(s, th.Glyph.LineBad) {
							t.Fatalf("done %d busy %d bad %d of %d in %d hides the trouble: %s", done, busy, bad, total, n, s)
						}
						if done < total && strings.Count(s, th.Glyph.LineDone) == n {
							t.Fatalf("done %d of %d in %d looks done: %s", done, total, n, s)
						}
					}
				}
			}
		}
	}
}
