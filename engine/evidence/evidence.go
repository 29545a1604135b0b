// Package evidence says which placements the diagnoses of a Snapshot depend on: those whose bindings, or whose
// strategies and snapshots, are to be read.
package evidence

import (
	"slices"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// Troubled lists the placements whose bindings decide the state of a run or what the list says of
// it, in the order of the list: of runs that are STUCK, PREEMPTED, STOPPING, STOPPED or overdue, of
// runs with a started cluster past half of the stuck threshold, of placements with two unfinished
// runs, and of those with an unfinished run that is older than the end of another.
func Troubled(s *engine.Snapshot) []engine.ID { return bound(s, troubled) }

// Bindings lists Troubled and the placements whose bindings the diagnosis of a
// row depends on. A DONE run needs none: its diagnosis uses what the run recorded.
func Bindings(s *engine.Snapshot) []engine.ID {
	return bound(s, func(v *engine.RunView, contested bool) bool {
		return v.Why.Bindings && v.Word != engine.WordDone && !v.Placement.IsZero() || troubled(v, contested)
	})
}

// bound lists the placements of the rows that are wanted, given whether another run of
// the placement may have clusters of an unfinished one.
func bound(s *engine.Snapshot, wanted func(v *engine.RunView, contested bool) bool) []engine.ID {
	type placement struct {
		unfinished       int
		ended            time.Time // the last run that started a stage
		contested, there bool
	}
	// Rows of DONE runs are left out: these need no bindings, and when they started is not known.
	runs := slices.DeleteFunc(slices.Clone(s.Runs), func(v *engine.RunView) bool { return v.RowOnly && v.Word == engine.WordDone })
	index, all, of := make(map[engine.ID]int, len(runs)), make([]placement, 0, len(runs)), make([]int, len(runs))
	for i, v := range runs {
		key := v.Placement.Key()
		at, known := index[key]
		if !known {
			at, all = len(all), append(all, placement{})
			index[key] = at
		}
		of[i] = at
		if p := &all[at]; v.Terminal && !v.Started.IsZero() {
			p.ended = engine.Later(p.ended, v.Ended)
		} else if engine.IsRun(v.ID.Kind()) && !v.Terminal && !v.Partial {
			p.unfinished++
		}
	}
	for i, v := range runs {
		if p := &all[of[i]]; !v.Terminal && (p.unfinished > 1 || p.unfinished == 1 && p.ended.After(v.Created)) {
			p.contested = true // another run may have its clusters
		}
	}
	var out []engine.ID
	for i, v := range runs {
		if p := &all[of[i]]; !p.there && wanted(v, p.contested) {
			p.there = true
			out = append(out, v.Placement.Key())
		}
	}
	return out
}

// troubled reports whether the run makes its placement one of Troubled; contested is set
// when another run may have clusters of an unfinished one of the placement.
func troubled(v *engine.RunView, contested bool) bool {
	if !engine.IsRun(v.ID.Kind()) || v.Placement.IsZero() {
		return false
	}
	switch v.Word {
	case engine.WordStuck, engine.WordPreempted, engine.WordStopping, engine.WordStopped:
		return true
	}
	return v.Slow || v.Late && v.Word == engine.WordRunning || !v.Terminal && contested
}

// Nearby lists the placements whose strategies, snapshots or plans the diagnosis
// of a run needs (engine.RunView.WantsNearby), in the order of the list.
func Nearby(s *engine.Snapshot) (out []engine.ID) {
	seen := map[engine.ID]bool{}
	for _, v := range s.Runs {
		if !v.WantsNearby() || v.Placement.IsZero() {
			continue
		}
		if p := v.Placement.Key(); !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	return out
}
