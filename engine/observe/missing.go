package observe

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/evidence"
	"github.com/stagewatch/stagewatch/engine/world"
)

// missing lists, per run, what its row depends on and was not read.
func (o *observation) missing(s *engine.Snapshot) map[engine.ID][]engine.Gap {
	bound, ready := emptied(&o.room.wanted), emptied(&o.room.ready)
	for _, p := range evidence.Bindings(s) {
		bound[p] = true
		ready[p] = o.w.Covered[world.CoverBindings(p)].State.Settled()
	}
	for _, p := range evidence.Nearby(s) {
		ready[p] = (ready[p] || !bound[p]) && o.w.NearbyOf(p) != nil
	}
	for _, is := range ready {
		s.Beside++
		if is {
			s.BesideRead++
		}
	}
	members := o.gap(world.CoverAll(engine.KindMemberCluster), func() engine.Text { return engine.Lit("member clusters") })
	out := map[engine.ID][]engine.Gap{}
	for _, v := range s.Runs {
		gaps := o.nearbyGaps(v)
		if v.Partial && !v.RowOnly && v.Word != engine.WordUnreadable && engine.IsRun(v.ID.Kind()) {
			gaps = append(gaps, engine.Gap{What: engine.Lit("the run itself"), Why: engine.Lit("only its row of the table was read"), Pending: true})
		}
		if bound[v.Placement.Key()] {
			unread := o.gap(world.CoverBindings(v.Placement), func() engine.Text { return bindingsOf(v) })
			if v.Kept != nil && v.Kept.Bound && len(unread) > 0 && unread[0].Pending {
				unread[0].Why = engine.Textf("last read at %s", engine.Clock(v.Kept.At, o.now))
			}
			gaps = append(gaps, unread...)
			gaps = append(gaps, members...)
		}
		if v.Outdated {
			gaps = append(gaps, outdatedGap(v))
		}
		if (v.NeedsAttention() || v.InTrouble()) && !v.Why.Unread.IsZero() {
			why := v.Why.Read.Why
			if why.IsZero() {
				why = engine.Lit("not read from the member; explain RUN reads them")
			}
			gaps = append(gaps, engine.Gap{What: v.Why.Unread, Why: why})
		}
		if v.Word == engine.WordApproval {
			kind := v.ID.Kind().InScope(engine.KindClusterApprovalRequest, engine.KindApprovalRequest)
			if !o.w.Known(kind, v.ID.RawNamespace()) {
				gaps = append(gaps, o.gap(o.coverKey(kind, v.ID.RawNamespace()), func() engine.Text { return engine.Lit("approval requests") })...)
			}
		}
		if len(gaps) > 0 {
			out[v.ID] = gaps
		}
	}
	return out
}

// outdatedGap says that the bindings of a run that is Outdated are older than it.
func outdatedGap(v *engine.RunView) engine.Gap {
	return engine.Gap{What: bindingsOf(v), Why: engine.Lit("read before the latest change of the run: whether it is preempted is not known"), Pending: true}
}

// bindingsOf names the bindings of the placement of a run.
func bindingsOf(v *engine.RunView) engine.Text {
	return engine.Textf("bindings of placement %s", v.Placement.Title())
}

// nearbyGaps names what the remedies of a row depend on and was not read.
func (o *observation) nearbyGaps(v *engine.RunView) []engine.Gap {
	if !v.WantsNearby() || v.Placement.IsZero() {
		return nil
	}
	n := o.w.NearbyOf(v.Placement)
	if n == nil {
		return []engine.Gap{{What: engine.Textf("strategies, placement %s and its snapshots", v.Placement.Title()), Why: engine.Lit("not read in time"), Pending: true}}
	}
	out := slices.Clone(n.Gaps)
	for i := range out {
		if g := &out[i]; g.Forbidden {
			g.Why = engine.Textf("forbidden: %s", g.Why)
		}
	}
	out = append(out, v.Why.Gaps...)
	for _, of := range v.Why.HubReads {
		switch read := n.Answers[of]; {
		case read == nil:
			out = append(out, engine.Gap{What: of.Title(), Why: engine.Lit("not read in time"), Pending: true})
		case read.Gap != nil:
			out = append(out, *read.Gap)
		}
	}
	if v.WantsPlan() && n.Plans[v.PlanSpec()] == nil {
		out = append(out, engine.Gap{What: engine.Lit("the plan of the run"), Why: engine.Lit("not read in time"), Pending: true})
	}
	return out
}

// coverKey is the key of the set that has the objects of a kind in a namespace.
func (o *observation) coverKey(k engine.Kind, ns string) world.CoverKey {
	if _, ok := o.w.Covered[world.CoverKey{Kind: k, Namespace: ns}]; ok {
		return world.CoverKey{Kind: k, Namespace: ns}
	}
	return world.CoverAll(k)
}

// gap names a set that was not read; nothing when it was. A kind that the hub
// does not serve has no objects.
func (o *observation) gap(key world.CoverKey, what func() engine.Text) []engine.Gap {
	c := o.w.Covered[key]
	switch c.State {
	case engine.CoverComplete, engine.CoverNotServed:
		return nil
	case engine.CoverForbidden:
		return []engine.Gap{{What: what(), Why: engine.Textf("forbidden: %s", c.Why), Forbidden: true}}
	case engine.CoverFailed:
		return []engine.Gap{{What: what(), Why: c.Why}}
	case engine.CoverTruncated:
		return []engine.Gap{{What: what(), Why: c.Truncated()}}
	}
	return []engine.Gap{{What: what(), Why: engine.Lit("not read in time"), Pending: true}}
}
