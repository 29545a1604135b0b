// Package follow finds what has changed in the rows of a list from Snapshot to Snapshot. A
// change is reported once, whatever happens to the connection.
package follow

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
)

// The kinds of change.
const (
	Added   = "added"
	Changed = "changed"
	Deleted = "deleted"
)

// Change is a change of one row.
type Change struct {
	At   time.Time
	Kind string
	Run  *engine.RunView
}

// Rows are the rows of a list as last reported.
type Rows struct {
	// Wide is set when the columns that depend on bindings are shown, too.
	Wide bool

	last map[engine.ID]*engine.RunView
	// awaited are rows of the first Snapshot that were not whole.
	awaited map[engine.ID]bool
}

// Whole reports whether a Snapshot shows the hub as it is now: after a connection was lost,
// what is not listed yet has not been deleted.
func Whole(s *engine.Snapshot) bool { return s.Complete && s.Link.State == engine.LinkLive }

// Next returns the changes of the rows since the last Snapshot; of the first, all rows that
// are whole, as added. A row of which something is still being read is left for a later one.
func (f *Rows) Next(s *engine.Snapshot, rows []*engine.RunView) []Change {
	if !Whole(s) {
		return nil
	}
	first := f.last == nil
	if first {
		f.last, f.awaited = map[engine.ID]*engine.RunView{}, map[engine.ID]bool{}
	}
	var out []Change
	there := make(map[engine.ID]bool, len(rows))
	for _, v := range rows {
		there[v.ID] = true
		before, known := f.last[v.ID]
		if v.Partial || s.Awaits(v.ID) {
			if first {
				f.awaited[v.ID] = true
			}
			continue
		}
		if known && f.row(before) == f.row(v) {
			continue
		}
		f.last[v.ID] = v
		kind := Added
		if known {
			kind = Changed
		}
		out = append(out, Change{s.At, kind, v})
	}
	for id, v := range f.last {
		if !there[id] {
			delete(f.last, id)
			out = append(out, Change{s.At, Deleted, v})
		}
	}
	return out
}

// Listed reports whether a change only completes the list of the first Snapshot.
func (f *Rows) Listed(c Change) bool {
	listed := f.awaited[c.Run.ID] && c.Kind == Added
	delete(f.awaited, c.Run.ID)
	return listed
}

// row is what a change of is reported: the cells that do not depend on the time, without WHY.
func (f *Rows) row(v *engine.RunView) engine.Text {
	out := column.State(v)
	for _, c := range column.All() {
		if c.Text == nil || c.Timed || c.Name == "why" || c.Bindings && !f.Wide {
			continue
		}
		cell := c.Text(v, time.Time{})
		if c.Bindings {
			cell = v.Why.Short
		}
		out = engine.Textf("%s|%s", out, cell)
	}
	return out
}
