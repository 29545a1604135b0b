package triage

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/repair"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
)

// replaced adds that done clusters of an unfinished run do not have what the run rolled
// out: they count as done for the controller, which does not update them again.
func (k *finder) replaced(f *finding) {
	v := k.View
	if v.Replaced == 0 {
		return
	}
	says, names := k.SayReplaced()
	if v.Word != engine.WordPreempted && !says.IsZero() { // its cause names them already
		f.What = engine.Textf("%s %s", f.What, says)
	}
	f.Also = append(f.Also, catalogue.DoneReplaced.Finding())
	k.decideReplaced(f, names)
}

// decideReplaced makes the steps of a run with done clusters that do not have what it
// rolled out. What lets the run continue does not come before the decision what these
// clusters should have.
func (k *finder) decideReplaced(f *finding, names []engine.Text) {
	of, them, have := engine.Textf("clusters %s", engine.Enumerate(names, 3)), engine.Lit("them"), engine.Lit("have")
	if len(names) == 1 {
		of, them, have = engine.Textf("cluster %s", names[0]), engine.Lit("it"), engine.Lit("has")
	}
	what := engine.Lit("which snapshot")
	again := engine.Textf("To put snapshot %s on %s, create a new run ({clone}) with that snapshot: the new run also updates the remaining clusters. Delete this run ({delete}) after that.", engine.OrUnknown(k.View.Index), of)
	if k.SameReplaced() {
		what = engine.Lit("which overrides and apply strategy")
		again = engine.Textf("To give %s the latest overrides and apply strategy, create a new run ({clone}) with snapshot %s: it also updates the remaining clusters. Delete this run ({delete}) after that.", of, engine.OrUnknown(k.View.Index))
	}
	if gone := repair.SnapshotGone(k.Subject); !gone.IsZero() {
		again = engine.Textf("Snapshot %s of this run no longer exists. To update %s, create a new run ({clone}) without an index: it also updates the remaining clusters. Delete this run ({delete}) after that.", gone, of)
	}
	steps := []engine.Text{engine.Textf("Decide %s %s should have ({owners}): this run does not update %s again.", what, of, them), again}
	if !k.waitsForPerson() {
		if f.Recovery != engine.RecoveryNotNeeded && f.Recovery != engine.RecoveryAutomatic { // something else comes first
			f.Steps = append(f.Steps, steps...)
			return
		}
		subject.DropNothingToDo(&f.Diagnosis)
		f.Steps = append(steps, f.Steps...)
		f.Recovery, f.RecoveryText = engine.RecoveryByPerson, engine.Textf("Needs a person: decide %s %s should have.", what, of)
		if !k.View.StopWanted {
			f.RecoveryText = engine.Textf("%s The run itself continues.", f.RecoveryText)
		}
		subject.Prefer(&f.Diagnosis, engine.NextOwners)
		return
	}
	if p := k.Case.Placement; f.Fails || f.Recovery != engine.RecoveryByPerson || p != nil && !p.Deleting.IsZero() { // something else comes first
		f.Steps = append(f.Steps, steps[0])
		return
	}
	switch k.View.Word {
	case engine.WordStopped:
		steps = append(steps, engine.Textf("{undoes}To keep what %s %s, resume this run ({run})%s", of, have, k.GoesOnWith()))
		f.Steps = f.Steps[1:]
	case engine.WordApproval:
		steps = append(steps, engine.Textf("{undoes}To keep what %s %s, approve the stage ({approve}).", of, have))
		f.Steps = f.Steps[1:]
	}
	f.Steps = append(steps, f.Steps...)
	k.showFirst(f)
	f.RecoveryText = engine.Textf("Needs a person: decide %s %s should have, before the run continues.", what, of)
	subject.Prefer(&f.Diagnosis, engine.NextOwners, engine.NextClone)
}

// movesBack adds to a run which pending clusters it gives an older snapshot than they have,
// and to one that waits for a person the step to check that first.
func (k *finder) movesBack(f *finding) {
	switch word := k.View.Word; {
	case k.waitsForPerson():
	case word == engine.WordRunning || word == engine.WordWaiting || k.Resumed():
		if back := k.View.MovesBack(); !back.IsZero() && !f.Fails {
			f.What = engine.Textf("%s %s", f.What, back)
		}
		return
	default:
		return
	}
	if back := k.View.MovesBack(); !back.IsZero() && !f.Fails { // with what is repaired first: recovery
		f.What = engine.Textf("%s %s", f.What, back)
		f.Steps = slices.Insert(f.Steps, 0, checkBack)
		k.showFirst(f)
		subject.Prefer(&f.Diagnosis, engine.NextOwners)
	}
}

// checkBack is the step before a run continues that moves clusters back.
var checkBack = engine.Lit("Check that these clusters should get the older snapshot ({owners}).")
