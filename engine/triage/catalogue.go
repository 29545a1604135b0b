// Package triage diagnoses runs and clusters: cause, evidence, recovery and next
// steps. It contains the catalogue of causes (docs/causes.md) and the rules that
// select an entry, by fields first and by messages second. A message that matches
// no entry is shown in full with the cause unknown.
package triage

import (
	"slices"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/repair"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
)

//go:generate go test -run ^TestDocument$ . -update

// Catalogue is the engine's Triage. It has no state.
type Catalogue struct{}

// guard puts before the steps of a diagnosis that offer a new run what keeps such a
// run from starting, so that no next step creates a run that its plan rejects. removes is
// the obstacle that the steps remove already.
func (k *finder) guard(d *engine.Diagnosis, removes engine.Cause) {
	offers := func(step engine.Text) bool { return step.Offers("clone") }
	if !slices.ContainsFunc(d.Steps, offers) {
		return
	}
	o := repair.Blocked(k.Subject, removes)
	if o.IsZero() {
		k.newRunDeletes(d)
		return
	}
	said := slices.IndexFunc(d.Steps, func(step engine.Text) bool { return strings.Contains(step.String(), o.String()) })
	at := slices.IndexFunc(d.Steps, func(step engine.Text) bool { return !catalogue.AnotherObject(step) })
	over := k.View.Terminal || k.View.Word == engine.WordNoRun
	if !over {
		if at = slices.IndexFunc(d.Steps, func(step engine.Text) bool { return offers(step) || catalogue.DeletesRun(step) }); catalogue.FixesFirst(d.Steps[at]) {
			at++
		}
	}
	if said >= 0 && (over || said <= at) {
		return
	}
	d.Steps = slices.Insert(d.Steps, at, subject.BeforeNewRun(o)) // a step that was put first may offer a new run, too: the later one is left out
	if i := slices.Index(d.NextActions, engine.NextClone); i == 0 && len(d.NextActions) > 1 {
		d.NextActions = append(slices.Delete(d.NextActions, 0, 1), engine.NextClone)
	} else if i == 0 {
		d.NextActions = []engine.NextAction{engine.NextPlacement, engine.NextClone}
	}
}

// newRunDeletes adds to the first step that offers a new run the clusters from which its deletion
// stage deletes the resources, other than those of the run itself.
func (k *finder) newRunDeletes(d *engine.Diagnosis) {
	names := repair.DeletedByNewRun(k.Subject)
	if len(names) == 0 {
		return
	}
	at := slices.IndexFunc(d.Steps, func(step engine.Text) bool { return step.Offers("clone") })
	d.Steps = slices.Clone(d.Steps)
	d.Steps[at] = engine.Textf("%s The new run deletes the resources from %s that the placement does not pick now, %s: check first that this is wanted.",
		d.Steps[at], engine.Count(len(names), "cluster"), engine.Enumerate(names, 3))
}

// distinct leaves out what is there already.
func distinct(all []engine.Text) (out []engine.Text) {
	for _, t := range all {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// finish fills what follows from the rest of a Diagnosis.
func finish(d *engine.Diagnosis, path []engine.Hop) {
	d.Steps, d.Commands = distinct(d.Steps), distinct(d.Commands) // a repair may add the warning that a cause has, too
	if len(d.Steps) > 0 {
		d.Next = d.Steps[0]
	}
	if !slices.ContainsFunc(d.Steps, func(step engine.Text) bool { return step.Offers("clone") }) { // who follows no step creates a second run
		d.NextActions = slices.DeleteFunc(slices.Clone(d.NextActions), func(a engine.NextAction) bool { return a == engine.NextClone })
	}
	d.Evidence = subject.Distinct(d.Evidence)
	d.Path, d.Short = path, catalogue.Short(catalogue.Told(d.Cause, d.Quote), path, !d.Unread.IsZero())
	if i := slices.IndexFunc(d.Also, func(f engine.Finding) bool { return catalogue.OfRun(f.Cause) }); i >= 0 && d.Cause == catalogue.WillFail.Cause {
		d.Short = engine.Textf("%s: %s", catalogue.Short(d.Cause, nil, false), catalogue.Short(d.Also[i].Cause, nil, false))
	}
	if d.Cause == catalogue.ChangedWhileStopping.Cause && slices.Contains(d.Also, catalogue.BindingRecreated.Finding()) {
		d.Short = catalogue.Short(catalogue.BindingRecreated.Cause, path, false)
	}
	d.Where = subject.Where(path)
}
