package runlist

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/ui/filter"
)

// Columns lists the columns of the configuration in place of those that fit; none: those.
func (l *List) Columns(chosen []column.Column) {
	l.chosen, l.made, l.widest, l.cache = chosen, madeOf{}, columns{}, nil
	l.filter = filter.New(l.filter.Text, chosen...)
	l.SortBy(l.order.by, l.order.desc)
}

// all are the columns of the list.
func (l *List) all() []column.Column {
	if l.chosen != nil {
		return l.chosen
	}
	return column.All()
}

// The widths of chosen columns that have no limit of their own.
const (
	longestPlacement = 34
	longestWhy       = 60
	longLine         = 36
	longestLine      = 72
	longestHead      = 12
	longestAge       = 5 // "23h59"
)

// fitChosen gives chosen columns the width of their cells. Where they do not fit, the stage
// line is shortened, then texts from the last on, then the last columns are hidden, except the
// name of the run.
func (l *List) fitChosen(c columns, widest *[maxColumns]int) columns {
	free, last, line := c.limit-3, -1, -1
	for i := range l.chosen {
		col, n := &l.chosen[i], &c.width[i]
		if col.Hubs && len(l.scene.Snap.Hubs) == 0 {
			continue
		}
		*n = max(widest[i], col.Min)
		switch most := col.Max; {
		case col.Drawn:
			*n, line = longLine, i
		case col.Name == "run":
			*n = min(*n, longestName, max(8, c.limit/2))
		case col.Name == "placement":
			*n = min(*n, longestPlacement)
		case col.Name == "why":
			*n = min(*n, longestWhy)
		case most > 0:
			*n = min(*n, most)
		}
		*n = max(*n, min(l.headWidth(col), longestHead))
		if col.Timed {
			*n = max(*n, longestAge)
		}
		free -= *n + c.gap
		last = i
	}
	free += c.gap
	if line >= 0 {
		n := max(shortLine, min(longestLine, c.width[line]+free))
		free -= n - c.width[line]
		c.width[line] = n
	}
	for i := last; i >= 0 && free < 0; i-- {
		if l.chosen[i].Shortens() {
			less := max(0, min(-free, c.width[i]-leastCause))
			c.width[i] -= less
			free += less
		}
	}
	for i := last; i >= 0 && free < 0; i-- {
		if n := c.width[i]; n > 0 && l.chosen[i].Name != "run" {
			free += n + c.gap
			c.width[i] = 0
		}
	}
	if run := slices.IndexFunc(l.chosen, func(c column.Column) bool { return c.Name == "run" }); free < 0 && run >= 0 {
		c.width[run] = max(8, c.width[run]+free)
	}
	if line >= 0 && c.width[line] > 0 && free > 0 {
		c.width[line] = min(longestLine, c.width[line]+free)
	}
	return c
}
