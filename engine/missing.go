package engine

import "slices"

// Troubled lists the placements whose bindings decide the state or the diagnosis
// of a run, in the order of the list: of runs that are STUCK, PREEMPTED or
// STOPPING, of runs with a started cluster past half of the stuck threshold, and
// of placements with two unfinished runs.
func (s *Snapshot) Troubled() []ID {
	unfinished := map[ID]int{}
	for _, v := range s.Runs {
		if isRun(v.ID.kind) && !v.Terminal && !v.Partial {
			unfinished[v.Placement.Key()]++
		}
	}
	var out []ID
	seen := map[ID]bool{}
	for _, v := range s.Runs {
		if p := v.Placement.Key(); !seen[p] && v.troubled(unfinished[p]) {
			seen[p] = true
			out = append(out, p)
		}
	}
	return out
}

// ReadBeside counts the placements on which rows depend (Troubled and
// NearbyWanted), and those of them of which everything was read or may not be.
func (s *Snapshot) ReadBeside() (read, total int) { return s.besideRead, s.besideAll }

// troubled reports whether the run makes its placement one of Troubled, which has
// the given number of unfinished runs.
func (v *RunView) troubled(unfinished int) bool {
	if !isRun(v.ID.kind) || v.Placement.IsZero() {
		return false
	}
	switch v.Word {
	case WordStuck, WordPreempted, WordStopping:
		return true
	}
	return v.Slow || !v.Terminal && unfinished > 1
}

// missing lists, per run, what its row depends on and was not read.
func (o *observation) missing(s *Snapshot) map[ID][]PlanGap {
	troubled, ready := map[ID]bool{}, map[ID]bool{}
	for _, p := range s.Troubled() {
		troubled[p] = true
		ready[p] = o.w.Covered[CoverBindings(p)].State.settled()
	}
	for _, p := range s.NearbyWanted() {
		ready[p] = (ready[p] || !troubled[p]) && o.w.nearby(p) != nil
	}
	for _, is := range ready {
		s.besideAll++
		if is {
			s.besideRead++
		}
	}
	out := map[ID][]PlanGap{}
	for _, v := range s.Runs {
		gaps := o.nearbyGaps(v)
		if !isRun(v.ID.kind) {
			if len(gaps) > 0 {
				out[v.ID] = gaps
			}
			continue
		}
		if v.Partial && v.Word != WordUnreadable {
			gaps = append(gaps, PlanGap{What: Lit("the run itself"), Why: Lit("only its row of the table was read"), Pending: true})
		}
		if troubled[v.Placement.Key()] {
			gaps = append(gaps, o.gap(CoverBindings(v.Placement), Textf("bindings of placement %s", v.Placement.Title()))...)
			gaps = append(gaps, o.gap(CoverAll(KindMemberCluster), Lit("member clusters"))...)
		}
		if v.Word == WordApproval {
			kind := v.ID.kind.Twin(KindClusterApprovalRequest, KindApprovalRequest)
			if !o.w.covered(kind, v.ID.ns) {
				gaps = append(gaps, o.gap(o.coverKey(kind, v.ID.ns), Lit("approval requests"))...)
			}
		}
		if len(gaps) > 0 {
			out[v.ID] = gaps
		}
	}
	return out
}

// nearbyGaps names what the remedies of a row depend on and was not read.
func (o *observation) nearbyGaps(v *RunView) []PlanGap {
	if !v.WantsNearby() || v.Placement.IsZero() {
		return nil
	}
	n := o.w.nearby(v.Placement)
	if n == nil {
		return []PlanGap{{What: Textf("strategies, placement %s and its snapshots", v.Placement.Title()), Why: Lit("not read in time"), Pending: true}}
	}
	out := slices.Clone(n.Gaps)
	for i := range out {
		if g := &out[i]; g.Forbidden {
			g.Why = Textf("forbidden: %s", g.Why)
		}
	}
	if v.WantsPlan() && n.Plans[v.PlanSpec()] == nil {
		out = append(out, PlanGap{What: Lit("the plan of the run"), Why: Lit("not read in time"), Pending: true})
	}
	return out
}

// coverKey is the key of the set that has the objects of a kind in a namespace.
func (o *observation) coverKey(k Kind, ns string) CoverKey {
	if _, ok := o.w.Covered[CoverKey{Kind: k, Namespace: ns}]; ok {
		return CoverKey{Kind: k, Namespace: ns}
	}
	return CoverAll(k)
}

// gap names a set that was not read; nothing when it was. A kind that the hub
// does not serve has no objects.
func (o *observation) gap(key CoverKey, what Text) []PlanGap {
	c := o.w.Covered[key]
	switch c.State {
	case CoverComplete, CoverNotServed:
		return nil
	case CoverForbidden:
		return []PlanGap{{What: what, Why: Textf("forbidden: %s", c.Why), Forbidden: true}}
	case CoverFailed:
		return []PlanGap{{What: what, Why: c.Why}}
	}
	return []PlanGap{{What: what, Why: Lit("not read in time"), Pending: true}}
}

// Awaits reports whether something that the row of a run depends on has not
// been read yet.
func (s *Snapshot) Awaits(run ID) bool {
	return slices.ContainsFunc(s.Missing[run], func(g PlanGap) bool { return g.Pending })
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
