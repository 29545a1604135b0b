package observe

import (
	"strconv"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// used reports whether a binding is one that a run counts: the placement picks its
// cluster.
func used(b *world.Binding) bool {
	return b != nil && b.Deleting.IsZero() && b.State != string(placement.BindingUnscheduled)
}

// replaced reports whether a done cluster of an unfinished run does not have any more
// what the run rolled out. The controller does not check done clusters.
func (r *reader) replaced(c *clusterRead) bool {
	return !r.terminal && c.state == engine.ClusterDone && used(c.binding) && r.snapshotName() != "" && !c.synced
}

// movesBack reports whether the run will give a pending cluster an older snapshot than
// the one that it has.
func (r *reader) movesBack(c *clusterRead) bool {
	if r.terminal || c.deletion || !used(c.binding) || engine.ReportsDiff(r.run.Status.AppliedStrategy) {
		return false
	}
	own, err := strconv.Atoi(r.run.Status.ResourceSnapshotIndexUsed)
	has, herr := strconv.Atoi(r.texts.index(c.binding.SnapshotName))
	return err == nil && herr == nil && has > own
}

// replacedEarly reports whether another run replaced what this run gave a done cluster
// between its start and its end. A run that is stopping does not check whose rollout it
// sees succeed (updaterun, stopUpdatingStage).
func (r *reader) replacedEarly(c *clusterRead) bool {
	at := engine.ReadCondition(c.binding.Conditions, placement.BindingRolloutStarted).Since
	return r.otherOwner(c.binding) != "" && !c.start.Since.IsZero() && at.After(c.start.Since) && at.Before(c.done.Since)
}

// restored reports whether the binding of a cluster that failed because it was preempted
// has what the run rolls out.
func (r *reader) restored(c *clusterRead) bool {
	return c.state == engine.ClusterPreempted && c.done.Truth == engine.TruthNo && used(c.binding) && r.snapshotName() != "" && r.kept(c)
}
