package runlist

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// RowOnly returns the runs on the screen of which only the rows were read, and reports whether the filter or the order depends
// on more of all such runs, which it says.
func (l *List) RowOnly() (rows []engine.ID, all bool) {
	from, to := l.list.Window()
	for _, v := range l.rows[min(from, len(l.rows)):min(to, len(l.rows))] {
		if v.RowOnly {
			rows = append(rows, v.ID)
		}
	}
	said := l.reading
	if l.reading = l.needsRuns() && count(l.scene.Snap.Runs, isRowOnly) > 0; l.reading && !said {
		l.scene.SayWhile(theme.Sub, engine.Lit("Reading the runs that have succeeded: the filter or the order depends on them."), func() bool { return l.reading })
	}
	return rows, l.reading
}

// needsRuns reports whether what is listed, or its order, depends on more of a run that has succeeded than its row.
func (l *List) needsRuns() bool {
	c, sorted := column.Find(l.chosen, l.order.by)
	return l.filter.NeedsRuns() || sorted && !c.OfRow
}

func isRowOnly(v *engine.RunView) bool { return v.RowOnly }
