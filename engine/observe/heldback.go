package observe

import (
	"slices"

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
	since := engine.Later(r.init.Since, r.prog.Since)
	for i := range r.stages {
		s := &r.stages[i]
		if since = engine.Later(since, s.succ.Since); s.finished() {
			continue
		}
		if s.deletion || r.openSide(s) != sideNone || slices.ContainsFunc(s.status.BeforeStageTaskStatus, unapproved) {
			return
		}
		since = engine.Later(since, s.lastDone())
		limit, _ := s.concurrency()
		for j := range s.clusters {
			c := &s.clusters[j]
			if c.done.Truth == engine.TruthYes {
				continue
			}
			if limit--; limit < 0 {
				return
			}
			if c.state == engine.ClusterComing && r.failsInSync(c) {
				c.state, c.startBlocked = engine.ClusterUpdating, since
				r.age(c, since)
			}
		}
		return
	}
}

// unapproved reports whether a task before a stage is an approval that is not granted.
func unapproved(t placement.TaskStatus) bool {
	return t.Type == placement.TaskApproval && engine.ReadCondition(t.Conditions, placement.TaskApprovalRequestApproved).Truth != engine.TruthYes
}

// failsInSync reports whether the binding of a cluster has the snapshot and the overrides
// of the run and a condition that counts as failed.
func (r *reader) failsInSync(c *clusterRead) bool {
	b := c.binding
	if b == nil || r.snapshotName() == "" || !r.kept(c) {
		return false
	}
	for _, typ := range []string{placement.BindingAvailable, placement.BindingDiffReported} {
		if f := engine.ReadCondition(b.Conditions, typ); f.Truth == engine.TruthYes && f.At(b.Generation) {
			return false
		}
	}
	for _, typ := range []string{placement.BindingOverridden, placement.BindingWorkSynchronized, placement.BindingApplied, placement.BindingAvailable, placement.BindingDiffReported} {
		if f := engine.ReadCondition(b.Conditions, typ); f.Truth == engine.TruthNo && f.At(b.Generation) {
			return true
		}
	}
	return false
}
