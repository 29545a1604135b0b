package triage

import (
	"slices"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/competing"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
)

// showFirst puts the commands that show who has the clusters before those that continue the
// run: a decision comes first.
func (k *finder) showFirst(f *finding) {
	f.Commands = append(k.CommandLines([]catalogue.Command{catalogue.ShowBindings, catalogue.ShowRuns}), f.Commands...)
}

// competingRuns names the other unfinished runs of the placement and the clusters they
// compete for.
func (k *finder) competingRuns(f *finding) {
	for i := range k.Case.CompetingRuns {
		r := &k.Case.CompetingRuns[i]
		names := make([]engine.Text, len(r.Clusters))
		for j, n := range r.Clusters {
			names[j] = engine.Clean(n)
		}
		f.Evidence = append(f.Evidence, subject.Field(subject.Object(r.ID), engine.Lit("status.stagesStatus"), engine.Textf("unfinished, snapshot %s; clusters that neither run has done: %s", engine.OrUnknown(r.Index), engine.Enumerate(names, 10))))
		if i > 0 {
			continue
		}
		if catalogue.Held(f.Cause) { // it names whoever holds the cluster, and this run is stopping already
			f.Also = append(f.Also, catalogue.CompetingRuns.Finding())
			continue
		}
		state := engine.Lit("unfinished")
		if r.Stopped {
			state = engine.Lit("stopped, but unfinished")
		}
		if r.Stopping {
			state = engine.Lit("stopping, but unfinished")
		}
		with := engine.Textf("snapshot %s", engine.OrUnknown(r.Index))
		if r.Same {
			with = engine.Textf("%s too, with other overrides", with)
		}
		f.What = engine.Textf("%s Run %s (%s) is %s on the same placement and competes for %s.", f.What, r.ID.Name(), with, state, engine.Enumerate(names, 3))
		later := engine.Lit("The run that updates a cluster later preempts the other, which then fails.")
		if r.Stopping { // the controller checks that in no run that stops (docs/kubefleet.md#stop)
			later = engine.Textf("%s does not fail while it is stopping: it counts the clusters that another run updates as done.", r.ID.Name())
		}
		step := engine.Textf("%s %s", competing.Decide(k.Subject, r), later)
		if f.Recovery == engine.RecoveryByPerson {
			// What is waited for would begin the fight.
			f.Also = append(f.Also, catalogue.CompetingRuns.Finding())
			if competing.WaitsForOther(k.Subject, r) {
				k.startAfter(f, r.ID.Name())
			}
			f.Steps = slices.Insert(f.Steps, 0, step)
			if slices.Contains([]engine.Cause{catalogue.ApprovalBefore.Cause, catalogue.ApprovalAfter.Cause, catalogue.Stopped.Cause, catalogue.Ready.Cause}, f.Cause) && k.View.Replaced == 0 {
				f.RecoveryText = engine.Textf("Needs a person: decide which run continues, this one or %s.", r.ID.Name())
			}
			k.showFirst(f)
			f.NextActions = slices.Insert(f.NextActions, 0, engine.NextOwners)
			continue
		}
		if f.Cause != catalogue.Updating.Cause {
			f.Also = append(f.Also, catalogue.CompetingRuns.Finding())
			if next := subject.Successor(k.Case); f.Recovery != engine.RecoveryByNewRun || next == nil || next.Name != r.ID.RawName() { // else it is the new run
				at := len(f.Steps)
				if f.Recovery == engine.RecoveryAutomatic { // to wait decides nothing
					at = 0
				}
				f.Steps = slices.Insert(f.Steps, at, step)
			}
			continue
		}
		d := k.Diagnosis(&catalogue.CompetingRuns)
		f.Cause, f.RecoveryText, f.Recovery, f.Commands, f.NextActions = d.Cause, d.RecoveryText, d.Recovery, d.Commands, d.NextActions
		f.Steps = []engine.Text{step}
	}
}

// startAfter makes the step that starts the run say that another run finishes first.
func (k *finder) startAfter(f *finding, other engine.Text) {
	start := k.startStep()
	for i, step := range f.Steps {
		switch {
		case step == start:
			f.Steps[i] = engine.Textf("When %s has finished, start the run ({run})%s", other, k.GoesOnWith())
		case strings.HasPrefix(step.String(), start.String()): // with what no approval holds
			f.Steps[i] = engine.Textf("When %s has finished: %s", other, step)
		}
	}
}
