package observe

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/message"
	"github.com/stagewatch/stagewatch/engine/recheck"
	"github.com/stagewatch/stagewatch/engine/world"
)

// theCase returns the Case of the run, one for its row and its detail: both share the
// plans that a diagnosis makes.
func (r *reader) theCase(v *engine.RunView) *world.Case {
	if r.kase == nil {
		r.kase = r.newCase(v)
	}
	r.kase.View = v
	return r.kase
}

func (r *reader) newCase(v *engine.RunView) *world.Case {
	c := &world.Case{
		Now: r.now, Hub: r.w.Hub, StuckAfter: r.stuckAfter(), View: v,
		Run: r.run, Initialized: r.init, Progressing: r.prog, Succeeded: r.succ, Begun: r.begun(),
		Placement:     r.place,
		NoPlacement:   r.place == nil && r.w.Known(r.placementID().Kind(), r.id.RawNamespace()),
		Bindings:      r.w.Covered[world.CoverBindings(r.placementID())],
		CompetingRuns: r.competing,
		Nearby:        r.w.NearbyOf(r.placementID()),
		World:         r.w, Reading: r,
	}
	if winner := r.w.Runs[v.PreemptedBy]; winner != nil {
		w := reader{w: r.w, now: r.now, id: v.PreemptedBy, run: winner, room: r.room}
		w.read()
		c.WinnerEnded = w.terminal
		w.done()
	} else if !v.PreemptedBy.IsZero() {
		c.WinnerGone = r.w.Known(r.id.Kind(), r.id.RawNamespace())
	}
	for i := range r.stages {
		for j := range r.stages[i].clusters {
			cl := &r.stages[i].clusters[j]
			switch {
			case cl.state == engine.ClusterDeleted && cl.binding != nil && !r.terminal: // the controller fails the run
				c.Clusters = append(c.Clusters, r.caseCluster(i, cl))
			case cl.state == engine.ClusterComing, cl.state == engine.ClusterDone, cl.state == engine.ClusterDeleted:
			default:
				c.Clusters = append(c.Clusters, r.caseCluster(i, cl))
			}
		}
	}
	return c
}

func (r *reader) caseCluster(stage int, c *clusterRead) world.CaseCluster {
	out := world.CaseCluster{
		Stage: stage, Name: c.name, State: c.state, StuckAt: c.stuckAt,
		Overrides: c.overrides,
		Outcome:   c.done, Binding: c.binding, Landed: c.landed, PreemptedBy: c.preemptedBy, PreemptedAt: c.preemptedAt,
	}
	if out.Restored = r.restored(c); out.Restored {
		out.RestoredBy = r.otherOwner(c.binding)
	}
	if c.start.Truth == engine.TruthYes {
		out.Started = c.start.Since
	} else {
		out.StartBlocked = c.startBlocked
	}
	if !c.landedAt.IsZero() {
		began := out.Since()
		if r.stages[stage].status.StartTime != nil {
			began = engine.Earlier(began, r.cleanSince(stage))
		}
		landed := c.landedAt
		if again := r.stages[stage].prog; again.Truth == engine.TruthYes && again.Since.After(began) { // resumed since
			began = again.Since
			if landed.Before(began) {
				landed = began
			}
		}
		out.CheckBy = landed.Add(recheck.Within(landed.Sub(began)))
	}
	return out
}

// bare finishes a row that has no whole run behind it; old is that of the last Snapshot, nil for none.
func (o *observation) bare(v, old *engine.RunView, broken string) *engine.RunView {
	if t := o.w.Triage; t != nil {
		v.Why = t.Run(&world.Case{
			Now: o.now, Hub: o.w.Hub, StuckAfter: o.w.Settings.StuckAfter, View: v, Broken: broken,
			Placement: o.w.Placements[v.Placement], Nearby: o.w.NearbyOf(v.Placement), World: o.w,
			InitFailed: o.byAge(o.room.family.of(v.Placement.Key()).initFailed),
		})
	}
	return keep(v, old)
}

// competing finds the other unfinished runs of the placement and the clusters that
// each would take from this one, or lose to it. A run of the same snapshot
// takes only clusters for which something else differs (engine.SameRollout).
func (o *observation) competing(id, key engine.ID) []world.CompetingRun {
	all := o.room.family.of(key).unfinished
	if !slices.Contains(all, id) || len(all) < 2 {
		return nil
	}
	run := o.w.WholeIn(id, &o.room.own)
	open := openClusters(run)
	var out []world.CompetingRun
	for _, other := range all {
		if other == id {
			continue
		}
		r := o.w.WholeIn(other, &o.room.other)
		rd := reader{w: o.w, now: o.now, id: other, run: r, room: o.room}
		rd.read()
		begun := rd.begun()
		rd.done()
		if r.Spec.State == placement.StateInitialize && !begun {
			continue // it touches nothing before it is started
		}
		other := world.CompetingRun{
			Same: engine.SameRollout(&run.Status, nil, &r.Status, nil), ID: other, Index: engine.Clean(r.Status.ResourceSnapshotIndexUsed),
			Stopped: rd.stopWanted(), Stopping: rd.stopWanted() && !rd.stopped(), Initialize: r.Spec.State == placement.StateInitialize,
			Stuck: engine.ReadCondition(r.Status.Conditions, placement.RunProgressing).Reason == placement.ReasonRunStuck,
		}
		theirs := map[string]*placement.ClusterStatus{}
		for _, c := range openClusters(r) {
			theirs[c.ClusterName] = c
		}
		for _, c := range open {
			if own := theirs[c.ClusterName]; own != nil && !engine.SameRollout(&run.Status, c, &r.Status, own) {
				other.Clusters = append(other.Clusters, c.ClusterName)
			}
		}
		if len(other.Clusters) > 0 {
			out = append(out, other)
		}
	}
	return out
}

// openClusters lists the clusters that a run has not done, in its order.
func openClusters(run *placement.StagedUpdateRun) []*placement.ClusterStatus {
	var out []*placement.ClusterStatus
	for i := range run.Status.StagesStatus {
		s := &run.Status.StagesStatus[i]
		for j := range s.Clusters {
			if engine.ReadCondition(s.Clusters[j].Conditions, placement.ClusterSucceeded).Truth != engine.TruthYes {
				out = append(out, &s.Clusters[j])
			}
		}
	}
	return out
}

// RunNamed returns the youngest run of a name in the scope of the run, nil for none.
func (r *reader) RunNamed(name string) *placement.StagedUpdateRun { return r.w.Whole(r.runs(name)) }

// Younger returns the youngest run of the placement that has not failed and is
// not being deleted, if it was created after the run; nil for none.
func (r *reader) Younger() *placement.StagedUpdateRun {
	other := r.w.Runs[r.youngest]
	if other == nil || !r.run.CreationTimestamp.Before(&other.CreationTimestamp) {
		return nil // a large run is not unpacked to find that out
	}
	if r.w.Packed[r.youngest].IsRowOnly() {
		return other // the others of its placement are about to be read
	}
	return r.w.Whole(r.youngest)
}

// Holdings returns what the bindings of finished clusters hold now: first this
// run's snapshot, then others in the run's order; of an unfinished run, those without a
// binding are left out. False when the bindings or the run's snapshot are not known.
func (r *reader) Holdings() ([]world.Holding, bool) {
	want := r.snapshotName()
	if r.bindings == nil || want == "" {
		return nil, false
	}
	out := []world.Holding{{Index: message.SnapshotIndex(want)}}
	for i := range r.stages {
		if r.stages[i].deletion {
			continue
		}
		for j := range r.stages[i].clusters {
			cl := &r.stages[i].clusters[j]
			if cl.state != engine.ClusterDone || !r.terminal && (cl.binding == nil || !used(cl.binding)) {
				continue
			}
			h := world.Holding{Gone: cl.binding == nil}
			if !h.Gone {
				h.Index = r.texts.index(cl.binding.SnapshotName)
			}
			if !h.Gone && !cl.synced {
				h.Run = r.otherOwner(cl.binding)
				h.Same, h.Early = cl.binding.SnapshotName == want, r.replacedEarly(cl)
			}
			at := slices.IndexFunc(out, func(o world.Holding) bool {
				return o.Gone == h.Gone && o.Index == h.Index && o.Run == h.Run && o.Same == h.Same && o.Early == h.Early
			})
			if at < 0 {
				at, out = len(out), append(out, h)
			}
			out[at].Clusters = append(out[at].Clusters, cl.name)
			switch b := cl.binding; {
			case b == nil:
			case b.ReportDiff && !reported(b):
				out[at].Unreported = append(out[at].Unreported, cl.name)
			case b.ReportDiff && b.Differing > 0:
				out[at].Different = append(out[at].Different, cl.name)
			case !b.ReportDiff && failing(b):
				out[at].Unavailable = append(out[at].Unavailable, r.caseCluster(i, cl))
			}
		}
	}
	return out, true
}

// reported reports whether the differences of a binding are reported for its present state.
func reported(b *world.Binding) bool {
	f := engine.ReadCondition(b.Conditions, placement.BindingDiffReported)
	return f.Truth == engine.TruthYes && f.At(b.Generation)
}

// failing reports whether a condition of a binding is False: the member does not have what
// the binding says. Those below it are not written then.
func failing(b *world.Binding) bool {
	return slices.ContainsFunc(b.Conditions, func(c metav1.Condition) bool {
		return c.Status == metav1.ConditionFalse && c.ObservedGeneration == b.Generation
	})
}

// Status returns the raw status behind RunView.Stages[stage].
func (r *reader) Status(stage int) *placement.StageStatus { return r.stages[stage].status }
