package triage

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

// failingNow returns the clusters of the run on which its snapshot is not available now, and their
// names; none where the bindings are not read. Of a run that is done, none is updating.
func (k *finder) failingNow() (failing []world.CaseCluster, where engine.Text) {
	all, known := k.Case.Holdings()
	if !known {
		return nil, engine.Text{}
	}
	failing = slices.Clone(all[0].Unavailable)
	for i := range k.Case.Clusters {
		if cl := &k.Case.Clusters[i]; k.View.Word == engine.WordDone && cl.Binding != nil && k.TroubleOf(cl).Failing {
			failing = append(failing, *cl)
		}
	}
	var names []string
	for i := range failing {
		names = append(names, failing[i].Name)
	}
	return failing, engine.Enumerate(engine.CleanAll(names), 3)
}

// doneFailing adds to an unfinished run the done clusters on which its snapshot is not available
// now. The controller does not check them again, so that the run goes on to the next stage
// (docs/kubefleet.md#execute). It needs what is read of an opened run.
func (k *finder) doneFailing(f *finding) {
	if k.Case.Nearby == nil || k.Case.Bindings.State != engine.CoverComplete {
		return
	}
	if engine.ReportsDiff(k.Case.Run.Status.AppliedStrategy) {
		k.doneDiffering(f)
		return
	}
	failing, where := k.failingNow()
	if len(failing) == 0 {
		return
	}
	t := k.TroubleOf(&failing[0])
	says := engine.Textf("%s %s done, and the resources are not available there now.", where, subject.Agree(len(failing), "is", "are"))
	if t.Entry != nil {
		says = engine.Textf("%s %s", says, t.Sentence())
	}
	f.What = engine.Textf("%s %s", f.What, says)
	f.Warnings = append(f.Warnings, says)
	f.Also = append(f.Also, catalogue.DoneFailing.Finding())
	f.Evidence = append(f.Evidence, t.Evidence...)
	find := engine.Textf("Find out what fails on %s: the controller does not check a done cluster again.", where)
	switch {
	case f.Fails || f.Recovery == engine.RecoveryByNewRun:
		return
	case k.Case.Placement != nil && !k.Case.Placement.Deleting.IsZero(): // that comes first
		f.Steps = append(f.Steps, find)
	case k.waitsForPerson():
		f.Steps = slices.Insert(f.Steps, 0, engine.Textf("%s Do that before the run continues.", find))
		decides := slices.Contains([]engine.Cause{catalogue.ApprovalBefore.Cause, catalogue.ApprovalAfter.Cause, catalogue.Stopped.Cause, catalogue.StoppedDone.Cause}, f.Cause)
		if decides && k.View.Replaced == 0 { // else something else comes first
			f.RecoveryText = engine.Textf("Needs a person: decide whether the run should continue, although its resources are not available on %s.", where)
		}
		k.showFirst(f)
		subject.Prefer(&f.Diagnosis, catalogue.DoneFailing.Actions()...)
	case f.Recovery == engine.RecoveryNotNeeded, f.Recovery == engine.RecoveryAutomatic:
		subject.DropNothingToDo(&f.Diagnosis)
		e := k.Diagnosis(&catalogue.DoneFailing)
		f.Cause, f.Recovery, f.RecoveryText, f.NextActions = e.Cause, e.Recovery, e.RecoveryText, e.NextActions
		stop := engine.Lit("Stop the run ({stop}) if the new version is the cause: the next clusters get it, too.")
		if k.View.StopWanted {
			stop = engine.Lit("Do not resume the run if the new version is the cause: the next clusters would get it, too.")
		}
		f.Steps = append([]engine.Text{find, stop}, f.Steps...)
		f.Commands = append(e.Commands, f.Commands...)
		f.cluster, f.below = &failing[0], t.Path
	default:
		f.Steps = append(f.Steps, find)
	}
}

// doneDiffering adds to an unfinished run that only reports differences the clusters of which
// it has reported some: whoever lets the run continue decides with them.
func (k *finder) doneDiffering(f *finding) {
	all, known := k.Case.Holdings()
	if !known || len(all[0].Different) == 0 || f.Fails || f.Recovery == engine.RecoveryByNewRun {
		return
	}
	n, where := len(all[0].Different), engine.Enumerate(engine.CleanAll(all[0].Different), 3)
	says := engine.Textf("%s %s compared, and %s from snapshot %s.", where, subject.Agree(n, "is", "are"), subject.Agree(n, "differs", "differ"), engine.OrUnknown(k.View.Index))
	f.What = engine.Textf("%s %s", f.What, says)
	f.Warnings = append(f.Warnings, says)
	if k.waitsForPerson() {
		f.Steps = slices.Insert(f.Steps, 0, engine.Textf("Check the differences that %s %s before the run continues.", where, subject.Agree(n, "reports", "report")))
		k.showFirst(f)
	}
}
