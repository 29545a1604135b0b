package triage

import (
	"slices"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
)

// pendingFailing adds to a run that is not started, or is stopped, the pending clusters that have
// its snapshot already and fail with it, as the plan does: the controller writes nothing new there,
// and waits (docs/kubefleet.md#cluster-checks).
func (k *finder) pendingFailing(f *finding) {
	if w := k.View.Word; w != engine.WordReady && w != engine.WordStopped || f.Fails || f.Recovery == engine.RecoveryByNewRun {
		return
	}
	failing, evidence := k.failsAlready()
	f.Evidence = append(f.Evidence, evidence...)
	if len(failing) == 0 {
		return
	}
	says := engine.Textf("The run gets stuck on %s unless the cause is fixed: snapshot %s is there already, and fails.", engine.Enumerate(failing, 3), k.View.Index)
	f.What, f.Warnings = engine.Textf("%s %s", f.What, says), append(f.Warnings, says)
	if continues := map[engine.Cause]engine.Text{catalogue.Ready.Cause: engine.Lit("start"), catalogue.Stopped.Cause: engine.Lit("resume")}[f.Cause]; !continues.IsZero() && k.View.Replaced == 0 {
		f.RecoveryText = engine.Textf("Needs a person: fix what fails on %s, then %s the run.", engine.Enumerate(failing, 3), continues)
	}
	not, step, then := engine.Lit("Do not start the run"), k.startStep(), engine.Lit("Then start the run ({run})")
	if k.View.Word == engine.WordStopped {
		not, step, then = engine.Lit("Do not resume the run"), engine.Textf("Resume the run ({run})%s", k.GoesOnWith()), engine.Lit("Then resume the run ({run})")
	}
	if i := slices.Index(f.Steps, step); i >= 0 {
		f.Steps[i] = engine.Textf("%s%s", then, k.GoesOnWith())
	}
	f.Steps = slices.Insert(f.Steps, 0, engine.Textf("%s yet: first find out what fails on %s ({owners}), or the run gets stuck there.", not, engine.Enumerate(failing, 3)))
	k.showFirst(f)
	subject.Prefer(&f.Diagnosis, engine.NextOwners)
}

// failsAlready names the pending clusters that have what the run rolls out and fail with it, with
// the condition.
func (k *finder) failsAlready() (failing []engine.Text, evidence []engine.Evidence) {
	all, known := k.Case.PlacementBindings()
	if !known {
		return nil, nil
	}
	pending := map[string]*placement.ClusterStatus{}
	for i := range k.View.Stages {
		if k.View.Stages[i].Deletion {
			continue
		}
		status := k.Case.Stage(i)
		for j := range status.Clusters {
			c := &status.Clusters[j]
			if engine.ReadCondition(c.Conditions, placement.ClusterStarted).Truth != engine.TruthYes && engine.ReadCondition(c.Conditions, placement.ClusterSucceeded).Truth == engine.TruthAbsent {
				pending[c.ClusterName] = c
			}
		}
	}
	for _, b := range all {
		c := pending[b.Cluster]
		if c == nil || !k.InSync(b, c) || !b.Deleting.IsZero() {
			continue // without its overrides or apply strategy, the run writes the binding anew
		}
		for _, kind := range []string{placement.BindingOverridden, placement.BindingWorkSynchronized, placement.BindingApplied, placement.BindingAvailable} {
			if c := engine.ReadCondition(b.Conditions, kind); c.Truth == engine.TruthNo && c.Generation == b.Generation {
				failing = append(failing, engine.Textf("%s (%s False)", b.Cluster, kind))
				evidence = append(evidence, subject.BindingCondition(b, kind))
				break
			}
		}
	}
	return failing, evidence
}
