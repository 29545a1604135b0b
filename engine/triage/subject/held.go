package subject

import (
	"reflect"
	"slices"
	"strconv"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/message"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/engine/world"
)

// Standing names the stage of the finder's cluster, and since when something holds.
func (k *Subject) Standing(since time.Time) engine.Text {
	if since.IsZero() {
		since = k.Cluster.Since()
	}
	return engine.Textf("%s, since %s", InStage(&k.View.Stages[k.Cluster.Stage]), k.Case.Clock(since))
}

// StandingTaken names the stage of a cluster, and since when its binding is not this run's. A
// change that no run has recorded and the controller has not checked has no time of its own: it
// came after the last rollout of the binding.
func (k *Subject) StandingTaken(cl *world.CaseCluster) engine.Text {
	if cl.PreemptedBy != "" || cl.Outcome.Truth == engine.TruthNo || cl.PreemptedAt.IsZero() || Recreated(cl.Binding) {
		return k.Standing(cl.PreemptedAt)
	}
	return engine.Textf("%s, after %s", InStage(&k.View.Stages[cl.Stage]), k.Case.Clock(cl.PreemptedAt))
}

// InSync reports whether a binding has what the run rolls out to a cluster: its snapshot, overrides
// and apply strategy. The controller writes nothing new then (docs/kubefleet.md#cluster-checks).
func (k *Subject) InSync(b *world.Binding, c *placement.ClusterStatus) bool {
	was := applied(k.Case)
	return message.SnapshotIndex(b.SnapshotName) == k.View.Index.String() &&
		slices.Equal(b.Overrides, world.OverrideNames(c.ClusterResourceOverrideSnapshots, c.ResourceOverrideSnapshots)) &&
		(was == nil || reflect.DeepEqual(b.Apply, was))
}

// Deletes reports whether the cluster is one of the deletion stage.
func (k *Subject) Deletes() bool { return k.View.Stages[k.Cluster.Stage].Deletion }

// Frozen reports whether spec.state is Initialize although a stage has begun, which keeps a
// controller since v0.2 from any further step (docs/kubefleet.md#quirks, 7.17).
func (k *Subject) Frozen() bool {
	return k.Case.Run != nil && k.Case.Run.Spec.State == placement.StateInitialize && k.Case.Begun && !k.View.Terminal
}

// NextCheck says until when the controller checks a cluster that has finished, or that it
// never does.
func (k *Subject) NextCheck() engine.Text {
	by := k.Cluster.CheckBy
	if k.View.Terminal {
		return engine.Lit("after the run had failed")
	}
	if k.Frozen() {
		return engine.Lit("the controller records it when the run is started")
	}
	if by.IsZero() || k.Case.Now.After(by) {
		return engine.Lit("the controller has not recorded it yet")
	}
	k.Case.LookAgain(by.Add(1))
	return engine.Textf("the controller records it by %s", k.Case.Clock(by))
}

// MemberHolds reports whether the deletion of a binding waits for its member, as far as the
// binding is known.
func MemberHolds(b *world.Binding) bool {
	return b == nil || slices.Contains(b.Finalizers, placement.FinalizerWork)
}

// HeldOne returns the first cluster of a stopping run that another run or a person changed
// and that has not finished; nil when there is none.
func (k *Subject) HeldOne() *world.CaseCluster {
	for i := range k.Case.Clusters {
		if cl := &k.Case.Clusters[i]; IsHeld(cl) {
			return cl
		}
	}
	return nil
}

// IsHeld reports whether another run or a person changed a cluster of a stopping run.
func IsHeld(cl *world.CaseCluster) bool {
	return !cl.PreemptedAt.IsZero() && cl.State != engine.ClusterPreempted && cl.Outcome.Truth == engine.TruthAbsent
}

// Written is Evidence that the controller has written nothing about the run.
func (k *Subject) Written() engine.Evidence {
	return engine.Evidence{Object: Object(k.View.ID), Field: engine.Lit("status.conditions"), Value: engine.Lit("no condition"), Since: k.View.Created}
}

// Source is where a field of an object on the cluster comes from.
func (k *Subject) Source() engine.Text {
	if of := k.Cluster.Overrides; len(of) > 0 {
		return engine.Textf("override %s if that sets it, else in the manifest", engine.Enumerate(world.OverrideTitles(of), 3))
	}
	return engine.Lit("the manifest")
}

// GoesOnWith ends a sentence with what a start or a resume of the run does
// next: ": stage prod, 8 clusters, max 2." The gates that hold the run come first.
func (k *Subject) GoesOnWith() engine.Text {
	return plan.Continues(k.View.Stages, k.View.At, k.Case.Now)
}

// HeldBy says what clusters of a run have now: "snapshot 13 of run web-r6".
func (k *Subject) HeldBy(h *world.Holding) engine.Text {
	if h.Gone {
		return engine.Lit("no binding any more")
	}
	what := engine.Lit("no snapshot")
	if h.Index != "" {
		what = engine.Textf("snapshot %s", h.Index)
	}
	if h.Same {
		what = engine.Textf("%s with other overrides or apply strategy", what)
	}
	if h.Run != "" {
		what = engine.Textf("%s of run %s", what, h.Run)
	}
	if h.Early {
		what = engine.Textf("%s, which replaced snapshot %s before its update had finished", what, k.View.Index)
	}
	return what
}

// RolledBack reports whether a snapshot is older than that of the run.
func RolledBack(v *engine.RunView, index engine.Text) bool {
	own, err := strconv.Atoi(v.Index.String())
	other, no := strconv.Atoi(index.String())
	return err == nil && no == nil && other < own
}

// LeftFleet reports whether the cluster is no longer a member: a new run does not update it.
func (k *Subject) LeftFleet(cl *world.CaseCluster) bool {
	m, known := k.Case.Member(cl.Name)
	return known && m == nil
}
