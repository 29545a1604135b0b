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
	pending := k.unstarted()
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

// unstarted returns the clusters of the run that it has still to update, by name.
func (k *finder) unstarted() map[string]*placement.ClusterStatus {
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
	return pending
}

// pendingGoing adds to a run that waits for a person the pending clusters whose binding is being
// deleted, as the plan does: the run gets stuck there, and the controller fails it when the binding
// is gone and no other one exists.
func (k *finder) pendingGoing(f *finding) {
	if !k.waitsForPerson() || f.Fails || f.Recovery == engine.RecoveryByNewRun {
		return
	}
	k.Case.UseBindings()
	all, _ := k.Case.PlacementBindings()
	pending := k.unstarted()
	var clusters, blocks []engine.Text
	for _, b := range all {
		if pending[b.Cluster] == nil || b.Deleting.IsZero() || b.State == string(placement.BindingUnscheduled) {
			continue
		}
		clusters = append(clusters, engine.Clean(b.Cluster))
		if by := subject.BlockedBy(b); !by.IsZero() {
			blocks = append(blocks, engine.Textf("%s of binding %s.", engine.Capital(by), b.ID.Name()))
		}
		f.Evidence = append(f.Evidence, subject.Deletion(b), subject.BindingFinalizers(b))
	}
	if len(clusters) == 0 {
		return
	}
	names := engine.Enumerate(clusters, 3)
	going := engine.Textf("The bindings of %s are being deleted: a run that starts these clusters gets stuck, and fails when a binding is gone.", names)
	wait := engine.Textf("wait until the bindings of %s are deleted and, if the placement still picks these clusters, the scheduler has created new ones", names)
	if len(clusters) == 1 {
		going = engine.Textf("The binding of %s is being deleted: a run that starts this cluster gets stuck, and fails when the binding is gone.", names)
		wait = engine.Textf("wait until the binding of %s is deleted and, if the placement still picks the cluster, the scheduler has created a new one", names)
	}
	f.What = engine.Textf("%s %s", f.What, going)
	not := engine.Lit("Do not approve the stage")
	switch k.View.Word {
	case engine.WordReady:
		not = engine.Lit("Do not start the run")
	case engine.WordStopped:
		not = engine.Lit("Do not resume the run")
	}
	if f.Recovery == engine.RecoveryByPerson {
		f.RecoveryText = engine.Textf("Needs a person, after %s have new bindings.", names)
		if len(clusters) == 1 {
			f.RecoveryText = engine.Textf("Needs a person, after %s has a new binding.", names)
		}
	}
	step := engine.Textf("%s yet: %s.", not, wait)
	for _, by := range blocks[:min(len(blocks), 3)] {
		step = engine.Textf("%s %s", step, by)
	}
	f.Steps = slices.Insert(f.Steps, 0, step)
	subject.Prefer(&f.Diagnosis, engine.NextPlacement)
}
