package trouble

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
func (t *Trouble) heldByOthers(b *world.Binding) {
	if others := placement.ForeignFinalizers(b.Finalizers); len(others) > 0 {
		t.bindingHeld(b, others)
		t.Evidence = append(t.Evidence, subject.BindingFinalizers(b))
		return
	}
	if at := b.Deleting.Add(worksAfter); t.k.Case.Now.Before(at) {
		t.k.Case.LookAgain(at)
		return
	}
	if !slices.Contains(b.Finalizers, placement.FinalizerWork) {
		return
	}
	if works := subject.WorksLeft(t.k.Reads.Optional(t.k.Subject, t.works()), b); works != nil && len(works.Foreign) > 0 {
		t.heldByForeign(works.Foreign)
		t.Evidence = append(t.Evidence, subject.BindingFinalizers(b))
	}
}

// bindingHeld explains a deletion by finalizers of other controllers on the binding.
func (t *Trouble) bindingHeld(b *world.Binding, others []string) {
	of := subject.Object(b.ID)
	t.is(&catalogue.BindingHeld, catalogue.Clause{Lead: engine.Textf("%s %s the deletion of %s", subject.FinalizerNames(others), subject.Block(len(others)), of)})
	t.steps = subject.ReleaseSteps(others, of)
	t.blocked(engine.Textf("%s of %s", engine.Uncapital(subject.FinalizerNames(others)), of), t.steps)
}

// blocked notes what else than the member blocks a deletion, and the steps that remove it.
func (t *Trouble) blocked(by engine.Text, steps []engine.Text) {
	t.Blocks, t.release = append(t.Blocks, by), append(t.release, steps...)
}

// memberSteps are the steps for a member that blocks the deletion from its cluster. In the deletion stage
// no member fails the run, and a member that does not exist has no agent.
func (t *Trouble) memberSteps() []engine.Text {
	name, rest := t.k.Cluster.Name, catalogue.DeletionHeld.Steps[1:].Texts()
	switch t.Member.Entry {
	case &catalogue.MemberGone:
		return []engine.Text{
			engine.Textf("If cluster %s does not come back, remove finalizer %s from the Works in namespace %s ({diagnose:list them with the first command}): no agent removes it. Objects that are still on the cluster stay there.", name, placement.FinalizerWork, placement.MemberNamespace(name)),
			engine.Textf("Otherwise join cluster %s to the fleet again under the same name: its agent then deletes the objects and the Works.", name),
		}
	case &catalogue.MemberDeleting:
		return append(catalogue.Steps(engine.Lit("Check the finalizers of the member and of its Works: the same controller may block both.")), rest...)
	}
	return append(catalogue.Steps(engine.Textf("Restore the agent of member %s: it has to delete the Works, and the hub waits indefinitely.", name)), rest...)
}

// memberDeletes makes the recovery and the steps of a member that alone blocks the deletion.
func (t *Trouble) memberDeletes(d *engine.Diagnosis) (engine.Recovery, engine.Text) {
	d.Steps = t.memberSteps()
	switch t.Member.Entry {
	case &catalogue.MemberGone:
		d.NextActions = catalogue.DeletionHeld.Actions()[:1]
		return engine.RecoveryOnHub, engine.Lit("After a fix on the hub: the member does not exist, so no agent removes the Works. The controller waits indefinitely.")
	case &catalogue.MemberDeleting:
		return engine.RecoveryUnknown, engine.Lit("Unknown. The run finishes when the binding is deleted; the deletion of the member cannot be undone.")
	}
	return catalogue.DeletionHeld.Recovery, catalogue.DeletionHeld.RecoveryText.Text()
}

// withBlocks completes the recovery and the steps of a deletion that several things block:
// each of them has to go.
func (t *Trouble) withBlocks(d *engine.Diagnosis) {
	all := slices.Clone(t.Blocks)
	steps := slices.Clone(t.release)
	switch {
	case t.Member != nil && subject.MemberHolds(t.k.Cluster.Binding):
		all, steps = append(all, t.Member.Says), append(steps, t.memberSteps()[0])
	case t.Entry == &catalogue.DeletionHeld:
		all, steps = append(all, engine.Uncapital(t.lead)), append(steps, t.Steps.Texts()...)
	}
	if len(t.Blocks) == 0 || len(all) < 2 {
		return
	}
	d.Recovery, d.RecoveryText = engine.RecoveryByPerson, engine.Textf("Needs a person: %d things block the deletion, and each has to be fixed: %s.", len(all), engine.Join(all, "; "))
	d.Steps = steps
}

// held says what holds the deletion of a binding that takes too long.
func (t *Trouble) held(b *world.Binding) {
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
	t.Evidence = append(t.Evidence, evidence)
}

// heldByWorks says what holds the Works that the deletion of a binding waits for. A
// member is named as the cause only when its Works were read.
func (t *Trouble) heldByWorks(b *world.Binding) {
	name := t.k.Cluster.Name
	blocked := engine.Textf("finalizer %s blocks the deletion of %s", placement.FinalizerWork, subject.Object(b.ID))
	read := t.k.Reads.Answer(t.k.Subject, t.works())
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
func (t *Trouble) works() engine.HubReadOf {
	return engine.HubReadOf{Member: subject.MemberID(t.k.View.ID, t.k.Cluster.Name), What: engine.ReadWorks}
}

// heldByForeign explains a deletion by finalizers of other controllers on Works.
func (t *Trouble) heldByForeign(foreign []*world.Work) {
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
func (t *Trouble) seeWork(w *world.Work) {
	finalizers := engine.OrUnknown(engine.Clean(strings.Join(w.Finalizers, ", ")))
	deleted := engine.Lit("not set")
	if !w.Deleting.IsZero() {
		deleted = engine.Lit("set")
	}
	t.Evidence = append(t.Evidence,
		engine.Evidence{Object: w.Title(), Field: engine.Lit("metadata.deletionTimestamp"), Value: deleted, Since: w.Deleting},
		subject.Field(w.Title(), engine.Lit("metadata.finalizers"), finalizers))
	t.Path = append(t.Path, engine.Hop{Level: engine.Lit("work"), Name: engine.Textf("%s/%s", w.ID.RawNamespace(), w.ID.RawName()), State: finalizers, Since: w.Deleting})
}
