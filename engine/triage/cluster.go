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

// preemptedBy returns the catalogue entry and the clause of a cluster that another run preempted.
func (k *finder) preemptedBy(cl *world.CaseCluster) (*catalogue.Entry, engine.Text) {
	e := &catalogue.Preempted
	if subject.Recreated(cl.Binding) {
		return &catalogue.BindingRecreated, engine.Lit("the binding was deleted and created again")
	}
	if cl.PreemptedBy == "" {
		e = &catalogue.BindingChanged
	}
	return e, engine.Textf("preempted by %s%s", subject.Changer(k.Subject, cl), subject.With(subject.Changes(k.Subject, cl)))
}

// Cluster explains a cluster of the opened run.
func (Catalogue) Cluster(c *world.Case, cl *world.CaseCluster) (engine.Text, engine.Diagnosis) {
	k := newFinder(c).About(cl)
	var why engine.Text
	var d engine.Diagnosis
	var below []engine.Hop
	switch cl.State {
	case engine.ClusterComing:
		return k.coming(cl)
	case engine.ClusterDone, engine.ClusterDeleted:
		return k.noted(cl)
	case engine.ClusterPreempted:
		e, says := k.preemptedBy(cl)
		if since, then := k.sincePreempted(cl); since != nil {
			e, says = since, engine.Textf("preempted; %s", then)
		}
		d, why = k.Diagnosis(e), says
		d.Evidence = append(d.Evidence, subject.TakenProof(k.Subject)...)
		d.Since = cl.PreemptedAt
		if d.RecoveryText.IsZero() {
			d.RecoveryText = competing.HealPreempted(c.View)
		}
		if competing.Succession(c, cl) == competing.SuccessionNewer {
			d.Recovery, d.RecoveryText = competing.HealSuccessor(c, cl)
		}
		if cl.PreemptedBy != "" {
			d.Steps = []engine.Text{competing.WinnerStep(c, cl, engine.Clean(cl.PreemptedBy))}
		}
	case engine.ClusterFailed:
		why = engine.Message(message.Core(cl.Outcome.Message))
		e := &catalogue.ClusterFailed
		if f, said := catalogue.FailureOf(cl.Outcome.Message); f != nil {
			e, k.Named = &f.Entry, said
		}
		d = k.Diagnosis(e)
		d.RecoveryText, d.Since, d.Quote = catalogue.ClusterFailed.RecoveryText.Text(), cl.Outcome.Since, engine.Message(cl.Outcome.Message)
	default:
		t := k.TroubleOf(cl)
		if t.Entry == nil {
			return engine.Text{}, engine.Diagnosis{}
		}
		d, below = t.Diagnosis(), t.Path
		if cl.State != engine.ClusterUpdating || t.Failing || t.Hard || t.Member != nil || cl.Landed || !cl.PreemptedAt.IsZero() {
			why = t.Says()
		}
		d.What = t.Sentence()
		if cl.Landed && k.View.Terminal {
			d.Recovery, d.RecoveryText, d.Steps = engine.RecoveryNotNeeded, engine.Lit("No recovery needed."), catalogue.Steps(engine.Lit("Nothing to do."))
		} else if cl.Landed && k.Frozen() {
			d.Recovery, d.RecoveryText, d.Steps = engine.RecoveryByPerson, catalogue.Frozen.RecoveryText.Text(), catalogue.Frozen.Steps.Texts()
		}
		if subject.IsHeld(cl) {
			if why = subject.Holder(k.Subject, cl); t.Hard || t.Failing {
				why = engine.Textf("%s; %s", why, engine.Uncapital(t.Says()))
			}
			d = k.heldDiagnosis(&t)
		}
	}
	if d.What.IsZero() {
		d.What = engine.Textf("%s: %s.", cl.Name, why)
	}
	k.guard(&d, d.Cause)
	finish(&d, k.Path(cl, below))
	d.Member = subject.MemberID(k.View.ID, cl.Name)
	return why, d
}

// coming explains a pending cluster.
func (k *finder) coming(cl *world.CaseCluster) (engine.Text, engine.Diagnosis) {
	if a := member.TroubleOf(k.Case, cl.Name); a != nil && !k.View.Terminal {
		d := k.Diagnosis(a.Entry)
		d.What = engine.Textf("%s is pending; %s.", cl.Name, a.Says)
		d.Evidence, d.Since = append(d.Evidence, a.Evidence), a.Since
		finish(&d, k.Path(cl, nil))
		return a.Says, d
	}
	return engine.Text{}, engine.Diagnosis{
		Cause: catalogue.NotReached.Cause, What: engine.Lit("The cluster is pending: this run has not started its update."), RecoveryText: catalogue.NotReached.RecoveryText.Text(), Recovery: catalogue.NotReached.Recovery,
		Steps: catalogue.NotReached.Steps.Texts(), Next: catalogue.NotReached.Steps[0].Text(),
	}
}

// noted says what is odd about a cluster that is done.
func (k *finder) noted(cl *world.CaseCluster) (engine.Text, engine.Diagnosis) {
	b := cl.Binding
	if b == nil {
		return engine.Text{}, engine.Diagnosis{}
	}
	available := engine.ReadCondition(b.Conditions, placement.BindingAvailable)
	reported := engine.ReadCondition(b.Conditions, placement.BindingDiffReported)
	say := func(e *catalogue.Entry, what engine.Text, typ string, f engine.Fact) (engine.Text, engine.Diagnosis) {
		d := k.Diagnosis(e)
		d.What, d.Since = what, f.Since
		d.Evidence = append(d.Evidence, subject.Condition(subject.Object(b.ID), typ, f))
		finish(&d, k.Path(cl, nil))
		return engine.Text{}, d
	}
	switch {
	case b.Differing > 0 && reported.Truth == engine.TruthYes:
		return say(&catalogue.DiffReported, engine.Textf("%s: %s reported as different (ReportDiff); nothing was changed there.", cl.Name, engine.Are(b.Differing, "object")), placement.BindingDiffReported, reported)
	case b.Drifted > 0:
		return say(&catalogue.DriftTolerated, engine.Textf("%s: %s drifted on the member, which the placement tolerates.", cl.Name, engine.Are(b.Drifted, "object")), placement.BindingAvailable, available)
	case available.Truth == engine.TruthYes && (available.Reason == placement.ReasonNotAllWorkAreTrackable || available.Reason == placement.ReasonWorkNotTrackable):
		return say(&catalogue.NotTrackable, engine.Textf("%s: some kinds have no readiness check and count as available.", cl.Name), placement.BindingAvailable, available)
	}
	return engine.Text{}, engine.Diagnosis{}
}
