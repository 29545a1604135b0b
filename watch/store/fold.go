package store

import (
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// folder folds what streams brought into a World. It belongs to the goroutine
// of the feed.
type folder struct {
	world *world.World
	sets  map[world.CoverKey]map[objectKey]held
}

// held is an object of a set as the World has it.
type held struct {
	id      engine.ID
	version string
	rowOnly bool
}

func newFolder(w *world.World) *folder {
	return &folder{world: w, sets: map[world.CoverKey]map[objectKey]held{}}
}

// moves collects what a fold has moved.
type moves struct {
	world.Changed
	placements map[engine.ID]bool // by key: their runs are to be looked at again
	others     bool               // a placement came or goes: what unfinished runs of other placements need may have changed
	any        bool
	runs       bool // a run itself was changed
}

func (m *moves) run(id engine.ID) {
	if m.Runs == nil {
		m.Runs = map[engine.ID]bool{}
	}
	m.Runs[id] = true
	m.any = true
}

func (m *moves) placement(id engine.ID) {
	if m.placements == nil {
		m.placements = map[engine.ID]bool{}
	}
	m.placements[id.Key()] = true
	m.any = true
}

// fold takes in the deliveries; now is the hub's time.
func (f *folder) fold(sets map[world.CoverKey]*delivery, now time.Time) moves {
	var m moves
	// First, since another set may bring the same objects: the runs of one
	// namespace where those of all are not permitted any more.
	for key, d := range sets {
		if d.dropped {
			f.drop(key, &m)
		}
	}
	for key, d := range sets {
		if d.replaced {
			f.replace(key, d.all, now, &m)
		}
		for k, o := range d.puts {
			if o == nil {
				f.remove(key, k, &m)
			} else {
				f.put(key, k, o, now, &m)
			}
		}
		if d.reached != "" {
			f.world.Reached[key] = d.reached
			if f.world.ReadAgain {
				m.placement(key.Placement)
			}
		}
		f.cover(key, d.cover, &m)
		f.print(key, d, &m)
	}
	f.spread(&m)
	return m
}

// spread marks the runs of placements of which something moved. Where a placement came or
// goes, it marks all unfinished runs: their steps name the placements that exist, and those
// that are about to give up an object.
func (f *folder) spread(m *moves) {
	if len(m.placements) == 0 || m.All {
		return
	}
	for id, run := range f.world.Runs {
		if m.placements[placementOf(id, run)] || m.others && engine.ReadCondition(run.Status.Conditions, placement.RunSucceeded).Truth == engine.TruthAbsent {
			m.run(id)
		}
	}
}

// placementOf names the placement that a run rolls out.
func placementOf(id engine.ID, run *placement.StagedUpdateRun) engine.ID {
	kind := id.Kind().InScope(engine.KindClusterResourcePlacement, engine.KindResourcePlacement)
	return id.Beside(kind, run.Namespace, run.Spec.PlacementName, "")
}

func (f *folder) set(key world.CoverKey) map[objectKey]held {
	s := f.sets[key]
	if s == nil {
		s = map[objectKey]held{}
		f.sets[key] = s
	}
	return s
}

func (f *folder) drop(key world.CoverKey, m *moves) {
	for k := range f.sets[key] {
		f.remove(key, k, m)
	}
	delete(f.sets, key)
	delete(f.world.Covered, key)
	delete(f.world.Reached, key)
	f.known(key, m)
	if !key.Placement.IsZero() {
		delete(f.world.Bindings, key.Placement)
		return
	}
	for id := range f.world.Printed {
		if inSet(key, id) {
			delete(f.world.Printed, id)
		}
	}
}

// known marks the runs that depend on whether a set is known: bindings matter to
// the runs of their placement, every other set to all runs.
func (f *folder) known(key world.CoverKey, m *moves) {
	if key.Placement.IsZero() {
		m.All, m.any = true, true
		return
	}
	m.placement(key.Placement)
}

func (f *folder) replace(key world.CoverKey, all []*Object, now time.Time, m *moves) {
	there := make(map[objectKey]bool, len(all))
	for _, o := range all {
		there[o.key()] = true
	}
	for k := range f.sets[key] {
		if !there[k] {
			f.remove(key, k, m)
		}
	}
	if !key.Placement.IsZero() && f.world.Bindings[key.Placement] == nil {
		f.world.Bindings[key.Placement] = map[engine.ID]*world.Binding{}
	}
	for _, o := range all {
		f.put(key, o.key(), o, now, m)
	}
	for id := range f.world.Printed {
		if inSet(key, id) {
			delete(f.world.Printed, id)
			m.run(id)
		}
	}
}

func (f *folder) put(key world.CoverKey, k objectKey, o *Object, now time.Time, m *moves) {
	set := f.set(key)
	old, had := set[k]
	packed, _ := o.Value.(*world.PackedRun)
	if had && old.id == o.ID && old.version == o.Version && !o.Replaces && (!old.rowOnly || packed.IsRowOnly()) {
		return // a row says nothing that the whole run of the same version does not
	}
	if had && old.id != o.ID { // deleted and created again between two events
		f.remove(key, k, m)
	}
	set[k] = held{id: o.ID, version: o.Version, rowOnly: packed.IsRowOnly()}
	f.store(key, o, now, m)
}

// store writes the object into the World.
func (f *folder) store(key world.CoverKey, o *Object, now time.Time, m *moves) {
	w := f.world
	delete(w.Broken, o.ID)
	switch v := o.Value.(type) {
	case *world.PackedRun:
		f.run(o, v.Run, v.IsRowOnly(), now, m)
		w.Packed[o.ID] = v
	case *placement.StagedUpdateRun:
		f.run(o, v, false, now, m)
		delete(w.Packed, o.ID)
	case *placement.ApprovalRequest:
		w.Approvals[o.ID] = v
		f.approval(o.ID, v, m)
	case *world.Placement:
		if old := w.Placements[o.ID]; old == nil || !old.Deleting.Equal(v.Deleting) {
			m.others = true
		}
		w.Placements[o.ID] = v
		m.placement(o.ID)
	case *world.Binding:
		if w.Bindings[key.Placement] == nil {
			w.Bindings[key.Placement] = map[engine.ID]*world.Binding{}
		}
		w.Bindings[key.Placement][o.ID] = v
		m.placement(key.Placement)
	case *world.Member:
		f.member(v, now, m)
	default:
		f.forget(key, o.ID, m)
		w.Broken[o.ID] = o.Broken
		m.All, m.any = true, true
	}
}

// run writes a run into the World; rowOnly is set for one of which only the row was read.
func (f *folder) run(o *Object, run *placement.StagedUpdateRun, rowOnly bool, now time.Time, m *moves) {
	w, id := f.world, o.ID
	old := w.Runs[id]
	if old != nil {
		m.placement(placementOf(id, old))
	} else {
		m.Requests = true
	}
	w.Runs[id] = run
	if o.Paths != nil {
		w.Paths[id] = o.Paths
	}
	delete(w.Printed, id)
	if !rowOnly {
		f.seen(id, old, run, now)
	}
	m.run(id)
	m.runs = true
	m.placement(placementOf(id, run)) // its other runs may be preempted by it
}

// approval marks the run that an approval request is about.
func (f *folder) approval(id engine.ID, request *placement.ApprovalRequest, m *moves) {
	kind := id.Kind().InScope(engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun)
	k := objectKey{request.Namespace, request.Spec.ParentStageRollout}
	m.any, m.Requests = true, true
	for key, set := range f.sets {
		if key.Kind == kind {
			if h, ok := set[k]; ok {
				m.run(h.id)
			}
		}
	}
}

func (f *folder) remove(key world.CoverKey, k objectKey, m *moves) {
	h, ok := f.sets[key][k]
	if !ok {
		return
	}
	delete(f.sets[key], k)
	f.forget(key, h.id, m)
	delete(f.world.Broken, h.id)
	m.any = true
}

// forget takes an object out of the World's rows.
func (f *folder) forget(key world.CoverKey, id engine.ID, m *moves) {
	w := f.world
	switch id.Kind() {
	case engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun:
		if run := w.Runs[id]; run != nil {
			m.placement(placementOf(id, run))
		}
		m.run(id)
		m.Requests = true
		delete(w.Runs, id)
		delete(w.Packed, id)
		delete(w.Paths, id)
		delete(w.Printed, id)
		delete(w.FirstSeen, id)
	case engine.KindClusterApprovalRequest, engine.KindApprovalRequest:
		if request := w.Approvals[id]; request != nil {
			f.approval(id, request, m)
		}
		delete(w.Approvals, id)
	case engine.KindClusterResourcePlacement, engine.KindResourcePlacement:
		delete(w.Placements, id)
		m.others = true
		m.placement(id)
	case engine.KindClusterResourceBinding, engine.KindResourceBinding:
		delete(w.Bindings[key.Placement], id)
		m.placement(key.Placement)
	case engine.KindMemberCluster:
		f.forgetMember(id, m)
	}
}

// print takes in printed rows of runs that are not loaded yet.
func (f *folder) print(key world.CoverKey, d *delivery, m *moves) {
	c := f.world.Covered[key]
	if c.State == engine.CoverComplete {
		return
	}
	if d.printed != nil && c.Named != d.named {
		c.Named = d.named
		f.cover(key, &c, m)
	}
	for id, row := range d.printed {
		if f.world.Runs[id] == nil && f.world.Broken[id] == "" {
			f.world.Printed[id] = row
			m.run(id)
		}
	}
}

func (f *folder) cover(key world.CoverKey, c *engine.Coverage, m *moves) {
	if c == nil {
		return
	}
	was, is := f.world.Covered[key], *c
	is.Named = is.Named || was.Named && is.State == engine.CoverLoading
	if was == is {
		return
	}
	// Views depend on what is known at all; numbers only move the header.
	if was.State != is.State {
		f.known(key, m)
	}
	f.world.Covered[key] = is
	m.any = true
}

// inSet reports whether an object belongs to a base set.
func inSet(key world.CoverKey, id engine.ID) bool {
	ns, _, _ := id.Raw()
	return key.Placement.IsZero() && key.Kind == id.Kind() && (key.Namespace == "" || key.Namespace == ns)
}
