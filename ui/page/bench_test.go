package page

import (
	"fmt"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// manyRows is a page of n rows whose names differ at their ends only, too long for a narrow
// terminal, each with sentences for the aside if aside is set.
func manyRows(n int, aside bool) page.Answer {
	s := page.Section{Title: text("bindings"), Head: []engine.Text{text("PLACEMENT"), text("OWNER"), text("NOT AVAILABLE")}}
	for i := range n {
		r := page.Row{
			Key:   text("row %d", i),
			Cells: []page.Cell{{Text: text("checkout-of-the-shop-in-westeurope-%d", i)}, {Text: text("checkout-of-the-shop-in-westeurope-%d-r12", i)}, {Text: text("%d Available: NotAllWorkAreAvailable", i)}},
		}
		if aside {
			r.Aside = []engine.Text{text("%d of 12 bindings available.", i), text("Available: NotAllWorkAreAvailable: weu-canary-1, weu-canary-2, weu-canary-3.")}
		}
		s.Rows = append(s.Rows, r)
	}
	return page.Answer{Sections: []page.Section{s}}
}

// BenchmarkPage measures a key, and a new answer, on a page of many rows. A frame at 60 Hz is 16 ms.
func BenchmarkPage(b *testing.B) {
	th, now := theme.New(true, false, false), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, rows := range []int{1000, 5000} {
		for _, aside := range []bool{false, true} {
			a, p := manyRows(rows, aside), &Page{}
			p.Take(a)
			draw := func() {
				p.Arrange(th, now, 80, 20)
				p.View()
			}
			draw()
			b.Run(fmt.Sprintf("rows=%d/aside=%v/key", rows, aside), func(b *testing.B) {
				for b.Loop() {
					p.Update(keymap.Down)
					draw()
				}
			})
			b.Run(fmt.Sprintf("rows=%d/aside=%v/answer", rows, aside), func(b *testing.B) {
				for b.Loop() {
					p.Take(a)
					draw()
				}
			})
		}
	}
}
