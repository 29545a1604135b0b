package triage

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/applystrategy"
	"github.com/stagewatch/stagewatch/engine/message"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/repair"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/triage/trouble"
	"github.com/stagewatch/stagewatch/engine/world"
)

// leftFailing adds to a failed run what still fails on a cluster that it had started: the
// new run gets stuck there, too.
func (k *finder) leftFailing(f *finding) {
	cl, t := k.worst(func(cl *world.CaseCluster, t *trouble.Trouble) bool {
		switch b := cl.Binding; {
		case b == nil, k.LeftFleet(cl):
			return false
		case cl.State == engine.ClusterDeleting:
			return !b.Deleting.IsZero() && (t.Hard || t.Member != nil || len(t.Blocks) > 0)
		}
		return cl.State == engine.ClusterUpdating && (t.Hard || t.Failing) && !catalogue.EndsRun(t.Cause) && message.SnapshotIndex(cl.Binding.SnapshotName) == k.View.Index.String()
	})
	if cl == nil {
		return
	}
	if cure := k.curedByStrategy(t.Cause, t.Diagnosis().Quote); !cure.IsZero() {
		f.What = engine.Textf("%s A cluster that this run started still fails: %s A new run removes that cause: the placement has %s now.", f.What, t.Sentence(), cure)
		f.Steps = slices.DeleteFunc(slices.Clone(f.Steps), func(step engine.Text) bool { return step == catalogue.ApplyStrategyBack.Text() }) // that would bring the cause back
		f.cluster, f.below, f.Evidence = cl, t.Path, append(f.Evidence, t.Evidence...)
		return
	}
	f.LeftFailing = t.Sentence()
	f.What = engine.Textf("%s Also, a cluster that this run started still fails: %s", f.What, f.LeftFailing)
	d := t.Diagnosis()
	if len(d.Steps) > 0 {
		f.Steps = append([]engine.Text{engine.Textf("First fix cluster %s, or the new run gets stuck there, too: %s", cl.Name, engine.Uncapital(d.Steps[0]))}, f.Steps...)
	}
	f.cluster, f.below, f.Read, f.Unread = cl, t.Path, d.Read, d.Unread
	f.Evidence, f.Commands = append(f.Evidence, t.Evidence...), append(d.Commands, f.Commands...)
}

// curedByStrategy is what the placement's apply strategy has now when that removes a cause for a new
// run; empty when it does not.
func (k *finder) curedByStrategy(cause engine.Cause, message engine.Text) engine.Text {
	if n := k.Case.Nearby; n != nil && n.PlacementRead && k.Case.Run != nil && !catalogue.Degraded(message.String()) { // the manifest is rejected whatever the strategy is
		return applystrategy.Cures(cause, k.Case.Run.Status.AppliedStrategy, n.Apply)
	}
	return engine.Text{}
}

// landedLater adds to a failed run the clusters that have finished without it: the hub agent
// and the members go on with a binding that a run has written. When no cluster is left,
// nothing needs a new run.
func (k *finder) landedLater(f *finding) {
	var names []engine.Text
	for i := range k.Case.Clusters {
		if cl := &k.Case.Clusters[i]; cl.Landed && cl.State == engine.ClusterUpdating {
			names = append(names, engine.Clean(cl.Name))
		}
	}
	if len(names) == 0 {
		return
	}
	index := engine.OrUnknown(k.View.Index)
	f.What = engine.Textf("%s %s finished the update to snapshot %s after that.", f.What, engine.Enumerate(names, 3), index)
	left, all := -len(names), 0
	for i := range k.View.Stages {
		s := &k.View.Stages[i]
		left += s.Total - s.Done + s.Replaced
		all += s.Total
	}
	if left == 0 && k.Case.Bindings.State == engine.CoverComplete && len(repair.WithoutBindings(k.Subject)) == 0 {
		f.Recovery, f.RecoveryText = engine.RecoveryNotNeeded, engine.Textf("No recovery needed: all %d clusters have snapshot %s, although the run failed.", all, index)
		f.Steps = catalogue.Steps(engine.Lit("Nothing is left to roll out. Before the next run, fix the cause of this failure."))
	}
}

// snapshotGone explains a run that starts clusters with a resource snapshot that was
// deleted: they get stuck, whoever starts or approves it.
func (k *finder) snapshotGone(f finding) finding {
	word := k.View.Word
	switch word {
	case engine.WordReady, engine.WordStopped, engine.WordApproval, engine.WordNotAccepted, engine.WordWaiting, engine.WordStuck, engine.WordRunning:
	default:
		return f
	}
	gone := repair.SnapshotGone(k.Subject)
	if gone.IsZero() || f.Fails || !slices.ContainsFunc(k.View.Stages, func(s engine.StageView) bool { return len(s.Coming) > 0 && !s.Deletion }) {
		return f
	}
	if word == engine.WordStuck || word == engine.WordRunning {
		d := k.Diagnosis(catalogue.SnapshotDeleted)
		subject.DropNothingToDo(&f.Diagnosis)
		f.What = engine.Textf("%s Also, resource snapshot %s of this run no longer exists: every cluster that it starts next gets stuck.", f.What, gone)
		f.Recovery, f.RecoveryText = d.Recovery, engine.Lit("Needs a new run: this one cannot update its pending clusters without the snapshot.")
		f.Steps, f.Also, f.Evidence = append(f.Steps, d.Steps...), append(f.Also, catalogue.SnapshotDeleted.Finding()), append(f.Evidence, d.Evidence...)
		if f.Cause == catalogue.Updating.Cause { // the snapshot is what a person acts on
			f.Also = append(slices.DeleteFunc(f.Also, func(o engine.Finding) bool { return o.Cause == catalogue.SnapshotDeleted.Cause }), catalogue.FindingOf(f.Cause))
			f.Cause = catalogue.SnapshotDeleted.Cause
		}
		subject.Prefer(&f.Diagnosis, engine.NextClone)
		return f
	}
	was := f
	f = k.simply(catalogue.SnapshotDeleted, engine.Textf("Resource snapshot %s of this run no longer exists: every cluster that the run starts gets stuck. %s", gone, was.What), "")
	not := engine.Lit("Do not start this run")
	switch word {
	case engine.WordStopped:
		not = engine.Lit("Do not resume this run")
	case engine.WordApproval, engine.WordNotAccepted:
		not = engine.Lit("Do not approve the stage")
	case engine.WordWaiting:
		not = engine.Lit("Stop this run ({stop}) before its timed wait ends")
	}
	f.Steps[0] = engine.Textf("%s: its clusters would get stuck. %s", not, f.Steps[0])
	f.Steps = append(f.Steps, engine.Lit("{deletes-run}Delete this run ({delete}) after the new one is created."))
	f.Also, f.Evidence = append(was.Also, catalogue.FindingOf(was.Cause)), append(f.Evidence, was.Evidence...)
	return f
}
