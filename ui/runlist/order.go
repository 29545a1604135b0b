package runlist

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// order is by what the rows are sorted. The zero order is that of the snapshot: what needs
// attention first.
type order struct {
	by   string // word of a column
	desc bool
}

// SortBy sorts by a column of column.Sortable; an empty name is the order of attention.
func (l *List) SortBy(name string, desc bool) {
	c, ok := column.Find(l.chosen, name)
	if !ok || c.Compare == nil || name == "state" && !desc {
		l.order = order{}
		return
	}
	l.order = order{c.Word(), desc}
}

// Turn sorts by a column, or the other way round when the list is sorted by it already.
func (l *List) Turn(name string) { l.SortBy(name, l.order.by == name && !l.order.desc) }

// Sorted returns by what the list is sorted; empty for the order of attention.
func (l *List) Sorted() (name string, desc bool) { return l.order.by, l.order.desc }

// sort sorts rows.
func (l *List) sort(rows []*engine.RunView, now time.Time) {
	if c, ok := column.Find(l.chosen, l.order.by); ok {
		column.Sort(rows, c, l.order.desc, now)
	}
}

// mark adds the direction to a head of n cells.
func (o order) mark(th *theme.Theme, head string, n int) string {
	arrow := th.Glyph.Up
	if o.desc {
		arrow = th.Glyph.Down
	}
	return cell.Cut(th, head, n-1) + arrow
}

// HeadAt returns the column whose head is at a cell of the list; empty for none.
func (l *List) HeadAt(x, y int) string {
	if y != 0 {
		return ""
	}
	at := 3
	for i, n := range l.cols.width {
		if n == 0 {
			continue
		}
		if c := &l.all()[i]; x >= at && x < at+n && c.Compare != nil {
			return c.Word()
		}
		at += n + l.cols.gap
	}
	return ""
}
