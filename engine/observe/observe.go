// Package observe turns the World, the objects of a hub as they were received,
// into a Snapshot: the rows of the list and the opened run. It keeps nothing
// between two passes except what the last Snapshot holds.
package observe

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// Observe makes the Snapshot of the World at hub time now. prev is the last
// Snapshot it returned, nil at first; views of runs that did not change are
// taken from it, with their pointers. The second result is when the Snapshot
// changes by time alone (SLOW, the stuck mark, NOT OBSERVED, the end of a wait);
// zero when it does not. Observe keeps nothing and changes nothing in w.
func Observe(prev *engine.Snapshot, w *world.World, changed world.Changed, now time.Time) (*engine.Snapshot, time.Time) {
	s := &engine.Snapshot{
		At: now, Skew: w.Skew, Hub: w.Hub, Link: w.Link, Access: w.Access,
		StuckAfter: w.Settings.StuckAfter,
		Complete:   w.Complete(),
	}
	set := s.Raise(w.Settings, w.Raised)
	s.WritesOff, s.Hub.Protected = writesOff(w, set), set.Protected
	if s.StuckAfter <= 0 {
		s.StuckAfter = engine.StuckDefault
	}
	o := &observation{w: w, now: now, prev: prev}
	if memory, ok := rooms.Get().(*room); ok {
		o.room = memory
		defer rooms.Put(memory)
	}
	o.old = emptied(&o.room.old)
	if prev == nil {
		changed.All = true
	} else {
		s.Seq = prev.Seq + 1
	}
	o.changed = changed
	s.Scope = o.scope()
	s.Runs = o.rows()
	s.Need = engine.CountNeeds(s.Runs)
	s.Missing = o.missing(s)
	s.Outlived = o.outlived(s)
	s.Detail = o.detail(s)
	next := s.Raised
	for _, v := range s.Runs {
		next = engine.Earlier(next, v.Next)
	}
	return s, next
}

// Heard returns what Observe would at hub time now when nothing in the World has changed
// since prev but when the hub answered last, and now is before the time that Observe
// returned: a quiet hub has its rows made once, not every second.
func Heard(prev *engine.Snapshot, w *world.World, now time.Time) *engine.Snapshot {
	s := *prev
	s.Seq++
	s.At, s.Skew, s.Link = now, w.Skew, w.Link
	return &s
}

// observation is one pass of Observe.
type observation struct {
	w       *world.World
	now     time.Time
	prev    *engine.Snapshot
	old     map[engine.ID]*engine.RunView // the rows of prev whose ID is not in w.Runs
	changed world.Changed
	opened  *reader // the reader of the opened run, when it was read in this pass
	room    *room

	runIDs    map[engine.ID]engine.ID                             // by key; nil until one is asked for
	approvals map[engine.ID]map[string]*placement.ApprovalRequest // nil until a run is read
}

// rows makes the rows of the list, sorted attention first.
func (o *observation) rows() []*engine.RunView {
	w := o.w
	o.group()
	rows := make([]*engine.RunView, 0, len(w.Runs)+len(w.Printed)+len(w.Broken))
	if o.prev != nil {
		for _, v := range o.prev.Runs { // in their order, which hardly changes
			if run := w.Runs[v.ID]; run != nil {
				rows = append(rows, o.row(v.ID, run, v))
			} else {
				o.old[v.ID] = v
			}
		}
	}
	if len(rows) < len(w.Runs) {
		there := emptied(&o.room.there)
		for _, v := range rows {
			there[v.ID] = true
		}
		for id, run := range w.Runs {
			if !there[id] {
				rows = append(rows, o.row(id, run, nil))
			}
		}
	}
	for id, p := range w.Printed {
		if w.Runs[id] != nil {
			continue
		}
		if v := o.old[id]; v != nil && v.Partial && !o.changed.All && !o.changed.Runs[id] {
			rows = append(rows, v) // nothing but its printed row says anything of it
			continue
		}
		rows = append(rows, o.bare(printedView(id, p), o.old[id], ""))
	}
	for id, why := range w.Broken {
		if engine.IsRun(id.Kind()) && w.Runs[id] == nil {
			rows = append(rows, o.bare(brokenView(id), o.old[id], why))
		}
	}
	for _, v := range o.noRuns() {
		rows = append(rows, o.bare(v, o.old[v.ID], ""))
	}
	slices.SortFunc(rows, before)
	return rows
}

// row makes the row of a run; old is that of the last Snapshot, nil for none.
func (o *observation) row(id engine.ID, run *placement.StagedUpdateRun, old *engine.RunView) *engine.RunView {
	switch rowOnly := o.w.Packed[id].IsRowOnly(); {
	case o.unchanged(id, run, old, rowOnly):
		return old
	case rowOnly:
		return o.bare(rowOnlyView(id, run), old, "")
	}
	r := o.read(id, run, old)
	defer r.done()
	return keep(o.kept(r.view(), old), old)
}

// unchanged reports whether neither an object nor the clock has anything to add to the row of the last Snapshot.
func (o *observation) unchanged(id engine.ID, run *placement.StagedUpdateRun, old *engine.RunView, rowOnly bool) bool {
	return old != nil && old.Partial == rowOnly && !o.changed.All && !o.changed.Runs[id] && old.ResourceVersion.Value() == run.ResourceVersion &&
		(old.Next.IsZero() || o.now.Before(old.Next))
}

// keep returns the old view when the new one says the same, so that whoever
// caches by pointer need not draw again.
func keep(v, old *engine.RunView) *engine.RunView {
	if old != nil && reflect.DeepEqual(old, v) {
		return old
	}
	return v
}

// read prepares the reader of a run; was is its row in the last Snapshot, nil for none.
func (o *observation) read(id engine.ID, run *placement.StagedUpdateRun, was *engine.RunView) *reader {
	o.index()
	key := engine.PlacementKey(id, run.Spec.PlacementName)
	beside := o.room.family.of(key)
	r := &reader{
		w: o.w, now: o.now, id: id,
		place:     beside.place,
		approvals: o.approvals[id.Beside(engine.KindUnknown, id.RawNamespace(), "", "")],
		runs: func(name string) engine.ID {
			return o.runID(id.Beside(id.Kind(), id.RawNamespace(), name, ""))
		},
		competing: o.competing(id, key),
		youngest:  beside.youngest,
		was:       was,
	}
	if id == o.w.Focus.Run {
		o.opened, r.run, r.bindings = r, o.w.Whole(id), o.w.BoundByCluster(key, nil)
	} else {
		r.room, r.run, r.bindings = o.room, o.w.WholeIn(id, &o.room.whole), o.w.BoundByCluster(key, emptied(&o.room.bound))
	}
	return r
}

// runID returns the ID of the youngest run with a key; the key if there is none.
func (o *observation) runID(key engine.ID) engine.ID {
	if o.runIDs == nil {
		o.runIDs = emptied(&o.room.runIDs)
		for id, run := range o.w.Runs {
			k := id.Key()
			if other, ok := o.runIDs[k]; !ok || o.w.Runs[other].CreationTimestamp.Before(&run.CreationTimestamp) {
				o.runIDs[k] = id
			}
		}
	}
	if id, ok := o.runIDs[key]; ok {
		return id
	}
	return key
}

// index sorts approvals by name, once per pass and only when a run has to be read.
func (o *observation) index() {
	if o.approvals != nil {
		return
	}
	o.approvals = map[engine.ID]map[string]*placement.ApprovalRequest{}
	for id, a := range o.w.Approvals {
		scope := id.Beside(engine.KindUnknown, id.RawNamespace(), "", "")
		m := o.approvals[scope]
		if m == nil {
			m = map[string]*placement.ApprovalRequest{}
			o.approvals[scope] = m
		}
		if other := m[id.RawName()]; other == nil || other.CreationTimestamp.Before(&a.CreationTimestamp) {
			m[id.RawName()] = a
		}
	}
}

// before orders rows: the words that need a person first; among those the
// longest waiting, among the others those that may need one soon, then the
// youngest.
func before(a, b *engine.RunView) int {
	if c := cmp.Compare(a.Attention(), b.Attention()); c != 0 {
		return c
	}
	if a.NeedsAttention() {
		return cmp.Or(age(a).Compare(age(b)), a.ID.Compare(b.ID))
	}
	if x, y := a.InTrouble(), b.InTrouble(); x != y {
		if x {
			return -1
		}
		return 1
	}
	return cmp.Or(b.Created.Compare(a.Created), a.ID.Compare(b.ID))
}

func age(v *engine.RunView) time.Time {
	if v.Since.IsZero() {
		return v.Created
	}
	return v.Since
}

// writesOff says why nothing may be written under the settings that count now,
// empty when writes may go.
func writesOff(w *world.World, set engine.Settings) engine.Text {
	if !set.ReadOnly.IsZero() {
		return set.ReadOnly
	}
	switch w.Link.State {
	case engine.LinkLive:
		return engine.Text{}
	case engine.LinkLoading:
		return engine.Lit("the hub's objects are still loading")
	case engine.LinkReconnecting:
		return engine.Lit("the connection to the hub is broken; the data may be old")
	case engine.LinkStale:
		return engine.Lit("the data may be old: the hub has not answered recently")
	case engine.LinkRefused:
		if w.Link.LoginFailed {
			return engine.Lit("the login to the hub failed")
		}
		return engine.Lit("the API server rejects this user")
	}
	return engine.Lit("the state of the connection is unknown")
}
