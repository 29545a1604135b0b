package observe

import (
	"slices"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// readStartBlocked finds the clusters that the controller does not start although it is their
// turn: their bindings have what the run rolls out, and fail. The controller checks such
// a cluster before it records the start, and retries for as long as the binding fails
// (updaterun, executeUpdatingStage). It reports no such run as stuck, so the stuck
// threshold is applied here.
func (r *reader) readStartBlocked() {
	if r.terminal || r.bindings == nil || r.init.Truth != engine.TruthYes || r.run.Spec.State != placement.StateRun || r.run.DeletionTimestamp != nil {
		return
	}
	since := r.init.Since
	if seen, ok := r.w.FirstSeen[r.id]; ok && seen.Changed && seen.Generation == r.run.Generation {
		since = engine.Later(since, seen.At) // started or resumed
	}
	if !r.begun() { // no pass rewrites Progressing before the first cluster is started
		since = engine.Later(since, r.prog.Since)
	}
	for i := range r.stages {
		s := &r.stages[i]
		if since = engine.Later(since, s.succ.Since); s.finished() {
			continue
		}
		if s.deletion || r.openSide(s) != sideNone || slices.ContainsFunc(s.status.BeforeStageTaskStatus, unapproved) {
			return
		}
		since = engine.Later(since, s.lastDone())
		for _, task := range s.status.BeforeStageTaskStatus {
			since = engine.Later(since, engine.ReadCondition(task.Conditions, placement.TaskApprovalRequestApproved).Since)
		}
		limit, _ := s.concurrency()
		for j := range s.clusters {
			c := &s.clusters[j]
			if c.done.Truth == engine.TruthYes {
				continue
			}
			if limit--; limit < 0 {
				return
			}
			if c.state != engine.ClusterComing {
				continue
			}
			if failing, ok := r.failsInSync(c); ok {
				c.state, c.startBlocked = engine.ClusterUpdating, engine.Later(since, failing)
				r.age(c, c.startBlocked)
			}
		}
		return
	}
}

// unapproved reports whether a task before a stage is an approval that is not granted.
func unapproved(t placement.TaskStatus) bool {
	return t.Type == placement.TaskApproval && engine.ReadCondition(t.Conditions, placement.TaskApprovalRequestApproved).Truth != engine.TruthYes
}

// failsInSync reports whether the binding of a cluster has what the run rolls out and a
// condition that counts as failed, and since when.
func (r *reader) failsInSync(c *clusterRead) (since time.Time, fails bool) {
	b := c.binding
	if b == nil || r.snapshotName() == "" || !r.kept(c) {
		return since, false
	}
	for _, typ := range []string{placement.BindingAvailable, placement.BindingDiffReported} {
		if f := engine.ReadCondition(b.Conditions, typ); f.Truth == engine.TruthYes && f.At(b.Generation) {
			return since, false
		}
	}
	for _, typ := range []string{placement.BindingOverridden, placement.BindingWorkSynchronized, placement.BindingApplied, placement.BindingAvailable, placement.BindingDiffReported} {
		if f := engine.ReadCondition(b.Conditions, typ); f.Truth == engine.TruthNo && f.At(b.Generation) {
			since, fails = engine.Earlier(since, f.Since), true
		}
	}
	return since, fails
}
