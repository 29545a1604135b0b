package runlist

import (
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
	longestAge       = 5  // "23h59"
	shortName        = 24 // a name of a run is not shorter for a text beside it
)

// fitChosen gives chosen columns the width of their cells. Where they do not fit, the stage
// line is shortened, then texts from the last on, names of runs before texts say little, then the
// last columns are hidden, except the name of the run. Room that is left goes back to the
// texts.
func (l *List) fitChosen(c columns, widest *[maxColumns]int) columns {
	free, run, line := c.limit-3, -1, -1
	want := l.wanted(&c, widest)
	for i := range l.chosen {
		switch col := &l.chosen[i]; {
		case c.width[i] == 0:
			continue
		case col.Drawn:
			line = i
		case col.Name == "run":
			run = i
		}
		free -= c.width[i] + c.gap
	}
	free += c.gap
	to := func(i, n int) { free, c.width[i] = free+c.width[i]-n, n }
	shorten := func(least int) {
		for i := len(l.chosen) - 1; i >= 0 && free < 0; i-- {
			if l.chosen[i].Shortens() {
				to(i, min(c.width[i], max(least, c.width[i]+free)))
			}
		}
	}
	if line >= 0 {
		to(line, max(shortLine, min(longestLine, c.width[line]+free)))
	}
	shorten(goodCause)
	if run >= 0 && free < 0 {
		to(run, min(c.width[run], max(shortName, c.limit/3, c.width[run]+free)))
	}
	shorten(leastCause)
	for i := len(l.chosen) - 1; i >= 0 && free < 0; i-- {
		if n := c.width[i]; n > 0 && i != run {
			free += n + c.gap
			c.width[i] = 0
		}
	}
	if run >= 0 && free < 0 {
		to(run, max(8, c.width[run]+free))
	}
	lengthen := func(most int) {
		for i := range l.chosen {
			if n := c.width[i]; free > 0 && n > 0 && l.chosen[i].Shortens() {
				to(i, max(n, min(most, want[i], n+free)))
			}
		}
	}
	lengthen(goodCause)
	if run >= 0 && free > 0 {
		to(run, min(want[run], c.width[run]+free))
	}
	lengthen(c.limit)
	if line >= 0 && c.width[line] > 0 && free > 0 {
		to(line, min(longestLine, c.width[line]+free))
	}
	return c
}

// wanted sets the widths that chosen columns have where there is room for all of them, and
// returns them.
func (l *List) wanted(c *columns, widest *[maxColumns]int) [maxColumns]int {
	for i := range l.chosen {
		col, n := &l.chosen[i], &c.width[i]
		if col.Hubs && len(l.scene.Snap.Hubs) == 0 {
			continue
		}
		*n = max(widest[i], col.Min)
		switch most := col.Max; {
		case col.Drawn:
			*n = longLine
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
	}
	return c.width
}
