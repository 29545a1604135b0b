package observe

import (
	"cmp"
	"sort"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// siblings are the runs of a placement, as far as the reading of one depends on the others.
type siblings struct {
	place      *world.Placement // nil when unknown
	named      bool             // a run that has not failed initialization names the placement
	unfinished []engine.ID      // initialized and not over, in the order of their IDs
	initFailed []engine.ID      // runs that failed initialization
	// youngest is that of the runs that have not failed and are not being deleted, initialized or not; zero for none.
	youngest engine.ID
}

// family has the siblings of each placement.
type family struct {
	at  map[engine.ID]int // by key; the index in all
	all []siblings
}

// of returns the siblings of a placement. They are valid until of adds those of another one.
func (f *family) of(key engine.ID) *siblings {
	i, known := f.at[key]
	if !known {
		if i = len(f.all); i < cap(f.all) {
			f.all = f.all[:i+1]
			f.all[i] = siblings{unfinished: f.all[i].unfinished[:0]}
		} else {
			f.all = append(f.all, siblings{})
		}
		f.at[key] = i
	}
	return &f.all[i]
}

// group finds the siblings of each placement, with one lookup for each run: a hub has many that are over.
func (o *observation) group() {
	f, w := &o.room.family, o.w
	emptied(&f.at)
	f.all = f.all[:0] // their memory is used again
	for id, p := range w.Placements {
		f.of(id.Key()).place = p
	}
	for id, run := range w.Runs {
		s, conds := f.of(engine.PlacementKey(id, run.Spec.PlacementName)), run.Status.Conditions
		initialized, succeeded := engine.ReadCondition(conds, placement.RunInitialized).Truth, engine.ReadCondition(conds, placement.RunSucceeded).Truth
		if initialized == engine.TruthNo {
			s.initFailed = append(s.initFailed, id)
			continue
		}
		s.named = true
		if run.DeletionTimestamp != nil || succeeded == engine.TruthNo {
			continue
		}
		if initialized == engine.TruthYes && succeeded == engine.TruthAbsent {
			s.unfinished = append(s.unfinished, id)
		}
		if y := w.Runs[s.youngest]; y == nil || cmp.Or(run.CreationTimestamp.Compare(y.CreationTimestamp.Time), cmp.Compare(run.Name, y.Name)) > 0 {
			s.youngest = id
		}
	}
	for id, p := range w.Printed {
		if w.Runs[id] == nil && p.Initialized != "False" {
			f.of(engine.PlacementKey(id, p.Placement)).named = true
		}
	}
	for i := range f.all {
		sortIDs(f.all[i].unfinished)
	}
}

// byAge sorts runs, the youngest first.
func (o *observation) byAge(runs []engine.ID) []engine.ID {
	if len(runs) > 1 { // sort.Slice allocates
		sort.Slice(runs, func(i, j int) bool {
			a, b := runs[i], runs[j]
			return cmp.Or(o.w.Runs[b].CreationTimestamp.Compare(o.w.Runs[a].CreationTimestamp.Time), a.Compare(b)) < 0
		})
	}
	return runs
}

// sortIDs sorts a few IDs without the allocations of sort.Slice: most lists are short.
func sortIDs(ids []engine.ID) {
	if len(ids) > 12 {
		sort.Slice(ids, func(i, j int) bool { return ids[i].Compare(ids[j]) < 0 })
		return
	}
	for i := range ids {
		for j := i; j > 0 && ids[j].Compare(ids[j-1]) < 0; j-- {
			ids[j], ids[j-1] = ids[j-1], ids[j]
		}
	}
}
