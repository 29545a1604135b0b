package triage

import (
	"reflect"
	"slices"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/world"
)

// changes says what the binding of a cluster has that the run did not give it, the
// snapshot first: "snapshot 11", "other overrides (added: limits-1; removed: limits-0)".
func (k *finder) changes(cl *world.CaseCluster) []engine.Text {
	b := cl.Binding
	if b == nil {
		return nil
	}
	var out []engine.Text
	if i := engine.SnapshotIndex(b.SnapshotName); i != "" {
		out = append(out, engine.Textf("snapshot %s", i))
	}
	n := len(out)
	if !slices.Equal(b.Overrides, cl.Overrides) {
		out = append(out, engine.Textf("other overrides (%s)", overrideDiff(b.Overrides, cl.Overrides)))
	}
	if was := k.appliedStrategy(); was != nil && !reflect.DeepEqual(b.Apply, was) {
		diff := catalogue.ApplyDiff(catalogue.ApplyOf(b.Apply), catalogue.ApplyOf(was))
		out = append(out, engine.Textf("another apply strategy (%s)", engine.OrUnknown(engine.Join(diff, "; "))))
	}
	if len(out) > n || n > 0 && out[0] != engine.Textf("snapshot %s", k.View.Index) {
		return out
	}
	if b.State != string(placement.BindingBound) {
		return append(out, engine.Textf("spec.state %s", b.State))
	}
	if f := engine.ReadCondition(b.Conditions, placement.BindingRolloutStarted); f.Truth != engine.TruthYes || !f.At(b.Generation) {
		return append(out, engine.Textf("no RolloutStarted condition for generation %d of the binding", b.Generation))
	}
	return out
}

// appliedStrategy is the apply strategy that the run recorded, nil if it is not read.
func (k *finder) appliedStrategy() *placement.ApplyStrategy {
	if k.Case.Run == nil {
		return nil
	}
	return k.Case.Run.Status.AppliedStrategy
}

// with ends a clause with changes: " with snapshot 11 and other overrides (…)".
func with(changes []engine.Text) engine.Text {
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

// A run that preempts another with the same snapshot differs in overrides or apply
// strategy: the younger of the two is what a new run would be.
type succeeds uint8

const (
	successionNone  succeeds = iota // another snapshot, or unknown
	successionNewer                 // the other run is initialized later, and has not failed
	successionOlder
	successionUnknown // the other run is not read, or does not exist any more
)

// succession compares a run with the run that preempted it on a cluster.
func succession(c *world.Case, cl *world.CaseCluster) succeeds {
	if cl == nil || cl.Binding == nil || c.View.Index.IsZero() || engine.SnapshotIndex(cl.Binding.SnapshotName) != c.View.Index.String() {
		return successionNone
	}
	var winner *placement.StagedUpdateRun
	if c.World != nil {
		winner = c.World.Runs[c.View.PreemptedBy]
	}
	if winner == nil {
		return successionUnknown
	}
	conds := winner.Status.Conditions
	switch since := engine.ReadCondition(conds, placement.RunInitialized).Since; {
	case since.IsZero():
		return successionUnknown
	case !since.After(c.Initialized.Since), engine.ReadCondition(conds, placement.RunSucceeded).Truth == engine.TruthNo:
		return successionOlder
	}
	return successionNewer
}

// successorStep is the step of a run that was preempted with its own snapshot.
func successorStep(c *world.Case, cl *world.CaseCluster, s succeeds, by engine.Text) engine.Text {
	index, other := engine.OrUnknown(c.View.Index), engine.Lit("overrides")
	if slices.Equal(cl.Binding.Overrides, cl.Overrides) {
		other = engine.Lit("apply strategy")
	}
	switch s {
	case successionNewer:
		return engine.Textf("Follow run %s (f): it rolls out snapshot %s too, with newer %s. Create no other run while it is in progress.", by, index, other)
	case successionOlder:
		if c.WinnerEnded {
			return engine.Textf("Create a new run (C) with snapshot %s: it uses the latest %s. Run %s has ended.", index, other, by)
		}
		return engine.Textf("Wait until run %s ends, or stop it. Then create a new run (C) with snapshot %s: it uses the latest %s.", by, index, other)
	case successionNone, successionUnknown:
	}
	return engine.Textf("Compare the %s: the cluster has snapshot %s already. Create a new run (C) only if the latest ones are missing on the cluster.", other, index)
}

// healSuccessor is the recovery of a run whose snapshot a newer run rolls out.
func healSuccessor(v *engine.RunView) engine.Text {
	by := v.PreemptedBy.Name()
	if v.Terminal {
		return engine.Textf("Needs a person: this run has failed permanently, and run %s replaces it. Check that run %s completes.", by, by)
	}
	return engine.Textf("Needs a person: this run fails at the controller's next check, and run %s replaces it. Check that run %s completes.", by, by)
}
