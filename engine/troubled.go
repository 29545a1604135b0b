package engine

import "slices"

// Unread reports whether the diagnosis of a row depends on bindings that have not been read.
func (v *RunView) Unread() bool {
	return v.Why.Bindings && !v.Read && v.Word != WordDone && !v.Placement.IsZero()
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
