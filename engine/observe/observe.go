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
		for _, v := range prev.Runs {
			o.old[v.ID] = v
		}
	}
	o.changed = changed
	s.Scope = o.scope()
	s.Runs = o.rows()
	s.Need = need(s.Runs)
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
	old     map[engine.ID]*engine.RunView
	changed world.Changed
	opened  *reader // the reader of the opened run, when it was read in this pass
	room    *room

	placements map[engine.ID]*world.Placement // by key
	runIDs     map[engine.ID]engine.ID        // by key
	approvals  map[engine.ID]map[string]*placement.ApprovalRequest
	unfinished map[engine.ID][]engine.ID // runs by placement, in the order of their IDs
	initFailed map[engine.ID][]engine.ID // runs that failed initialization, by placement
	youngest   map[engine.ID]engine.ID   // of those that have not failed, by placement
}

// rows makes the rows of the list, sorted attention first.
func (o *observation) rows() []*engine.RunView {
	w := o.w
	rows := make([]*engine.RunView, 0, len(w.Runs)+len(w.Printed)+len(w.Broken))
	for id, run := range w.Runs {
		if v := o.unchanged(id, run); v != nil {
			rows = append(rows, v)
			continue
		}
		if w.Packed[id].IsRowOnly() {
			rows = append(rows, o.bare(rowOnlyView(id, run), ""))
			continue
		}
		r := o.read(id, run)
		rows = append(rows, o.keep(o.kept(r.view())))
		r.done()
	}
	for id, p := range w.Printed {
		if w.Runs[id] != nil {
			continue
		}
		if v := o.old[id]; v != nil && v.Partial && !o.changed.All && !o.changed.Runs[id] {
			rows = append(rows, v) // nothing but its printed row says anything of it
			continue
		}
		rows = append(rows, o.bare(printedView(id, p), ""))
	}
	for id, why := range w.Broken {
		if engine.IsRun(id.Kind()) && w.Runs[id] == nil {
			rows = append(rows, o.bare(brokenView(id), why))
		}
	}
	for _, v := range o.noRuns() {
		rows = append(rows, o.bare(v, ""))
	}
	slices.SortFunc(rows, before)
	return rows
}

// unchanged returns the view of the last Snapshot when neither an object nor
// the clock has anything to add to it.
func (o *observation) unchanged(id engine.ID, run *placement.StagedUpdateRun) *engine.RunView {
	v := o.old[id]
	if v == nil || v.Partial != o.w.Packed[id].IsRowOnly() || o.changed.All || o.changed.Runs[id] || v.ResourceVersion.Value() != run.ResourceVersion {
		return nil
	}
	if !v.Next.IsZero() && !o.now.Before(v.Next) {
		return nil
	}
	return v
}

// keep returns the old view when the new one says the same, so that whoever
// caches by pointer need not draw again.
func (o *observation) keep(v *engine.RunView) *engine.RunView {
	if old := o.old[v.ID]; old != nil && reflect.DeepEqual(old, v) {
		return old
	}
	return v
}

// read prepares the reader of a run.
func (o *observation) read(id engine.ID, run *placement.StagedUpdateRun) *reader {
	o.index()
	key := engine.PlacementKey(id, run.Spec.PlacementName)
	r := &reader{
		w: o.w, now: o.now, id: id,
		place:     o.placements[key],
		approvals: o.approvals[id.Beside(engine.KindUnknown, id.RawNamespace(), "", "")],
		runs: func(name string) engine.ID {
			k := id.Beside(id.Kind(), id.RawNamespace(), name, "")
			if full, ok := o.runIDs[k]; ok {
				return full
			}
			return k
		},
		competing: o.competing(id, key),
		youngest:  o.youngest[key],
		was:       o.old[id],
	}
	if id == o.w.Focus.Run {
		o.opened, r.run, r.bindings = r, o.w.Whole(id), o.w.BoundByCluster(key, nil)
	} else {
		r.room, r.run, r.bindings = o.room, o.w.WholeIn(id, &o.room.whole), o.w.BoundByCluster(key, emptied(&o.room.bound))
	}
	return r
}

// index sorts placements, runs and approvals by name, once per pass and only
// when a run has to be read.
func (o *observation) index() {
	if o.placements != nil {
		return
	}
	o.placements = emptied(&o.room.placements)
	for id, p := range o.w.Placements {
		o.placements[id.Key()] = p
	}
	o.runIDs = emptied(&o.room.runIDs)
	for id, run := range o.w.Runs {
		k := id.Key()
		if other, ok := o.runIDs[k]; !ok || o.w.Runs[other].CreationTimestamp.Before(&run.CreationTimestamp) {
			o.runIDs[k] = id
		}
	}
	o.unfinished, o.youngest = unfinished(o.w, emptied(&o.room.unfinished)), youngest(o.w, emptied(&o.room.youngest))
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

// need counts the runs that need attention, in the order of the rows.
func need(rows []*engine.RunView) []engine.Need {
	var out []engine.Need
	for _, v := range rows {
		if !v.NeedsAttention() {
			continue
		}
		if i := slices.IndexFunc(out, engine.NeedOf(v).Same); i >= 0 {
			out[i].Count++
		} else {
			out = append(out, engine.NeedOf(v))
		}
	}
	return out
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
