package engine

import (
	"time"
)

// A binding keeps the conditions of its last rollout until the next one starts:
// while a run has not reached a cluster, and again once another run has, they
// describe another run's rollout.

// foreign says in words what the binding of a cluster reports about another
// rollout than this run's; empty when its conditions are this run's.
func (r *reader) foreign(c *clusterRead) Text {
	b, started := c.binding, time.Time{}
	if c.start.Truth == TruthYes && !c.deletion {
		if started = c.start.Since; started.IsZero() {
			started = r.now
		}
	}
	o := rolloutOf(b.SnapshotName, b.Conditions)
	if o.of(r.id, r.run.Status.ResourceSnapshotIndexUsed, r.run.CreationTimestamp.Time, started) {
		return Text{}
	}
	return o.words(r.id, !started.IsZero(), b.ReportDiff, b.Conditions, b.Generation)
}
