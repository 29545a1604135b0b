package column

import (
	"slices"
	"strings"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// Sortable returns the columns by which runs can be sorted, in the order of the screen.
func Sortable() []Column {
	return slices.DeleteFunc(slices.Clone(all[:]), func(c Column) bool { return c.Compare == nil })
}

// Sort sorts runs by a column of Sortable, the largest first if desc. Runs of which the
// column is not known come last either way; runs that are equal keep their order.
func Sort(runs []*engine.RunView, c *Column, desc bool, now time.Time) {
	type row struct {
		run     *engine.RunView
		unknown bool
	}
	rows := make([]row, len(runs))
	for i, v := range runs {
		rows[i] = row{v, c.Text != nil && c.Text(v, now).IsZero()}
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		switch n := c.Compare(a.run, b.run); {
		case a.unknown != b.unknown && a.unknown:
			return 1
		case a.unknown != b.unknown:
			return -1
		case desc:
			return -n
		default:
			return n
		}
	})
	for i := range rows {
		runs[i] = rows[i].run
	}
}

// byText compares texts.
func byText(of func(*engine.RunView) engine.Text) func(a, b *engine.RunView) int {
	return func(a, b *engine.RunView) int { return strings.Compare(of(a).String(), of(b).String()) }
}

// byAge compares how long ago times are.
func byAge(of func(*engine.RunView) time.Time) func(a, b *engine.RunView) int {
	return func(a, b *engine.RunView) int { return of(b).Compare(of(a)) }
}
