package triage

import (
	"slices"
	"strings"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

// worksAfter is how long the deletion of a binding takes before its Works are read; a
// member that is connected deletes them within seconds.
const worksAfter = 10 * time.Second

// heldByOthers says what certainly holds the deletion of a binding, however short it has
// taken: a finalizer of another controller, on the binding or on one of its Works.
func (t *trouble) heldByOthers(b *world.Binding) {
	if others := placement.ForeignFinalizers(b.Finalizers); len(others) > 0 {
		t.bindingHeld(b, others)
		t.evidence = append(t.evidence, subject.BindingFinalizers(b))
		return
	}
	if at := b.Deleting.Add(worksAfter); t.k.Case.Now.Before(at) {
		t.k.Case.LookAgain(at)
		return
	}
	if !slices.Contains(b.Finalizers, placement.FinalizerWork) {
		return
	}
	if works := subject.WorksLeft(t.k.reads.Optional(t.k.Subject, t.works()), b); works != nil && len(works.Foreign) > 0 {
		t.heldByForeign(works.Foreign)
		t.evidence = append(t.evidence, subject.BindingFinalizers(b))
	}
}

// bindingHeld explains a deletion by finalizers of other controllers on the binding.
func (t *trouble) bindingHeld(b *world.Binding, others []string) {
	of := subject.Object(b.ID)
	t.is(&catalogue.BindingHeld, catalogue.Clause{Lead: engine.Textf("%s %s the deletion of %s", subject.FinalizerNames(others), subject.Block(len(others)), of)})
	t.steps = subject.ReleaseSteps(others, of)
	t.blocked(engine.Textf("%s of %s", engine.Uncapital(subject.FinalizerNames(others)), of), t.steps)
}

// blocked notes what else than the member blocks a deletion, and the steps that remove it.
func (t *trouble) blocked(by engine.Text, steps []engine.Text) {
	t.blocks, t.release = append(t.blocks, by), append(t.release, steps...)
}

// withBlocks completes the recovery and the steps of a deletion that several things block:
// each of them has to go.
func (t *trouble) withBlocks(d *engine.Diagnosis) {
	all := slices.Clone(t.blocks)
	steps := slices.Clone(t.release)
	switch {
	case t.member != nil && subject.MemberHolds(t.k.Cluster.Binding):
		all, steps = append(all, t.member.Says), append(steps, t.member.Entry.Steps...)
	case t.Entry == &catalogue.DeletionHeld:
		all, steps = append(all, engine.Uncapital(t.lead)), append(steps, t.Steps...)
	}
	if len(t.blocks) == 0 || len(all) < 2 {
		return
	}
	d.Recovery, d.RecoveryText = engine.RecoveryByPerson, engine.Textf("Needs a person: %d things block the deletion, and each has to be fixed: %s.", len(all), engine.Join(all, "; "))
	d.Steps = steps
}

// held says what holds the deletion of a binding that takes too long.
func (t *trouble) held(b *world.Binding) {
	of := subject.Object(b.ID)
	others := placement.ForeignFinalizers(b.Finalizers)
	evidence := subject.BindingFinalizers(b)
	switch {
	case slices.Contains(b.Finalizers, placement.FinalizerWork):
		t.heldByWorks(b)
		if len(others) > 0 {
			t.blocked(engine.Textf("%s of %s", engine.Uncapital(subject.FinalizerNames(others)), of), subject.ReleaseSteps(others, of))
			t.besides(engine.Textf("%s %s it too", engine.Uncapital(subject.FinalizerNames(others)), subject.Block(len(others))))
		}
	case len(others) > 0:
		t.bindingHeld(b, others)
	default:
		t.is(&catalogue.BindingNotReleased, catalogue.Clause{Lead: engine.Textf("The hub has not finished the deletion of %s", of)})
	}
	t.evidence = append(t.evidence, evidence)
}

// heldByWorks says what holds the Works that the deletion of a binding waits for. A
// member is named as the cause only when its Works were read.
func (t *trouble) heldByWorks(b *world.Binding) {
	name := t.k.Cluster.Name
	blocked := engine.Textf("finalizer %s blocks the deletion of %s", placement.FinalizerWork, subject.Object(b.ID))
	read := t.k.reads.Answer(t.k.Subject, t.works())
	works := subject.WorksLeft(read, b)
	if works == nil {
		why := engine.Lit("the Works were not read")
		if read != nil {
			why = engine.Textf("%s (%s)", why, read.Gap.Why)
		}
		t.is(&catalogue.RemovalUnread, catalogue.Clause{Lead: engine.Textf("The deletion from %s does not finish", name), Named: true, Detail: engine.Textf("%s; %s", blocked, why)})
		return
	}
	left, undeleted := works.All, works.Undeleted
	switch {
	case len(left) == 0:
		t.is(&catalogue.BindingNotReleased, catalogue.Clause{Lead: engine.Textf("The hub has not finished the deletion of %s", subject.Object(b.ID)), Detail: engine.Lit("its Works are deleted")})
	case len(works.Foreign) > 0:
		t.heldByForeign(works.Foreign)
	case len(undeleted) > 0:
		t.is(&catalogue.BindingNotReleased, catalogue.Clause{Lead: engine.Textf("The hub agent has not deleted %s", undeleted[0].Title()), Detail: blocked})
		t.seeWork(undeleted[0])
	default:
		t.is(&catalogue.DeletionHeld, catalogue.Clause{Lead: engine.Textf("Member %s has not removed %s", name, left[0].Title()), Named: true, Detail: blocked})
		if n := len(left); n > 1 {
			t.besides(engine.Textf("%s too", engine.Count(n-1, "more Work")))
		}
		t.seeWork(left[0])
	}
}

// works names the read of the Works of the finder's cluster.
func (t *trouble) works() engine.HubReadOf {
	return engine.HubReadOf{Member: subject.MemberID(t.k.View.ID, t.k.Cluster.Name), What: engine.ReadWorks}
}

// heldByForeign explains a deletion by finalizers of other controllers on Works.
func (t *trouble) heldByForeign(foreign []*world.Work) {
	w := foreign[0]
	names := placement.ForeignFinalizers(w.Finalizers)
	t.is(&catalogue.WorkHeld, catalogue.Clause{Lead: engine.Textf("%s on %s %s the deletion from %s", subject.FinalizerNames(names), w.Title(), subject.Block(len(names)), t.k.Cluster.Name), Named: true})
	for _, w := range foreign[:min(len(foreign), worksNamed)] {
		names := placement.ForeignFinalizers(w.Finalizers)
		steps := subject.ReleaseSteps(names, w.Title())
		t.steps = append(t.steps, steps...)
		t.blocked(engine.Textf("%s of %s", engine.Uncapital(subject.FinalizerNames(names)), w.Title()), steps)
		t.seeWork(w)
	}
	if n := len(foreign); n > 1 {
		t.besides(engine.Textf("%s too", engine.Count(n-1, "more Work")))
	}
}

// worksNamed is how many Works that hold a deletion have their own steps.
const worksNamed = 2

// seeWork adds a Work to the evidence and to the path.
func (t *trouble) seeWork(w *world.Work) {
	finalizers := engine.OrUnknown(engine.Clean(strings.Join(w.Finalizers, ", ")))
	deleted := engine.Lit("not set")
	if !w.Deleting.IsZero() {
		deleted = engine.Lit("set")
	}
	t.evidence = append(t.evidence,
		engine.Evidence{Object: w.Title(), Field: engine.Lit("metadata.deletionTimestamp"), Value: deleted, Since: w.Deleting},
		subject.Field(w.Title(), engine.Lit("metadata.finalizers"), finalizers))
	t.path = append(t.path, engine.Hop{Level: engine.Lit("work"), Name: engine.Textf("%s/%s", w.ID.RawNamespace(), w.ID.RawName()), State: finalizers, Since: w.Deleting})
}

// deleting explains a run that is being deleted, by what holds it.
func (k *finder) deleting() finding {
	finalizers, of, since := k.Case.Run.Finalizers, subject.Object(k.View.ID), k.Case.Clock(k.View.Since)
	others := placement.ForeignFinalizers(finalizers)
	var f finding
	switch {
	case len(others) > 0:
		f = k.simply(&catalogue.DeletingHeld, engine.Textf("%s %s the deletion of the run, requested at %s.", subject.FinalizerNames(others), subject.Block(len(others)), since), "")
		f.Steps = subject.ReleaseSteps(others, of)
		if len(others) < len(finalizers) {
			f.What = engine.Textf("%s The controller has not removed its own finalizer yet.", f.What)
		}
	case k.View.Late:
		f = k.simply(&catalogue.DeletingLate, engine.Textf("The controller has not finished the deletion of the run, requested at %s.", since), "")
	default:
		f = k.simply(&catalogue.Deleting, engine.Textf("Deletion of the run was requested at %s; its approval requests are deleted too, bindings stay.", since), "")
		f.Steps = catalogue.Steps(engine.Lit("Wait for the controller."))
	}
	if k.View.Updating+k.View.Stuck > 0 {
		f.Steps = append(f.Steps, engine.Lit("Started clusters continue to update; the others stay on their old snapshot."))
	}
	f.Evidence = append(f.Evidence, engine.Evidence{Object: of, Field: engine.Lit("metadata.deletionTimestamp"), Value: engine.Lit("set"), Since: k.View.Since},
		subject.Field(of, engine.Lit("metadata.finalizers"), engine.OrUnknown(engine.Clean(strings.Join(finalizers, ", ")))))
	return f
}

// overdue turns a finding into that of a run whose next step is the controller's
// and overdue.
func (k *finder) overdue(f finding) finding {
	v, since := k.View, k.Case.Progressed()
	switch v.Word {
	case engine.WordWaiting:
		since = v.Until
	case engine.WordPending:
		since = v.Created
	}
	what, s := k.nextStep(), v.Current()
	where := engine.Textf("since %s", k.Case.Clock(since))
	if s != nil {
		where = engine.Textf("%s, %s", subject.InStage(s), where)
	}
	late := k.simply(&catalogue.ControllerLate, engine.Textf("The controller %s (%s).", what, where), placement.RunProgressing)
	late.Evidence = append(late.Evidence, f.Evidence...)
	late.Since, late.cluster, late.below = since, f.cluster, f.below
	return late
}

// nextStep says what the controller has not done.
func (k *finder) nextStep() engine.Text {
	v, s := k.View, k.View.Current()
	for i := range k.Case.Clusters {
		if cl := &k.Case.Clusters[i]; cl.Landed {
			return engine.Textf("has not recorded that cluster %s has finished", cl.Name)
		}
	}
	switch {
	case v.Word == engine.WordWaiting:
		return engine.Lit("has not continued after the timed wait")
	case v.Word == engine.WordStopping:
		return engine.Lit("has not reported the run as stopped")
	case v.Word == engine.WordPending:
		return engine.Lit("has not initialized the run")
	case s == nil:
		return engine.Lit("has not finished the run")
	case s.Deletion:
		return engine.Lit("has not deleted the bindings of clusters that are no longer picked")
	case len(s.Coming) > 0:
		return engine.Textf("has not started cluster %s", s.Coming[0])
	}
	return engine.Lit("has not finished the stage")
}

// lateCauses are those of a run that needs nothing but the controller's next step.
var lateCauses = map[engine.Cause]bool{
	catalogue.BetweenLooks.Cause: true, catalogue.Updating.Cause: true, catalogue.Landed.Cause: true, catalogue.DeletionInProgress.Cause: true,
	catalogue.TimedWait.Cause: true, catalogue.StoppingIdle.Cause: true, catalogue.Initializing.Cause: true,
}
