package triage

import (
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/message"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/competing"
	"github.com/stagewatch/stagewatch/engine/triage/member"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

func (k *finder) preempted() finding {
	v := k.View
	k.Case.UseBindings()
	var cl *world.CaseCluster
	for i := range k.Case.Clusters {
		if c := &k.Case.Clusters[i]; c.State == engine.ClusterPreempted && (cl == nil || cl.Restored && !c.Restored) {
			cl = c
		}
	}
	var cluster, stage engine.Text
	if cl != nil {
		k = k.About(cl)
		cluster, stage = engine.Clean(cl.Name), v.Stages[cl.Stage].Name
	} else {
		name, of := message.PreemptedIn(k.Case.Succeeded.Message)
		cluster, stage = engine.Clean(name), engine.Clean(of)
	}
	if e, says := k.sincePreempted(cl); e != nil {
		return k.preemptedSince(cl, e, says)
	}
	e, by := &catalogue.BindingChanged, engine.Lit("another run or a manual change")
	if cl != nil {
		by = subject.Changer(k.Subject, cl)
	}
	switch {
	case !v.PreemptedBy.IsZero():
		e, by = &catalogue.Preempted, engine.Textf("run %s", v.PreemptedBy.Name())
	case k.Case.Bindings.State != engine.CoverComplete && (cl == nil || cl.Binding == nil):
		e = &catalogue.PreemptedUnread
	}
	where := engine.Textf("stage %s", stage)
	if cl != nil {
		where = k.StandingTaken(cl)
	}
	what := engine.Textf("%s preempted this run on cluster %s (%s)", engine.Capital(by), cluster, where)
	if cl != nil && subject.Recreated(cl.Binding) {
		e, what = &catalogue.BindingRecreated, engine.Textf("The binding of cluster %s was deleted and created again (%s), without a snapshot", cluster, where)
	} else if cl != nil {
		what = engine.Textf("%s%s", what, subject.With(subject.Changes(k.Subject, cl)))
	}
	if v.Preempted > 1 {
		what = engine.Textf("%s, and on %s", what, engine.Count(v.Preempted-1, "more cluster"))
	}
	what = engine.Textf("%s; this run rolls out snapshot %s.", what, engine.OrUnknown(v.Index))
	if e == &catalogue.PreemptedUnread {
		what = engine.Textf("%s The other run is unknown: %s.", what, k.Unread())
	}
	f := k.simply(e, what, placement.RunSucceeded)
	if says, _ := k.SayReplaced(); !says.IsZero() { // the count of done clusters is what the run recorded
		f.What = engine.Textf("%s %s", f.What, says)
	}
	f.cluster, f.RecoveryText = cl, competing.HealPreempted(v)
	if k.Case.Succeeded.Truth == engine.TruthNo {
		f.Quote = engine.Message(k.Case.Succeeded.Message)
	}
	if !v.PreemptedBy.IsZero() {
		f.Steps = []engine.Text{competing.WinnerStep(k.Case, cl, v.PreemptedBy.Name())}
		if competing.Succession(k.Case, cl) == competing.SuccessionNewer {
			f.Recovery, f.RecoveryText = competing.HealSuccessor(k.Case, cl)
		}
	}
	f.Evidence = append(subject.TakenProof(k.Subject), f.Evidence...)
	return f
}

// sincePreempted returns the entry and a clause for a cluster on which the run failed
// because it was preempted, if the binding does not show that change any more.
func (k *finder) sincePreempted(cl *world.CaseCluster) (*catalogue.Entry, engine.Text) {
	if cl == nil || cl.Outcome.Truth != engine.TruthNo {
		return nil, engine.Text{}
	}
	switch b := cl.Binding; {
	case b == nil && k.Case.Bindings.State == engine.CoverComplete:
		return &catalogue.PreemptedInactive, engine.Lit("the cluster has no binding now")
	case b == nil:
	case b.State == string(placement.BindingUnscheduled) && b.Deleting.IsZero():
		return &catalogue.PreemptedInactive, engine.Lit("the placement does not pick the cluster now")
	case !b.Deleting.IsZero():
		says := engine.Textf("its binding is being deleted (requested at %s)", k.Case.Clock(b.Deleting))
		if by := subject.BlockedBy(b); !by.IsZero() {
			says = engine.Textf("%s; %s", says, by)
		}
		return &catalogue.PreemptedInactive, says
	case subject.Recreated(b):
		return &catalogue.BindingRecreated, engine.Lit("its binding was deleted and created again, and has no snapshot")
	case cl.Restored && cl.RestoredBy != "":
		return &catalogue.PreemptedRestored, engine.Textf("run %s has given it snapshot %s with the same overrides since", cl.RestoredBy, engine.OrUnknown(k.View.Index))
	case cl.Restored:
		return &catalogue.PreemptedRestored, engine.Textf("it has snapshot %s with the same overrides again", engine.OrUnknown(k.View.Index))
	}
	return nil, engine.Text{}
}

// preemptedSince explains a run that was preempted on a cluster by what became of the
// binding. The run that preempted it is not recorded any more.
func (k *finder) preemptedSince(cl *world.CaseCluster, e *catalogue.Entry, says engine.Text) finding {
	v, of := k.View, k.About(cl)
	f := of.simply(e, engine.Textf("This run failed because it was preempted on cluster %s (%s); %s.", cl.Name, of.Standing(cl.PreemptedAt), says), placement.RunSucceeded)
	f.cluster, f.RecoveryText, f.Quote = cl, competing.HealPreempted(v), engine.Message(k.Case.Succeeded.Message)
	if step := subject.LostBinding(of.Subject); e == &catalogue.PreemptedInactive && !step.IsZero() {
		f.Steps[0] = step
	}
	if e == &catalogue.PreemptedRestored {
		f.RecoveryText = engine.Textf("Needs a person: this run has failed permanently, but cluster %s has what it rolls out. Check the other clusters.", cl.Name)
		if by := subject.RunNamed(k.Case, cl.RestoredBy); by != nil && !subject.HasEnded(by) {
			f.Steps = []engine.Text{engine.Textf("Wait until run %s ends: it rolls out snapshot %s. Create no other run while it is in progress.", cl.RestoredBy, engine.OrUnknown(v.Index))}
		}
	} else if a := member.TroubleOf(k.Case, cl.Name); a != nil {
		f.What = engine.Textf("%s %s.", f.What, engine.Capital(a.Says))
		f.Evidence, f.Also = append(f.Evidence, a.Evidence), append(f.Also, a.Entry.Finding())
	}
	if b := cl.Binding; b == nil {
		f.Evidence = append([]engine.Evidence{of.NoBinding()}, f.Evidence...)
	} else if !b.Deleting.IsZero() {
		f.Evidence = append([]engine.Evidence{subject.Deletion(b), subject.BindingFinalizers(b)}, f.Evidence...)
		if others := placement.ForeignFinalizers(b.Finalizers); len(others) > 0 {
			f.Steps = append(subject.ReleaseSteps(others, subject.Object(b.ID)), f.Steps...)
		}
	} else {
		f.Evidence = append(subject.TakenProof(of.Subject), f.Evidence...)
	}
	return f
}
