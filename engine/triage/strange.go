package triage

import (
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
)

// progressReasons are those of Progressing in every version
// (docs/kubefleet.md#versions, #conditions).
var progressReasons = map[string]bool{
	"": true, "UpdateRunStarted": true, // before Apr 2025
	placement.ReasonRunProgressing: true, placement.ReasonRunWaiting: true, placement.ReasonRunStuck: true, placement.ReasonRunStopping: true,
	placement.ReasonRunStopped: true, placement.ReasonRunFailed: true, placement.ReasonRunSucceeded: true,
}

// done explains a run that the hub calls done.
func (k *finder) done() finding {
	v := k.View
	total, left, deleted := 0, 0, 0
	for i := range v.Stages {
		s := &v.Stages[i]
		if s.Deletion {
			deleted += s.Total
			continue
		}
		total, left = total+s.Total, left+s.Total-s.Done
	}
	if left > 0 {
		return k.simply(&catalogue.DoneContradicted, engine.Capital(engine.Textf("%s %s not recorded as done, although the run is DONE.", subject.CountOf(left, total), subject.Agree(left, "is", "are"))), placement.RunSucceeded)
	}
	if v.Total == 0 {
		return k.simply(&catalogue.Done, engine.Lit("All stages are done: the run had no clusters."), placement.RunSucceeded)
	}
	// The counts of the list include the clusters of the deletion stage.
	counted := engine.Count(total, "cluster")
	if deleted > 0 {
		counted = engine.Textf("%d of %d clusters: %d updated, %d deleted", v.Done, v.Total, total, deleted)
	}
	f := k.simply(&catalogue.Done, engine.Textf("All stages are done (%s). %s", counted, k.Holdings()), placement.RunSucceeded)
	k.unavailable(&f)
	return f
}

// unavailable names the clusters of a run that is done on which its snapshot is not available
// now: nothing is left to do for the run, and something is for the cluster.
func (k *finder) unavailable(f *finding) {
	failing, where := k.failingNow()
	if len(failing) == 0 {
		return
	}
	f.RecoveryText = engine.Textf("The run needs no recovery. Its resources are not available now on %s.", where)
	f.Steps = []engine.Text{engine.Textf("Find out what fails on %s: the page of the cluster shows its conditions and failing manifests.", where)}
	t := k.TroubleOf(&failing[0])
	if t.Entry == nil {
		f.What = engine.Textf("%s Its resources are not available now on %s.", f.What, where)
		return
	}
	f.What = engine.Textf("%s Its resources are not available now on %s. %s", f.What, where, t.Sentence())
	f.Evidence, f.Quote = append(f.Evidence, t.Evidence...), t.Diagnosis().Quote
}

// strange adds to a finding what the run says in words that are not known. What
// was derived from its stages stays, and no cure is made of it.
func (k *finder) strange(f *finding) {
	name, fact := placement.RunProgressing, k.Case.Progressing
	if k.Case.Succeeded.Truth == engine.TruthUnknown {
		name, fact = placement.RunSucceeded, k.Case.Succeeded
	} else if fact.Truth == engine.TruthAbsent || progressReasons[fact.Reason] {
		return
	}
	said := engine.Textf("%s has an unknown reason: %s, %s.", name, fact.Truth, fact.Reason)
	f.What, f.Quote = engine.Textf("%s %s", f.What, said), engine.Message(fact.Message)
	f.Evidence = append(f.Evidence, k.RunCondition(name)...)
	if f.Cause != catalogue.BetweenLooks.Cause && f.Cause != catalogue.Updating.Cause && f.Cause != catalogue.NoStages.Cause {
		f.Also = append(f.Also, catalogue.UnknownProgress.Finding())
		return
	}
	d := k.Diagnosis(&catalogue.UnknownProgress)
	f.Cause, f.RecoveryText, f.Recovery, f.Steps, f.NextActions, f.Commands = d.Cause, d.RecoveryText, d.Recovery, d.Steps, d.NextActions, d.Commands
}
