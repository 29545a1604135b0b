package engine

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// failingLimit is how many failed manifests of a cluster are listed; the API
// itself keeps 100.
const failingLimit = 20

// detail makes the opened run's clusters, nil when none is opened or it is not
// known whole. It keeps the last one's pointer when nothing moved.
func (o *observation) detail(s *Snapshot) *Detail {
	id := o.w.Focus.Run
	run := o.w.Runs[id]
	if id.IsZero() || run == nil {
		return nil
	}
	view := s.Find(id)
	cover := o.w.Covered[CoverBindings(placementKey(id, run.Spec.PlacementName))]
	if p := o.prev; p != nil && p.Detail != nil && p.Detail.Run == view && p.Detail.Bindings == cover &&
		!o.changed.All && !o.changed.Runs[id] && o.opened == nil {
		return p.Detail
	}
	r := o.opened
	if r == nil {
		r = o.read(id, run)
		r.read()
	}
	d := &Detail{Run: view, Bindings: cover, Clusters: make([][]ClusterView, len(r.stages))}
	for i := range r.stages {
		cs := r.stages[i].clusters
		d.Clusters[i] = make([]ClusterView, len(cs))
		for j := range cs {
			d.Clusters[i][j] = r.clusterView(&cs[j])
		}
	}
	return d
}

func (r *reader) clusterView(c *clusterRead) ClusterView {
	v := ClusterView{Name: Clean(c.name), State: c.state, StuckAt: c.stuckAt}
	if c.start.truth == yes {
		v.Started = c.start.since
	}
	if c.done.truth == yes || c.done.truth == no {
		v.Ended = c.done.since
	}
	if c.takenBy != "" && c.state == ClusterTaken {
		v.TakenBy = r.runs(c.takenBy)
	}
	if b := c.binding; b != nil {
		v.Bound = true
		v.Ladder = ladder(b)
		v.Index = Clean(snapshotIndex(b.SnapshotName))
		v.Drifted, v.Differing = b.Drifted, b.Differing
		for i := range b.Failed {
			if i == failingLimit {
				v.FailingMore = len(b.Failed) - i
				break
			}
			m := &b.Failed[i]
			v.Failing = append(v.Failing, ManifestView{
				What: manifestName(m), Cond: Clean(m.Condition.Type), Reason: Clean(m.Condition.Reason),
				Why: Clean(m.Condition.Message), Since: m.Condition.LastTransitionTime.Time,
			})
		}
	}
	v.Why = r.clusterWhy(c)
	return v
}

// clusterWhy tells in a clause why a cluster is not as it should be; empty for
// a healthy one.
func (r *reader) clusterWhy(c *clusterRead) Text {
	switch c.state {
	case ClusterTaken:
		by := Lit("something else")
		if c.takenBy != "" {
			by = Textf("run %s", c.takenBy)
		}
		if c.binding != nil {
			if i := snapshotIndex(c.binding.SnapshotName); i != "" {
				return Textf("taken by %s with snapshot %s", by, i)
			}
		}
		return Textf("taken by %s", by)
	case ClusterFailed:
		return Clean(core(c.done.message))
	case ClusterUpdating, ClusterSlow, ClusterStuck:
		if c.landed {
			return Lit("finished; the hub has not looked yet")
		}
		if c.state == ClusterUpdating && !troubled(c) {
			return Text{}
		}
		return r.troubleOf(c).what
	case ClusterRemoving:
		if b := c.binding; b != nil && !b.Deleting.IsZero() {
			return Textf("its binding is being deleted since %s", r.clock(b.Deleting))
		}
	default: // healthy, or not begun
	}
	return Text{}
}

// ladder reads the rungs of a binding.
func ladder(b *Binding) Ladder {
	rung := func(typ string) Rung { return rungOf(b.Conditions, typ, b.Generation) }
	l := Ladder{
		RolloutStarted:   rung(placement.BindingRolloutStarted),
		Overridden:       rung(placement.BindingOverridden),
		WorkSynchronized: rung(placement.BindingWorkSynchronized),
		Applied:          rung(placement.BindingApplied),
		Available:        rung(placement.BindingAvailable),
		DiffReported:     rung(placement.BindingDiffReported),
		ReportDiff:       b.ReportDiff,
	}
	return l
}

func rungOf(conds []metav1.Condition, typ string, generation int64) Rung {
	f := find(conds, typ)
	out := Rung{Since: f.since, Reason: Clean(f.reason), Why: Clean(f.message)}
	switch {
	case f.truth == absent:
		out.State = RungNone
	case !f.at(generation):
		out.State = RungOld
	case f.truth == yes:
		out.State = RungTrue
	case f.truth == no:
		out.State = RungFalse
	default:
		out.State = RungUnknown
	}
	return out
}
