package observe

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// A binding keeps the conditions of its last rollout until the next one starts:
// while a run has not reached a cluster, and again once another run has, they
// describe another run's rollout.

// foreign says in words what the binding of a cluster reports about another
// rollout than this run's; empty when its conditions are this run's.
func (r *reader) foreign(c *clusterRead) engine.Text {
	b, started := c.binding, time.Time{}
	if c.start.Truth == engine.TruthYes && !c.deletion {
		if started = c.start.Since; started.IsZero() {
			started = r.now
		}
	}
	o := engine.RolloutOf(b.SnapshotName, b.Conditions)
	if !started.IsZero() && c.state.IsUpdating() && c.synced {
		return engine.Text{} // the controller checks these, whoever started the rollout
	}
	if o.Of(r.id, r.run.Status.ResourceSnapshotIndexUsed, r.run.CreationTimestamp.Time, started) {
		return engine.Text{}
	}
	return o.Words(r.id, !started.IsZero(), b.ReportDiff, b.Conditions, b.Generation)
}
