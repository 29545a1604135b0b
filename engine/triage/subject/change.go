package subject

import (
	"reflect"
	"slices"
	"strings"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/applystrategy"
	"github.com/stagewatch/stagewatch/engine/message"
	"github.com/stagewatch/stagewatch/engine/world"
)

// Changes says what the binding of a cluster has that the run did not give it, the
// snapshot first: "snapshot 11", "other overrides (limits-1, which this run does not have)".
func Changes(k *Subject, cl *world.CaseCluster) []engine.Text {
	b := cl.Binding
	if b == nil {
		return nil
	}
	var out []engine.Text
	if i := message.SnapshotIndex(b.SnapshotName); i != "" {
		out = append(out, engine.Textf("snapshot %s", i))
	}
	n := len(out)
	if !slices.Equal(b.Overrides, cl.Overrides) {
		out = append(out, engine.Textf("other overrides (%s)", overrideDiff(b.Overrides, cl.Overrides)))
	}
	if was := applied(k.Case); was != nil && !reflect.DeepEqual(b.Apply, was) {
		diff := applystrategy.Diff(applystrategy.Values(b.Apply), applystrategy.Values(was))
		other := engine.Lit("another apply strategy")
		if len(diff) > 0 {
			other = engine.Textf("%s (%s)", other, engine.Join(diff, "; "))
		}
		out = append(out, other)
	}
	if len(out) > n || n > 0 && out[0] != engine.Textf("snapshot %s", k.View.Index) {
		return out
	}
	if b.State != string(placement.BindingBound) {
		return append(out, engine.Textf("spec.state %s", b.State))
	}
	switch f := engine.ReadCondition(b.Conditions, placement.BindingRolloutStarted); {
	case f.Truth == engine.TruthNo && f.At(b.Generation):
		return append(out, engine.Textf("RolloutStarted False (%s)", f.Reason))
	case f.Truth != engine.TruthYes || !f.At(b.Generation):
		return append(out, engine.Textf("no RolloutStarted condition for generation %d of the binding", b.Generation))
	}
	return out
}

// With ends a clause with changes: " with snapshot 11 and other overrides (…)".
func With(changes []engine.Text) engine.Text {
	if len(changes) == 0 {
		return engine.Text{}
	}
	return engine.Textf(" with %s", engine.Join(changes, " and "))
}

// overrideDiff names the override snapshots that a binding has and a run has not, and
// the other way round.
func overrideDiff(has, want []string) engine.Text {
	missing := func(in, from []string) (out []string) {
		for _, name := range in {
			if !slices.Contains(from, name) {
				out = append(out, name)
			}
		}
		return out
	}
	var parts []engine.Text
	if added := missing(has, want); len(added) > 0 {
		parts = append(parts, engine.Textf("%s, which this run does not have", engine.Enumerate(engine.CleanAll(added), 3)))
	}
	if removed := missing(want, has); len(removed) > 0 {
		parts = append(parts, engine.Textf("without %s of this run", engine.Enumerate(engine.CleanAll(removed), 3)))
	}
	if len(parts) == 0 {
		return engine.Lit("in another order")
	}
	return engine.Join(parts, "; ")
}

// applied is the apply strategy that the run recorded, nil if it is not read.
func applied(c *world.Case) *placement.ApplyStrategy {
	if c.Run == nil {
		return nil
	}
	return c.Run.Status.AppliedStrategy
}

// WinnerOf is the run that preempted a run on a cluster, nil when it is not read.
func WinnerOf(c *world.Case, cl *world.CaseCluster) *placement.StagedUpdateRun {
	if cl == nil {
		if c.World == nil {
			return nil
		}
		return c.World.Whole(c.View.PreemptedBy)
	}
	return RunNamed(c, cl.PreemptedBy)
}

// RunNamed is the run of the case's scope that a binding names, nil when it is not read.
func RunNamed(c *world.Case, by string) *placement.StagedUpdateRun {
	if c.Reading == nil || by == "" {
		return nil
	}
	return c.Reading.RunNamed(by[strings.LastIndexByte(by, '/')+1:])
}

// Differing is what a binding with the snapshot of the run has otherwise; empty when
// neither overrides nor apply strategy differ.
func Differing(c *world.Case, cl *world.CaseCluster) engine.Text {
	switch {
	case !slices.Equal(cl.Binding.Overrides, cl.Overrides):
		return engine.Lit("overrides")
	case applied(c) != nil && !reflect.DeepEqual(cl.Binding.Apply, applied(c)):
		return engine.Lit("apply strategy")
	}
	return engine.Text{}
}

// HasEnded reports whether the controller does not move a run any more.
func HasEnded(run *placement.StagedUpdateRun) bool {
	return engine.ReadCondition(run.Status.Conditions, placement.RunSucceeded).Truth != engine.TruthAbsent ||
		engine.ReadCondition(run.Status.Conditions, placement.RunInitialized).Truth == engine.TruthNo
}

// GiveWay is what comes before a new run while another run is unfinished, up to "Then" or a
// colon: the API server rejects Stop for a run in state Initialize, and a run that is
// stopped is stopped already.
func GiveWay(winner *placement.StagedUpdateRun, by engine.Text) engine.Text {
	switch {
	case winner == nil:
	case winner.DeletionTimestamp != nil:
		return engine.Textf("Wait until run %s is deleted, which was requested. Then", by)
	case winner.Spec.State == placement.StateInitialize:
		return engine.Textf("Wait until run %s ends, or delete it: in state Initialize it cannot be stopped. Then", by)
	case winner.Spec.State != placement.StateStop:
	case engine.ReadCondition(winner.Status.Conditions, placement.RunProgressing).Reason == placement.ReasonRunStopped:
		return engine.Textf("Run %s is stopped. Resume it to continue its rollout, or delete it and", by)
	default:
		return engine.Textf("Wait until run %s has stopped: it is stopping. Then", by)
	}
	return engine.Textf("Wait until run %s ends, or stop it. Then", by)
}

// Successor is the youngest run that was created for the same placement after the run of
// the case and has not failed; nil for none.
func Successor(c *world.Case) *placement.StagedUpdateRun {
	if c.Reading == nil || c.Run == nil {
		return nil
	}
	return c.Reading.Younger()
}

// LostBinding is the step about why the subject's cluster has no active binding, by what is known of
// it; empty when that is not enough.
func LostBinding(k *Subject) engine.Text {
	name, b := k.Cluster.Name, k.Cluster.Binding
	switch m, known := k.Case.Member(name); {
	case m == nil && known:
		return engine.Textf("Find out why cluster %s left the fleet. To place it again, join it to the fleet again under the same name.", name)
	case m == nil || !m.Deleting.IsZero():
	case b == nil:
		return engine.Textf("Find out why cluster %s has no binding: the placement no longer picks it, or somebody deleted the binding.", name)
	case b.Deleting.IsZero():
		return engine.Textf("Find out why the placement no longer picks cluster %s: its policy, or the labels or taints of the cluster were changed.", name)
	}
	return engine.Text{}
}
