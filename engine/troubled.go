package engine

import (
	"slices"
	"time"
)

// Troubled lists the placements whose bindings decide the state of a run or what the
// list says of it, in the order of the list: of runs that are STUCK, PREEMPTED,
// STOPPING, STOPPED or overdue, of runs with a started cluster past half of the stuck threshold,
// of placements with two unfinished runs, and of those with an unfinished run that is
// older than the end of another.
func (s *Snapshot) Troubled() []ID { return s.bound((*RunView).troubled) }

// BindingsWanted lists Troubled and the placements whose bindings the diagnosis of a
// row depends on. A finished run names what its clusters had, if they are not read.
func (s *Snapshot) BindingsWanted() []ID {
	return s.bound(func(v *RunView, contested bool) bool {
		return v.Why.Bindings && v.Word != WordDone && !v.Placement.IsZero() || v.troubled(contested)
	})
}

// bound lists the placements of the rows that are wanted, given whether another run of
// the placement may have clusters of an unfinished one.
func (s *Snapshot) bound(wanted func(v *RunView, contested bool) bool) []ID {
	unfinished, contested, ended := map[ID]int{}, map[ID]bool{}, map[ID]time.Time{} // ended: the last run that started a stage
	for _, v := range s.Runs {
		if v.Terminal && !v.Started.IsZero() {
			ended[v.Placement.Key()] = Later(ended[v.Placement.Key()], v.Ended)
		}
		if IsRun(v.ID.kind) && !v.Terminal && !v.Partial {
			unfinished[v.Placement.Key()]++
		}
	}
	for _, v := range s.Runs {
		if p := v.Placement.Key(); !v.Terminal && (unfinished[p] > 1 || unfinished[p] == 1 && ended[p].After(v.Created)) {
			contested[p] = true // another run may have its clusters
		}
	}
	return s.placements(func(v *RunView) bool { return wanted(v, contested[v.Placement.Key()]) })
}

// placements lists the placements of the rows that are wanted, in the order of the list.
func (s *Snapshot) placements(wanted func(v *RunView) bool) []ID {
	var out []ID
	seen := map[ID]bool{}
	for _, v := range s.Runs {
		if p := v.Placement.Key(); !seen[p] && wanted(v) {
			seen[p] = true
			out = append(out, p)
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
func (s *Snapshot) NearbyWanted() []ID {
	return s.placements(func(v *RunView) bool { return v.WantsNearby() && !v.Placement.IsZero() })
}

// Awaits reports whether something that the row of a run depends on has not
// been read yet.
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
