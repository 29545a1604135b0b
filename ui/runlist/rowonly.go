package runlist

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// RowOnly returns the runs of which only the rows were read and that are on the screen or marked (some twice), and reports whether the filter
// or the order needs more of all such runs. When that begins, it shows a note.
func (l *List) RowOnly() (rows []engine.ID, all bool) {
	from, to := l.list.Window()
	for _, v := range l.rows[min(from, len(l.rows)):min(to, len(l.rows))] {
		if v.RowOnly {
			rows = append(rows, v.ID)
		}
	}
	for _, v := range l.scene.Snap.Runs {
		if v.RowOnly && l.marks[v.ID] {
			rows = append(rows, v.ID)
		}
	}
	said := l.reading
	if l.reading = l.needsRuns() && slices.ContainsFunc(l.scene.Snap.Runs, isRowOnly); l.reading && !said {
		needs := "filter"
		if !l.filter.NeedsRuns() {
			needs = "sort order"
		}
		l.scene.SayWhile(theme.Sub, engine.Textf("Reading the details of DONE runs: the %s needs them.", needs), func() bool { return l.reading })
	}
	return rows, l.reading
}

// needsRuns reports whether the filter or the order needs more of a run that has succeeded than its row.
func (l *List) needsRuns() bool {
	c, sorted := column.Find(l.chosen, l.order.by)
	return l.filter.NeedsRuns() || sorted && !c.OfRow
}

func isRowOnly(v *engine.RunView) bool { return v.RowOnly }
