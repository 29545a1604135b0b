package triage

import (
	"slices"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/repair"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
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
		return k.doneContradicted(left, total)
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

// unrecorded reports whether an initialized run has no stage in its status, with a reason that is
// known: the controller fails it at its next check (docs/kubefleet.md#validate).
func (k *finder) unrecorded() bool {
	return k.Case.Initialized.Truth == engine.TruthYes && len(k.Case.Run.Status.StagesStatus) == 0 && progressReasons[k.Case.Progressing.Reason]
}

// noStages explains such a run.
func (k *finder) noStages() finding {
	fails := k.fate(&repair.Rejection{All: []plan.Refusal{{Final: true}}})
	f := k.simply(&catalogue.NoStages, engine.Textf("The run is initialized, but no stage of it is recorded: %s.", fails), placement.RunInitialized)
	f.Fails = true
	if not := map[engine.Word]engine.Text{engine.WordReady: engine.Lit("start"), engine.WordStopped: engine.Lit("resume")}[k.View.Word]; !not.IsZero() {
		f.Steps[0] = engine.Textf("Do not %s this run: the run fails. %s", not, f.Steps[0])
	}
	return f
}

// doneContradicted explains a run that the hub calls done with clusters that it has not recorded as
// done, by what these clusters have. A new run updates only those that have a valid binding.
func (k *finder) doneContradicted(left, total int) finding {
	all, known := k.Case.PlacementBindings()
	var names, have, lack, unbound []engine.Text
	for i := range k.View.Stages {
		for _, c := range k.Case.Stage(i).Clusters {
			if k.View.Stages[i].Deletion || engine.ReadCondition(c.Conditions, placement.ClusterSucceeded).Truth == engine.TruthYes {
				continue
			}
			list, at := &unbound, slices.IndexFunc(all, func(b *world.Binding) bool { return b.Cluster == c.ClusterName && subject.Picks(b) })
			if at >= 0 && k.InSync(all[at], &c) {
				list = &have
			} else if at >= 0 {
				list = &lack
			}
			names, *list = append(names, engine.Clean(c.ClusterName)), append(*list, engine.Clean(c.ClusterName))
		}
	}
	what := engine.Capital(engine.Textf("%s %s not recorded as done, although the run is DONE: %s.", subject.CountOf(left, total), subject.Agree(left, "is", "are"), engine.Enumerate(names, 3)))
	f := k.simply(&catalogue.DoneContradicted, what, placement.RunSucceeded)
	index := engine.OrUnknown(k.View.Index)
	pickAgain := engine.Textf("{fixes-first}If %s should have snapshot %s, make placement %s pick %s again. Then create a new run ({clone}).", engine.Enumerate(unbound, 3), index, k.View.Placement.Name(), subject.Agree(len(unbound), "it", "them"))
	if known && len(unbound) > 0 {
		f.What = engine.Textf("%s %s %s %s no valid binding now.", f.What, subject.Agree(len(unbound), "Cluster", "Clusters"), engine.Enumerate(unbound, 3), subject.Agree(len(unbound), "has", "have"))
	}
	switch n := len(lack); {
	case !known:
	case n == 0 && len(unbound) > 0:
		f.Recovery, f.RecoveryText = engine.RecoveryByPerson, engine.Textf("Needs a person: decide whether %s should have snapshot %s. A new run updates no cluster without a valid binding.", engine.Enumerate(unbound, 3), index)
		f.Steps = []engine.Text{pickAgain}
	case n == 0:
		f.Recovery, f.RecoveryText = engine.RecoveryNotNeeded, engine.Textf("No recovery needed: %s.", k.Have(have))
		f.Steps, f.NextActions = catalogue.Steps(engine.Lit("Nothing is left to roll out.")), []engine.NextAction{engine.NextOwners}
		k.unavailable(&f)
	default:
		says := engine.Textf("%s %s %s not have what this run rolled out", subject.Agree(n, "cluster", "clusters"), engine.Enumerate(lack, 3), subject.Agree(n, "does", "do"))
		f.What = engine.Textf("%s %s.", f.What, engine.Capital(says))
		f.Recovery, f.RecoveryText = engine.RecoveryByNewRun, engine.Textf("Needs a new run: %s, and this run has ended.", says)
		f.Steps = catalogue.Steps(engine.Textf("Create a new run ({clone}) if snapshot %s is wanted on %s ({owners}).", index, engine.Enumerate(lack, 3)))
		if len(unbound) > 0 {
			f.Steps = append([]engine.Text{pickAgain}, f.Steps...)
		}
	}
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
	if f.Cause != catalogue.BetweenLooks.Cause && f.Cause != catalogue.Updating.Cause {
		f.Also = append(f.Also, catalogue.UnknownProgress.Finding())
		return
	}
	d := k.Diagnosis(&catalogue.UnknownProgress)
	f.Cause, f.RecoveryText, f.Recovery, f.Steps, f.NextActions, f.Commands = d.Cause, d.RecoveryText, d.Recovery, d.Steps, d.NextActions, d.Commands
}
