package engine

import (
	"slices"
	"time"
)

// Troubled lists the placements whose bindings decide the state of a run or what the list says of
// it, in the order of the list: of runs that are STUCK, PREEMPTED, STOPPING, STOPPED or overdue, of
// runs with a started cluster past half of the stuck threshold, of placements with two unfinished
// runs, and of those with an unfinished run that is older than the end of another.
func (s *Snapshot) Troubled() []ID { return s.bound((*RunView).troubled) }

// BindingsWanted lists Troubled and the placements whose bindings the diagnosis of a
// row depends on. A finished run names what its clusters had, if they are not read.
func (s *Snapshot) BindingsWanted() []ID {
	return s.bound(func(v *RunView, contested bool) bool {
		return v.Why.Bindings && v.Word != WordDone && !v.Placement.IsZero() || v.troubled(contested)
	})
}

// Unread reports whether the diagnosis of a row depends on bindings that have not been read.
func (v *RunView) Unread() bool {
	return v.Why.Bindings && !v.Read && v.Word != WordDone && !v.Placement.IsZero()
}

// bound lists the placements of the rows that are wanted, given whether another run of
// the placement may have clusters of an unfinished one.
func (s *Snapshot) bound(wanted func(v *RunView, contested bool) bool) []ID {
	type placement struct {
		unfinished       int
		ended            time.Time // the last run that started a stage
		contested, there bool
	}
	index, all, of := make(map[ID]int, len(s.Runs)), make([]placement, 0, len(s.Runs)), make([]int, len(s.Runs))
	for i, v := range s.Runs {
		key := v.Placement.Key()
		at, known := index[key]
		if !known {
			at, all = len(all), append(all, placement{})
			index[key] = at
		}
		of[i] = at
		if p := &all[at]; v.Terminal && !v.Started.IsZero() {
			p.ended = Later(p.ended, v.Ended)
		} else if IsRun(v.ID.kind) && !v.Terminal && !v.Partial {
			p.unfinished++
		}
	}
	for i, v := range s.Runs {
		if p := &all[of[i]]; !v.Terminal && (p.unfinished > 1 || p.unfinished == 1 && p.ended.After(v.Created)) {
			p.contested = true // another run may have its clusters
		}
	}
	var out []ID
	for i, v := range s.Runs {
		if p := &all[of[i]]; !p.there && wanted(v, p.contested) {
			p.there = true
			out = append(out, v.Placement.Key())
		}
	}
	return out
}

// troubled reports whether the run makes its placement one of Troubled; contested is set
// when another run may have clusters of an unfinished one of the placement.
func (v *RunView) troubled(contested bool) bool {
	if !IsRun(v.ID.kind) || v.Placement.IsZero() {
		return false
	}
	switch v.Word {
	case WordStuck, WordPreempted, WordStopping, WordStopped:
		return true
	}
	return v.Slow || v.Late && v.Word == WordRunning || !v.Terminal && contested
}

// NearbyWanted lists the placements beside which the diagnosis of any run of the
// list wants more, in the order of the list.
func (s *Snapshot) NearbyWanted() (out []ID) {
	seen := map[ID]bool{}
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

// Awaits reports whether something that the row of a run depends on has not been read yet.
func (s *Snapshot) Awaits(run ID) bool {
	return slices.ContainsFunc(s.Missing[run], func(g Gap) bool { return g.Pending })
}

// Pending reports whether any run Awaits something.
func (s *Snapshot) Pending() bool {
	for run := range s.Missing {
		if s.Awaits(run) {
			return true
		}
	}
	return false
}

// Whole reports whether every set of runs that was asked for was read. A kind that
// the hub does not serve has no runs.
func (s *Scope) Whole() bool {
	return !slices.ContainsFunc(s.Runs, func(set RunSet) bool {
		return set.State != CoverComplete && set.State != CoverNotServed
	})
}
