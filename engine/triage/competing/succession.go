package competing

import (
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/message"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

// Relation is what the run that preempted another is to that run. With the same snapshot
// they differ in overrides or apply strategy: the younger of the two is what a new run
// would be.
type Relation uint8

// The relations.
const (
	SuccessionNone  Relation = iota // another snapshot, or unknown
	SuccessionNewer                 // the other run is initialized later, and has not failed
	successionOlder
	successionUnknown // the other run is not read, or no longer exists
)

// Succession compares a run with the run that preempted it on a cluster.
func Succession(c *world.Case, cl *world.CaseCluster) Relation {
	if cl == nil || cl.Binding == nil || c.View.Index.IsZero() || message.SnapshotIndex(cl.Binding.SnapshotName) != c.View.Index.String() || subject.Differing(c, cl).IsZero() {
		return SuccessionNone
	}
	winner := subject.WinnerOf(c, cl)
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
	return SuccessionNewer
}

// SuccessorStep is the step of a run that was preempted with its own snapshot.
func SuccessorStep(c *world.Case, cl *world.CaseCluster, s Relation, by engine.Text) engine.Text {
	index, other := engine.OrUnknown(c.View.Index), subject.Differing(c, cl)
	switch s {
	case SuccessionNewer:
		if hasSucceeded(subject.WinnerOf(c, cl)) {
			return engine.Textf("{deletes-run}Delete this run ({delete}): run %s has rolled out snapshot %s since, with newer %s.", by, index, other)
		}
		return engine.Textf("Follow run %s ({follow}): it rolls out snapshot %s too, with newer %s. Create no other run while it is in progress.", by, index, other)
	case successionOlder:
		if subject.HasEnded(subject.WinnerOf(c, cl)) {
			return engine.Textf("Create a new run ({clone}) with snapshot %s: it uses the latest %s. Run %s has ended.", index, other, by)
		}
		return engine.Textf("%s create a new run ({clone}) with snapshot %s: it uses the latest %s.", subject.GiveWay(subject.WinnerOf(c, cl), by), index, other)
	case SuccessionNone, successionUnknown:
	}
	return engine.Textf("Compare the %s: the cluster has snapshot %s already. Create a new run ({clone}) only if the latest ones are missing on the cluster.", other, index)
}

// hasSucceeded reports whether a run has finished as it should.
func hasSucceeded(r *placement.StagedUpdateRun) bool {
	return engine.ReadCondition(r.Status.Conditions, placement.RunSucceeded).Truth == engine.TruthYes
}

// HealSuccessor is the recovery of a run whose snapshot a newer run rolls out.
func HealSuccessor(c *world.Case, cl *world.CaseCluster) (engine.Recovery, engine.Text) {
	by := engine.Clean(cl.PreemptedBy)
	switch {
	case c.View.Terminal && hasSucceeded(subject.WinnerOf(c, cl)):
		return engine.RecoveryNotNeeded, engine.Textf("No recovery needed: run %s has rolled out snapshot %s since, with newer %s.", by, engine.OrUnknown(c.View.Index), subject.Differing(c, cl))
	case c.View.Terminal:
		return engine.RecoveryByPerson, engine.Textf("Needs a person: this run has failed permanently, and run %s replaces it. Check that run %s completes.", by, by)
	}
	return engine.RecoveryByPerson, engine.Textf("Needs a person: this run fails at the controller's next check, and run %s replaces it. Check that run %s completes.", by, by)
}

// HealPreempted is the recovery of a run that was preempted.
func HealPreempted(v *engine.RunView) engine.Text {
	if v.Terminal {
		return engine.Lit("Needs a new run: this run has failed permanently.")
	}
	return engine.Lit("Needs a new run: this run fails at the controller's next check of the cluster.")
}

// WinnerStep is the step for a run that another one preempted on a cluster; by names it.
func WinnerStep(c *world.Case, cl *world.CaseCluster, by engine.Text) engine.Text {
	index := engine.OrUnknown(c.View.Index)
	if s := Succession(c, cl); s != SuccessionNone {
		return SuccessorStep(c, cl, s, by)
	}
	switch {
	case c.WinnerGone:
		return engine.Textf("Run %s no longer exists; create a new run ({clone}) if snapshot %s is still wanted.", by, index)
	case c.WinnerEnded:
		return engine.Textf("Run %s has ended; create a new run ({clone}) if snapshot %s is still wanted.", by, index)
	}
	return engine.Textf("%s create a new run ({clone}) if snapshot %s is still wanted.", subject.GiveWay(subject.WinnerOf(c, cl), by), index)
}
