package triage

import (
	"slices"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/repair"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
)

// noRun explains an External placement that no run rolls out.
func (k *finder) noRun() engine.Diagnosis {
	v, e := k.View, &catalogue.NoRun
	what, failing, evidence := repair.WaitingSnapshot(k.Subject)
	if what.IsZero() {
		of := engine.Lit("Its clusters")
		if v.Total > 0 {
			of = engine.Textf("Its %s", engine.Count(v.Total, "cluster"))
		}
		what = engine.Textf("%s %s no new snapshot without a run.", of, subject.Agree(v.Total, "gets", "get"))
	}
	failed := k.Case.InitFailed
	if len(failed) == 0 {
		what = engine.Textf("No run of placement %s exists (strategy External). %s", v.ID.Title(), what)
	} else {
		what = engine.Textf("No run rolls out placement %s (strategy External): %s. %s", v.ID.Title(), repair.InitFailed(failed), what)
	}
	var unmet engine.Fact
	if p := k.Case.Placement; p != nil {
		if _, f := subject.Scheduled(p.ID.Kind(), p.Conditions); f.Truth == engine.TruthNo {
			e, unmet = &catalogue.NotScheduledYet, f
			if f.Reason == placement.ReasonInvalidResourceSelectors {
				e = &catalogue.BadSelectors
			}
			fate := engine.Lit("a new run would fail")
			if !f.At(p.Generation) {
				fate = engine.Lit("the hub agent has not checked the last change of the placement")
			}
			what = engine.Textf("Placement %s is not fully scheduled (%s): %s. %s", v.ID.Title(), f.Reason, fate, what)
		}
	}
	d := k.Diagnosis(e)
	if e == &catalogue.NoRun {
		d.Evidence = append(d.Evidence, repair.PlacementEvidence(k.Subject)...)
		if done := repair.UpToDate(k.Subject); !done.IsZero() {
			d.Recovery, d.RecoveryText = engine.RecoveryNotNeeded, engine.Lit("No recovery needed: every cluster has the newest snapshot.")
			d.Steps[0] = engine.Textf("%s In that case create a run without an index ({clone}).", done)
		} else if len(failed) > 0 {
			step, passes := repair.AfterFailed(k.Subject, failed[0])
			if d.Steps[0] = step; passes {
				subject.Prefer(&d, engine.NextClone)
			}
		}
	}
	if !failing.IsZero() {
		d.Steps = slices.Insert(d.Steps, 0, engine.Textf("First find and fix what fails on %s: the bindings name the manifests ({diagnose:run the first command}).", failing))
		d.Commands = append(k.CommandLines([]catalogue.Command{catalogue.ShowBindings}), d.Commands...)
	}
	if len(failed) > 0 {
		evidence = append(evidence, subject.Condition(subject.Object(failed[0]), placement.RunInitialized, k.Case.Failure(failed[0])))
	}
	if steps := subject.PlacementGoes(k.Subject); steps != nil {
		what = engine.Textf("Placement %s is being deleted. %s", v.ID.Title(), what)
		d.Recovery, d.RecoveryText, d.Steps, d.NextActions = engine.RecoveryByPerson, engine.Lit("Needs a person: a run of this placement fails."), steps, []engine.NextAction{engine.NextPlacement}
	}
	clone := "stagewatch clone RUN --placement " + v.ID.RawName() + "; RUN is any run with the strategy to use"
	if len(failed) > 0 {
		clone = "stagewatch clone " + failed[0].Title().String()
	}
	for i, step := range d.Steps { // there is no run to clone
		d.Steps[i] = step.WithCommand("clone", clone)
	}
	d.Evidence = append(evidence, d.Evidence...)
	d.What, d.Since, d.Quote = what, unmet.Since, engine.Message(unmet.Message)
	return d
}
