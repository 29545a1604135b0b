package triage

import (
	"slices"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/repair"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
)

// pendingLong is how old a run is before its diagnosis says why it may not be
// initialized; a healthy controller needs less than a second. A final failure is said at once.
const pendingLong = 30 * time.Second

// watchedAfter is how old a run may become before the start of a watch, for which
// initialization is retried, no longer explains it (docs/kubefleet.md#new-snapshot).
const watchedAfter = 2 * time.Minute

// pending explains a run that has no Initialized condition. Its plan tells why
// the controller may retry, which writes nothing to the run.
func (k *finder) pending() finding {
	v := k.View
	age := k.Case.Now.Sub(v.Created)
	if age < pendingLong {
		k.Case.LookAgain(v.Created.Add(pendingLong))
	}
	silent := len(k.Case.Run.Status.Conditions) == 0
	if plan := k.Case.Plan(); plan != nil && (age >= pendingLong || v.Word == engine.WordNotObserved || plan.Fails()) {
		if f, ok := k.planned(plan, silent); ok {
			return f
		}
	}
	if silent && v.Word == engine.WordNotObserved {
		f := k.simply(&catalogue.NeverObserved, engine.Textf("The controller has written nothing about the run since %s.", k.Case.Clock(v.Created)), "")
		f.Evidence = append(f.Evidence, k.Written())
		return f
	}
	f := k.simply(&catalogue.Initializing, engine.Textf("The run was created at %s and is not initialized yet.", k.Case.Clock(v.Created)), placement.RunInitialized)
	f.Quote = engine.Message(k.Case.Initialized.Message)
	return f
}

// refused explains a run that is not initialized by the error that the controller
// meets first.
func (k *finder) refused(r *plan.Refusal, since engine.Text) finding {
	says, cause := repair.Clause(k.Subject, r)
	says = engine.Capital(says)
	var f finding
	if r.Final {
		f = k.simply(&catalogue.InitFails, engine.Textf("%s. Initialization will fail; the controller has not tried it yet (run created at %s).", says, since), "")
	} else {
		f = k.simply(&catalogue.InitRetried, engine.Textf("%s. The controller retries initialization and writes no condition meanwhile (none since %s).", says, since), "")
	}
	// No condition has the message yet.
	f.Evidence = append([]engine.Evidence{{Object: subject.Object(k.View.ID), Field: engine.Textf("plan (%s)", r.Fate()), Value: r.Message}}, f.Evidence...)
	switch cause {
	case catalogue.IndexInvalidCause, catalogue.IndexMissingCause, catalogue.SnapshotIncompleteCause:
		f.needsIndex()
	case catalogue.PlacementMissingCause, catalogue.StrategyMissingCause:
		f.removes = cause
		repair.Create(k.Subject, cause, &f.Diagnosis)
		return f
	default:
		k.fixes(&f, r)
	}
	if !r.Hint.IsZero() {
		f.Steps = append([]engine.Text{r.Hint}, f.Steps...)
	}
	return f
}

// needsIndex makes the remedy of a run whose snapshot does not exist: spec.resourceSnapshotIndex
// is immutable, and no snapshot is created for an index.
func (f *finding) needsIndex() {
	f.Recovery, f.RecoveryText = engine.RecoveryByNewRun, engine.Lit("Needs a new run: the index of this run cannot be changed.")
	f.Steps = []engine.Text{engine.Lit("Create a new run ({clone}) with the index of a complete snapshot, then delete this run ({delete}).")}
	f.NextActions = []engine.NextAction{engine.NextClone, engine.NextPlan}
}

// alsoRefused adds what keeps the run from initializing after the first failed check is
// fixed.
func (k *finder) alsoRefused(f *finding, all []plan.Refusal) {
	first, _ := repair.Clause(k.Subject, &all[0])
	more := all[1:]
	var says []engine.Text
	final := false
	for i := range more {
		clause, cause := repair.Clause(k.Subject, &more[i])
		if clause == first { // as of the next binding: the same fix is for both
			continue
		}
		if cause == catalogue.IndexInvalidCause || cause == catalogue.IndexMissingCause || cause == catalogue.SnapshotIncompleteCause {
			f.needsIndex()
		}
		if final = final || more[i].Final; !slices.Contains(says, clause) {
			says = append(says, clause)
		}
	}
	if len(says) == 0 || f.Recovery == engine.RecoveryByNewRun {
		return
	}
	f.Steps = slices.DeleteFunc(slices.Clone(f.Steps), func(s engine.Text) bool { return s == catalogue.SameRunInitializes.Text() })
	or := engine.Text{}
	if final {
		or = engine.Lit(", or initialization fails")
	}
	f.Steps = append(f.Steps, engine.Textf("Fix this too%s: %s.", or, engine.Enumerate(says, 3)))
}

// fixes puts the steps, the evidence and the commands of a failed check first. The run is
// not initialized yet: it needs no new run after the fix.
func (k *finder) fixes(f *finding, r *plan.Refusal) {
	e, said := catalogue.FailureOf(r.Message.String())
	if e == nil {
		if !r.Final && !r.Hint.IsZero() { // bindings of an old policy snapshot: the hint names labels
			f.Commands = append(repair.Checks[catalogue.LatestPolicy](k.Subject).Commands, f.Commands...)
		}
		return
	}
	k.Named = said
	d := k.Diagnosis(&e.Entry)
	d.Steps = catalogue.WithoutNewRun(d.Steps)
	f.Evidence = append(f.Evidence, d.Evidence...)
	f.Commands = append(d.Commands, f.Commands...)
	if len(d.Steps) > 0 {
		f.Steps = append(d.Steps, f.Steps[1:]...)
	}
}

// planned explains a run that is not initialized by its plan; ok is false when
// the plan says nothing about it.
func (k *finder) planned(plan *plan.Plan, silent bool) (f finding, ok bool) {
	since := k.Case.Clock(k.View.Created)
	// The controller reports the first error that it meets.
	switch {
	case len(plan.Refusals) > 0:
		f = k.refused(&plan.Refusals[0], since)
		if f.removes.IsZero() { // of a missing object, its steps name what else fails
			k.alsoRefused(&f, plan.Refusals)
		}
	case len(plan.Delays) > 0 && k.Case.Now.Before(k.View.Created.Add(watchedAfter)):
		k.Case.LookAgain(k.View.Created.Add(watchedAfter))
		f = k.simply(&catalogue.VersionNotWatched, plan.Delays[0], "")
	case !silent:
		return f, false
	case len(plan.Unknown) > 0:
		f = k.simply(&catalogue.NeverObserved, engine.Textf("The controller has written nothing about the run since %s. The plan is incomplete: the reason may be in what was not read.", since), "")
	default:
		f = k.simply(&catalogue.NeverObserved, engine.Textf("The controller has written nothing about the run since %s. The plan finds no reason: check the hub agent.", since), "")
	}
	if silent {
		f.Evidence = append(f.Evidence, k.Written())
	}
	for i := range plan.Refusals {
		r := &plan.Refusals[i]
		f.Evidence = append(f.Evidence, engine.Evidence{Object: subject.Object(k.View.ID), Field: engine.Textf("plan (%s)", r.Fate()), Value: r.Message})
	}
	for _, g := range plan.Unknown {
		f.Evidence = append(f.Evidence, engine.Evidence{Object: g.What, Field: engine.Lit("plan"), Value: engine.Textf("not read: %s", g.Why)})
	}
	return f, true
}
