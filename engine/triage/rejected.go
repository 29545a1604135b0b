package triage

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/repair"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
)

// rejected explains a run by its plan, when the controller will not continue the run: then
// no next step may continue it. Of a run that goes on, only what ends it counts: what the
// controller retries may be over before its next check.
func (k *finder) rejected(f finding) finding {
	goesOn, known := k.View.GoesOn(), k.Case.Bindings.State == engine.CoverComplete
	if !goesOn && !k.View.WantsOwnPlan() {
		return f
	}
	var r *repair.Rejection
	if k.Case.Nearby != nil && (known || !goesOn) { // the bindings of a run that goes on are read once it is opened
		k.Case.UseBindings()
		r = repair.Rejected(k.Subject)
	}
	if r == nil && (k.Case.Nearby == nil || !known) {
		r = repair.Foreseen(k.Subject)
	}
	if r == nil {
		r = repair.PolicyAhead(k.Subject)
	}
	if r == nil || goesOn && !r.Final() {
		return f
	}
	f.Fails = r.Final() && !r.Awaited // else what continues the run has an effect before it fails
	was := f
	e := &catalogue.WillFail
	if !r.Final() {
		e = &catalogue.NotContinued
	}
	if k.troubled(&f) { // what holds its cluster holds the next run too
		f.What = engine.Textf("%s %s: %s.%s", f.What, engine.Capital(k.fate(r)), r.Says, moreChecks(r))
		f.Also = append(f.Also, e.Finding())
		f.Evidence = append(f.Evidence, k.planProof(r)...)
		k.recovery(&f, r)
		switch cure := k.curedByStrategy(was.Cause, was.Quote); {
		case !cure.IsZero():
			f.Recovery, f.RecoveryText = engine.RecoveryByNewRun, engine.Textf("Needs a new run: this one fails, and a new one uses %s.", cure)
			f.Steps = []engine.Text{
				engine.Textf("Create a new run ({clone}): the placement has %s now, which removes the cause.", cure),
				engine.Lit("{deletes-run}Delete this run ({delete}) after the new one is created."),
			}
			f.NextActions = []engine.NextAction{engine.NextClone, engine.NextPlan}
		case subject.Deleted(k.Case): // nothing is placed any more, so nothing of it is to be repaired
		case r.Final() && was.Recovery == engine.RecoveryAutomatic: // nothing of the cluster is to be fixed
		case f.Recovery == engine.RecoveryByNewRun: // what is wrong with the cluster comes first: it holds the new run, too
			if was.Recovery == engine.RecoveryByNewRun && slices.ContainsFunc(was.Steps, func(s engine.Text) bool { return s.Offers("clone") }) {
				f.Steps = slices.DeleteFunc(f.Steps, func(s engine.Text) bool { return !catalogue.DeletesRun(s) })
			}
			f.Steps = append(slices.Clone(was.Steps), f.Steps...)
			subject.Prefer(&f.Diagnosis, was.NextActions...)
		case r.Final(): // the new run comes last: what is wrong with the cluster holds it, too
			f.Steps = slices.DeleteFunc(f.Steps, func(s engine.Text) bool { return s.Offers("clone") })
			was := slices.DeleteFunc(slices.Clone(was.Steps), func(s engine.Text) bool { return catalogue.CreatesRun(s) || s.Offers("undoes") })
			f.Steps = append(append(f.Steps, was...), newRunAfterAll)
		default:
			f.Steps = append(slices.Clone(was.Steps), f.Steps...)
		}
		return f
	}
	f = k.simply(e, engine.Textf("%s: %s.%s %s", engine.Capital(r.Says), k.fate(r), moreChecks(r), was.What), "")
	f.Fails, f.cluster, f.below = was.Fails, was.cluster, was.below
	if r.Awaited {
		f.Warnings = append(was.Warnings, engine.Textf("%s: %s.", engine.Capital(r.Says), k.fate(r)))
	}
	_, undo := r.Undoes()
	f.Commands = append(undo, f.Commands...)
	f.Also = append(was.Also, catalogue.FindingOf(was.Cause))
	k.recovery(&f, r)
	if r.Failure != nil {
		f.Also = append(f.Also, r.Failure.Finding())
		f.Commands = append(f.Commands, k.CommandLines(r.Failure.Commands)...)
	}
	f.Evidence = append(k.planProof(r), was.Evidence...)
	return f
}

// troubled reports whether a finding is about a cluster that does not finish.
func (k *finder) troubled(f *finding) bool {
	inTrouble := f.Recovery != engine.RecoveryNotNeeded && f.Recovery != engine.RecoveryAutomatic
	return k.View.Word == engine.WordStuck || k.View.Word == engine.WordRunning && !k.View.Late && f.cluster != nil && inTrouble
}

// moreChecks is a sentence about the reasons that the controller does not report yet.
func moreChecks(r *repair.Rejection) engine.Text {
	if len(r.More) == 0 {
		return engine.Text{}
	}
	return engine.Textf(" %s would fail after that: %s.", engine.Count(len(r.More), "more check"), r.MoreSays())
}

// planProof is Evidence of the reasons for which a plan is rejected.
func (k *finder) planProof(r *repair.Rejection) []engine.Evidence {
	switch {
	case r.Awaited:
		return []engine.Evidence{subject.Field(subject.Object(k.View.Placement), engine.Lit("spec.policy"), r.Says)}
	case r.Quote().IsZero():
		return subject.LabelEvidence(k.Subject)
	}
	out := make([]engine.Evidence, len(r.All))
	for i := range r.All {
		out[i] = engine.Evidence{Object: subject.Object(k.View.ID), Field: engine.Textf("plan (%s)", r.All[i].Fate()), Value: r.All[i].Message}
	}
	return out
}

// fate is a clause about what the controller does with the run, and when.
func (k *finder) fate(r *repair.Rejection) engine.Text {
	will := engine.Lit("the run fails")
	if !r.Final() {
		will = engine.Lit("the run does not continue")
	}
	switch {
	case r.Awaited:
		return engine.Textf("%s as soon as the hub agent handles the change", will)
	case k.View.Word == engine.WordReady:
		return engine.Textf("%s when it is started", will)
	case k.View.Word == engine.WordStopped && !k.Resumed():
		return engine.Textf("%s when it is resumed", will)
	case !r.Final():
		return engine.Textf("%s; the controller retries", will)
	}
	if v := k.View; v.Word == engine.WordWaiting && v.Until.After(k.Case.Now) {
		return engine.Textf("%s at the controller's next check, at %s at the latest", will, k.Case.Clock(v.Until))
	}
	return engine.Textf("%s at the controller's next check", will)
}

var newRunAfterAll = engine.Lit("If the run fails before that, create a new run ({clone}).")

// recovery fills the recovery and the next steps of a run that the controller will not
// continue.
func (k *finder) recovery(f *finding, r *repair.Rejection) {
	not, then, before := engine.Text{}, engine.Text{}, engine.Lit("before the controller's next check")
	switch word := k.View.Word; {
	case k.Resumed():
	case word == engine.WordReady:
		not, then, before = engine.Lit("Do not start this run"), engine.Lit("Then start the run ({run})."), engine.Lit("before the run is started")
	case word == engine.WordStopped:
		not, then, before = engine.Lit("Do not resume this run"), engine.Lit("Then resume the run ({run})."), engine.Lit("before the run is resumed")
	case word == engine.WordApproval || word == engine.WordNotAccepted:
		not, then = engine.Lit("Do not approve the stage"), engine.Lit("Then approve the stage ({approve}).")
	}
	if r.Awaited {
		before = engine.Lit("before the hub agent has handled the change")
	}
	action := engine.NextPlan
	if !then.IsZero() {
		action = engine.NextRun
		if k.View.Word == engine.WordApproval || k.View.Word == engine.WordNotAccepted {
			action = engine.NextApprove
		}
	}
	undo, _ := r.Undoes()
	switch {
	case !r.Final():
		f.Steps = []engine.Text{engine.Textf("Wait, or fix this: %s. The controller retries, and the same run then continues.", r.Says)}
		if !r.All[0].Hint.IsZero() {
			f.Steps = append(f.Steps, r.All[0].Hint)
		}
		if len(r.More) > 0 {
			f.Steps = append(f.Steps, engine.Textf("Fix this too, or the run fails next: %s.", r.MoreSays()))
		}
		if !not.IsZero() {
			f.Steps = slices.Insert(f.Steps, 0, engine.Textf("%s yet: the run would not continue.", not))
		}
	case undo == nil:
		f.Recovery, f.RecoveryText = engine.RecoveryByNewRun, engine.Lit("Needs a new run: the controller will fail this one.")
		f.Steps, f.NextActions = k.newRunSteps(f)
		if !not.IsZero() {
			f.Steps[0] = engine.Textf("%s: the run fails. %s", not, f.Steps[0])
		}
	default:
		f.Recovery, f.RecoveryText = engine.RecoveryOnHub, engine.Textf("After a fix on the hub %s; after that only a new run helps.", before)
		f.Steps = nil
		for _, u := range undo {
			f.Steps = append(f.Steps, engine.Textf("%s.", engine.Capital(u)))
		}
		if !not.IsZero() {
			f.Steps[0] = engine.Textf("%s yet: the run would fail. %s", not, f.Steps[0])
		}
		f.Steps = append(f.Steps, r.LabelWarning()...)
		if back := k.View.MovesBack(); !then.IsZero() && !back.IsZero() {
			f.What, f.Steps = engine.Textf("%s %s", f.What, back), append(f.Steps, checkBack)
		}
		if !then.IsZero() {
			f.Steps = append(f.Steps, then)
		}
		f.NextActions = []engine.NextAction{engine.NextPlan, engine.NextPlacement}
		if action != engine.NextPlan {
			f.NextActions = append(f.NextActions, action)
		}
		switch blocked := !repair.Blocked(k.Subject, "").IsZero(); {
		case !blocked:
			f.Steps = append(f.Steps, engine.Lit("If that is not possible, create a new run ({clone}): it uses the objects as they are now."))
			f.NextActions = append(f.NextActions, engine.NextClone)
		case k.View.GoesOn():
			f.Steps = append(f.Steps, newRunAfterAll)
			f.NextActions = append(f.NextActions, engine.NextClone)
		}
	}
}

// newRunSteps are the steps to a new run when nothing can undo why the controller will
// fail this one: what fails the new run too comes first.
func (k *finder) newRunSteps(f *finding) ([]engine.Text, []engine.NextAction) {
	create, actions := []engine.Text{engine.Lit("Create a new run ({clone}).")}, []engine.NextAction{engine.NextClone, engine.NextPlan}
	if subject.Deleted(k.Case) {
		f.removes = catalogue.PlacementMissingCause
		create, actions = repair.PlacementMissing(k.Subject).Steps, []engine.NextAction{engine.NextPlacement, engine.NextPlan, engine.NextClone}
	}
	if o := repair.Blocked(k.Subject, f.removes); !o.IsZero() {
		before := subject.BeforeNewRun(o)
		actions = []engine.NextAction{engine.NextPlacement, engine.NextPlan, engine.NextClone}
		if f.removes.IsZero() {
			create = []engine.Text{before}
		} else {
			create = slices.Insert(slices.Clone(create), 0, before)
		}
	}
	if f.removes.IsZero() {
		create = append(create, engine.Lit("{deletes-run}Delete this run ({delete}) after the new one is created."))
	}
	return create, actions
}

// placementGoes adds that the placement is being deleted, which the controller of runs
// does not check.
func (k *finder) placementGoes(f *finding) {
	p := k.Case.Placement
	if p == nil || p.Deleting.IsZero() {
		return
	}
	since := k.Case.Clock(p.Deleting)
	says := engine.Textf("Placement %s is being deleted (requested at %s).", p.ID.Name(), since)
	switch onPurpose := engine.Lit("If the placement is deleted on purpose, delete the run ({delete})."); {
	case k.waitsForPerson():
		f.Steps = []engine.Text{engine.Textf("Do not continue this run. %s", onPurpose)}
	case k.View.Word == engine.WordStopping: // to wait for the stop, or to resume, changes nothing
		f.Steps = slices.DeleteFunc(slices.Clone(f.Steps), func(step engine.Text) bool { return step.Offers("run") || step.Offers("clone") })
		f.Steps = append(f.Steps, engine.Textf("Do not resume this run. %s", onPurpose))
	case f.Recovery != engine.RecoveryByNewRun:
		f.Steps = append(f.Steps, onPurpose)
	}
	f.NextActions = slices.DeleteFunc(f.NextActions, func(l engine.NextAction) bool { return l == engine.NextRun || l == engine.NextApprove })
	f.Steps = slices.Insert(f.Steps, 0, engine.Textf("First find out why placement %s is being deleted (requested at %s): %s.", p.ID.Name(), since, plan.DeletionOnMembers(p.Abandons)))
	f.Evidence = append(f.Evidence, engine.Evidence{Object: subject.Object(p.ID), Field: engine.Lit("metadata.deletionTimestamp"), Value: engine.Lit("set"), Since: p.Deleting})
	subject.DropNothingToDo(&f.Diagnosis)
	if f.Recovery == engine.RecoveryByNewRun {
		f.What = engine.Textf("%s %s", f.What, says)
		return
	}
	// What the run waits for is not what comes first.
	e := k.Diagnosis(&catalogue.PlacementDeleting)
	f.Also = append(f.Also, catalogue.FindingOf(f.Cause))
	f.What = engine.Textf("%s %s", says, f.What)
	f.Cause, f.Recovery, f.RecoveryText, f.Since = e.Cause, e.Recovery, e.RecoveryText, p.Deleting
	f.Commands = slices.Concat(e.Commands, slices.DeleteFunc(f.Commands, func(c engine.Text) bool { return slices.Contains(e.Commands, c) }))
	f.cluster, f.below = nil, []engine.Hop{subject.PlacementHop(p.ID, engine.Lit("being deleted"), p.Deleting)}
	f.Fails = f.Fails || k.View.Word == engine.WordRunning || k.View.Word == engine.WordWaiting || k.View.Word == engine.WordStopping || k.Resumed()
	subject.Prefer(&f.Diagnosis, engine.NextPlacement)
}
