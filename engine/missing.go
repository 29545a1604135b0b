package engine

import "slices"

// missing lists, per run, what its row depends on and was not read.
func (o *observation) missing(s *Snapshot) map[ID][]PlanGap {
	troubled, ready := map[ID]bool{}, map[ID]bool{}
	for _, p := range s.Troubled() {
		troubled[p] = true
		ready[p] = o.w.Covered[CoverBindings(p)].State.settled()
	}
	for _, p := range s.NearbyWanted() {
		ready[p] = (ready[p] || !troubled[p]) && o.w.NearbyOf(p) != nil
	}
	for _, is := range ready {
		s.Beside++
		if is {
			s.BesideRead++
		}
	}
	out := map[ID][]PlanGap{}
	for _, v := range s.Runs {
		gaps := o.nearbyGaps(v)
		if !isRun(v.ID.Kind()) {
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
			kind := v.ID.Kind().Twin(KindClusterApprovalRequest, KindApprovalRequest)
			if !o.w.Known(kind, v.ID.RawNamespace()) {
				gaps = append(gaps, o.gap(o.coverKey(kind, v.ID.RawNamespace()), Lit("approval requests"))...)
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
	n := o.w.NearbyOf(v.Placement)
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
