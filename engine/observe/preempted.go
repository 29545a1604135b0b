package observe

import (
	"cmp"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

const (
	// preemptedGrace is how long a binding may look like another run's after its
	// cluster was started: run and binding come over two streams, and the older
	// binding must not pass for a newer one.
	preemptedGrace = 5 * time.Second
	// lagMost is how much longer than the start of a cluster its binding may be on its way here,
	// unless it is known to be newer: that of a link that is live.
	lagMost = 10 * time.Second
)

// preempted decides whether the binding of a started cluster was changed since by
// another run or a person, and by whom and since when.
func (r *reader) preempted(c *clusterRead) bool {
	b := c.binding
	if b == nil || b.State == string(placement.BindingUnscheduled) || !b.Deleting.IsZero() {
		return false // no longer picked: the hub fails the run for that, not for another run
	}
	owner, at := r.otherOwner(b), engine.ReadCondition(b.Conditions, placement.BindingRolloutStarted).Since
	changed := !r.kept(c) && (!r.policyChanged(b) || !c.synced)
	// RolloutStarted is written anew at each start that changes something
	// (docs/kubefleet.md#conditions), so one later than our start is another
	// run's. An earlier one is no proof: the newer binding may still be on its way here.
	if owner != "" && at.After(c.start.Since) && (changed || r.snapshotName() == "") {
		c.preemptedBy, c.preemptedAt = owner, at
		return true
	}
	if settled := r.Settled(c); !settled || !changed {
		// What is watched is shown as such once the grace is over: usually the newer binding has come by then.
		late := r.w.ReadAgain || !c.start.Since.IsZero() && !r.now.Before(c.start.Since.Add(preemptedGrace))
		r.outdated = r.outdated || changed && late && !r.newEnough(c)
		return false
	}
	c.preemptedBy, c.preemptedAt = owner, engine.Later(engine.Later(at, b.Created), c.start.Since)
	return true
}

// Settled reports whether the cluster was started long enough ago for its
// binding to be compared.
func (r *reader) Settled(c *clusterRead) bool {
	if c.start.Since.IsZero() {
		return false
	}
	at := c.start.Since.Add(preemptedGrace)
	if !r.now.Before(at) {
		// The start may have been recorded long after it: with the other clusters of its pass.
		if r.newEnough(c) {
			return true
		}
		if r.w.ReadOnce {
			return false
		}
		at = r.startSeen(c).At.Add(lagMost)
	}
	r.LookAgain(at)
	return !r.now.Before(at)
}

// newEnough reports whether the bindings are known to be as new as the start of the cluster.
func (r *reader) newEnough(c *clusterRead) bool {
	version := cmp.Or(r.startSeen(c).Version, r.run.ResourceVersion)
	return r.w.HasReached(world.CoverBindings(engine.PlacementKey(r.id, r.run.Spec.PlacementName)), version)
}

// startSeen is the version of the run that brought the start of the cluster, not the latest one: a
// run that is busy always has just changed.
func (r *reader) startSeen(c *clusterRead) world.Arrival {
	seen := r.w.FirstSeen[r.id]
	return seen.Start(c.name)
}
