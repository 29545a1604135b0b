// Package follow finds what has changed in the rows of a list from Snapshot to Snapshot. A
// change is reported once, whatever happens to the connection.
package follow

import (
	"context"
	"errors"
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
	// Listed is set when the change belongs to the list of the first Snapshot: a row of it, or
	// what was read later of such a row.
	Listed bool
}

// Rows are the rows of a list as last reported.
type Rows struct {
	// Wide is set when the columns that depend on bindings are shown, too.
	Wide bool

	last map[engine.ID]*engine.RunView
	// awaited are rows of the first Snapshot that were not whole.
	awaited map[engine.ID]bool
	// held is since when changes of causes wait for what the causes are read from.
	held map[engine.ID]time.Time
}

// patience is how long another cause waits for what it is read from: without it, a set that
// is never read would hide the cause.
const patience = 10 * time.Second

// LookAgain is how often changes that wait are looked at again.
const LookAgain = time.Second

// Waiting reports whether changes wait for what causes are read from.
func (f *Rows) Waiting() bool { return len(f.held) > 0 }

// Await returns the next Snapshot, or the last one once more after a limit, if that is not 0.
// Its error is that of next, which ends with its context.
func Await(ctx context.Context, next func(context.Context) (*engine.Snapshot, error), last *engine.Snapshot, limit time.Duration) (*engine.Snapshot, error) {
	if limit == 0 {
		return next(ctx)
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	s, err := next(limited)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return last, nil
	}
	return s, err
}

// holds reports whether another cause of a row, in the same state, waits at now.
func (f *Rows) holds(s *engine.Snapshot, v *engine.RunView, now time.Time) bool {
	since, held := f.held[v.ID]
	if !s.Awaits(v.ID) || held && now.Sub(since) >= patience {
		return false
	}
	if !held {
		f.held[v.ID] = now
	}
	return true
}

// Whole reports whether a Snapshot shows the hub as it is now: after a connection was lost,
// what is not listed yet has not been deleted.
func Whole(s *engine.Snapshot) bool { return s.Complete && s.Link.State == engine.LinkLive }

// Next returns the changes of the rows since the last Snapshot; of the first, all rows that
// are whole, as added. A change of a state is returned at once, with what is known of its
// cause; another cause alone once it is read. now is any clock.
func (f *Rows) Next(s *engine.Snapshot, rows []*engine.RunView, now time.Time) []Change {
	if !Whole(s) {
		return nil
	}
	first := f.last == nil
	if first {
		f.last, f.awaited, f.held = map[engine.ID]*engine.RunView{}, map[engine.ID]bool{}, map[engine.ID]time.Time{}
	}
	var out []Change
	there := make(map[engine.ID]bool, len(rows))
	for _, v := range rows {
		there[v.ID] = true
		before, known := f.last[v.ID]
		same := known && (before == v || row(before, false) == row(v, false))
		listed := first || f.awaited[v.ID] && (same || !known)
		f.awaited[v.ID] = listed && (v.Partial || s.Awaits(v.ID))
		switch {
		case same && (before == v || !f.Wide || row(before, true) == row(v, true)):
			delete(f.held, v.ID)
			continue
		case v.Partial || same && f.holds(s, v, now):
			continue
		}
		delete(f.held, v.ID)
		f.last[v.ID] = v
		kind := Added
		if known {
			kind = Changed
		}
		if same {
			f.awaited[v.ID] = false // the cause of the list was read, or is not awaited any more
		}
		out = append(out, Change{s.At, kind, v, listed})
	}
	for id, v := range f.last {
		if !there[id] {
			delete(f.last, id)
			delete(f.awaited, id)
			delete(f.held, id)
			out = append(out, Change{s.At, Deleted, v, false})
		}
	}
	return out
}

// row is what a change of is reported: the cells that do not depend on the time, without WHY;
// with the cause if wide.
func row(v *engine.RunView, wide bool) engine.Text {
	out := column.State(v)
	for _, c := range column.All() {
		if c.Text == nil || c.Timed || c.Name == "why" || c.Bindings && !wide {
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
