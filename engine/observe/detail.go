package observe

import (
	"slices"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/message"
	"github.com/stagewatch/stagewatch/engine/world"
)

// failingLimit is how many failed manifests of a cluster are listed; the API
// itself keeps 100.
const failingLimit = 20

// detail makes the opened run's clusters, nil when none is opened or it is not
// known whole. It keeps the last one's pointer when nothing moved.
func (o *observation) detail(s *engine.Snapshot) *engine.Detail {
	id := o.w.Focus.Run
	run := o.w.Runs[id]
	if id.IsZero() || run == nil || o.w.Packed[id].IsRowOnly() {
		return nil
	}
	view := s.Find(id)
	cover := o.w.Covered[world.CoverBindings(engine.PlacementKey(id, run.Spec.PlacementName))]
	if p := o.prev; p != nil && p.Detail != nil && p.Detail.Run == view && p.Detail.Bindings == cover &&
		!o.changed.All && !o.changed.Runs[id] && o.opened == nil {
		return p.Detail
	}
	r := o.opened
	if r == nil {
		r = o.read(id, run, o.prev.Find(id))
		r.read()
	}
	theCase := r.theCase(view)
	d := &engine.Detail{Run: view, Bindings: cover, Reading: view.WantsNearbyOpened() && (theCase.Nearby == nil || view.WantsPlan() && theCase.Plan() == nil), Clusters: make([][]engine.ClusterView, len(r.stages))}
	if theCase.Nearby != nil {
		d.Gaps = slices.Concat(theCase.Nearby.Gaps, view.Why.Gaps)
		for _, of := range view.Why.HubReads {
			switch read := theCase.Nearby.Answers[of]; {
			case read == nil:
				d.Reading = true
			case read.Gap != nil:
				d.Gaps = append(d.Gaps, *read.Gap)
			}
		}
	}
	if view.Outdated {
		d.Gaps = append(d.Gaps, outdatedGap(view))
	}
	for i := range r.stages {
		cs := r.stages[i].clusters
		d.Clusters[i] = make([]engine.ClusterView, len(cs))
		for j := range cs {
			d.Clusters[i][j] = r.clusterView(theCase, i, &cs[j])
		}
	}
	return d
}

func (r *reader) clusterView(theCase *world.Case, stage int, c *clusterRead) engine.ClusterView {
	v := engine.ClusterView{Name: engine.Clean(c.name), Member: r.id.Beside(engine.KindMemberCluster, "", c.name, ""), State: c.state, StuckAt: c.stuckAt}
	if c.start.Truth == engine.TruthYes {
		v.Started = c.start.Since
	}
	if c.done.Truth == engine.TruthYes || c.done.Truth == engine.TruthNo {
		v.Ended = c.done.Since
	}
	if v.State == engine.ClusterDone && !v.Started.IsZero() {
		v.StuckAt = v.Started.Add(r.stuckAfter()) // how near it came to the mark
	}
	if c.preemptedBy != "" {
		v.PreemptedBy = r.runs(c.preemptedBy)
	}
	v.PreemptedAt = c.preemptedAt
	if b := c.binding; b != nil {
		v.Bound, v.InSync = true, c.synced
		v.Index = engine.Clean(message.SnapshotIndex(b.SnapshotName))
		v.BindingConditions.ReportDiff = b.ReportDiff
		if v.Foreign = r.foreign(c); v.Foreign.IsZero() {
			v.BindingConditions = bindingConditions(b)
			v.Drifted, v.Differing = b.Drifted, b.Differing
		}
		for i := range b.Failed {
			if !v.Foreign.IsZero() {
				break
			}
			if i == failingLimit {
				v.FailingMore = len(b.Failed) - i
				break
			}
			m := &b.Failed[i]
			v.Failing = append(v.Failing, engine.ManifestView{
				What: engine.ManifestName(m), Cond: engine.Clean(m.Condition.Type), Reason: engine.Clean(m.Condition.Reason),
				Why: engine.Message(m.Condition.Message), Since: m.Condition.LastTransitionTime.Time,
			})
		}
	}
	if t := r.w.Triage; t != nil {
		cc := r.caseCluster(stage, c)
		v.Why, v.Diagnosis = t.Cluster(theCase, &cc)
	}
	return v
}

// bindingConditions reads the conditions of a binding.
func bindingConditions(b *world.Binding) engine.BindingConditions {
	condition := func(typ string) engine.BindingCondition {
		return engine.BindingConditionOf(b.Conditions, typ, b.Generation)
	}
	l := engine.BindingConditions{
		RolloutStarted:   condition(placement.BindingRolloutStarted),
		Overridden:       condition(placement.BindingOverridden),
		WorkSynchronized: condition(placement.BindingWorkSynchronized),
		Applied:          condition(placement.BindingApplied),
		Available:        condition(placement.BindingAvailable),
		DiffReported:     condition(placement.BindingDiffReported),
		ReportDiff:       b.ReportDiff,
	}
	return l
}
