package triage

import (
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/message"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/repair"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

func healPreempted(v *engine.RunView) engine.Text {
	if v.Terminal {
		return engine.Lit("Needs a new run: this run has failed permanently.")
	}
	return engine.Lit("Needs a new run: this run fails at the controller's next check of the cluster.")
}

func winnerStep(c *world.Case, cl *world.CaseCluster, by engine.Text) engine.Text {
	index := engine.OrUnknown(c.View.Index)
	if s := repair.Succession(c, cl); s != repair.SuccessionNone {
		return repair.SuccessorStep(c, cl, s, by)
	}
	switch {
	case c.WinnerGone:
		return engine.Textf("Run %s does not exist any more; create a new run (C) if snapshot %s is still wanted.", by, index)
	case c.WinnerEnded:
		return engine.Textf("Run %s has ended; create a new run (C) if snapshot %s is still wanted.", by, index)
	}
	return engine.Textf("Wait until run %s ends, or stop it. Then create a new run (C) if snapshot %s is still wanted.", by, index)
}

func (k *finder) preempted() finding {
	v := k.View
	k.Case.UseBindings()
	var cl *world.CaseCluster
	for i := range k.Case.Clusters {
		if k.Case.Clusters[i].State == engine.ClusterPreempted {
			cl = &k.Case.Clusters[i]
			break
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
	e, by := &catalogue.BindingChanged, engine.Lit("another run or a manual change")
	switch {
	case !v.PreemptedBy.IsZero():
		e, by = &catalogue.Preempted, engine.Textf("run %s", v.PreemptedBy.Name())
	case k.Case.Bindings.State != engine.CoverComplete && (cl == nil || cl.Binding == nil):
		e = &catalogue.PreemptedUnread
	}
	where := engine.Textf("stage %s", stage)
	if cl != nil {
		where = k.standing(cl.PreemptedAt)
	}
	what := engine.Textf("%s preempted this run on cluster %s (%s)", engine.Capital(by), cluster, where)
	if cl != nil {
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
	f.cluster, f.RecoveryText = cl, healPreempted(v)
	if k.Case.Succeeded.Truth == engine.TruthNo {
		f.Quote = engine.Clean(k.Case.Succeeded.Message)
	}
	if !v.PreemptedBy.IsZero() {
		f.Steps = []engine.Text{winnerStep(k.Case, cl, v.PreemptedBy.Name())}
		if repair.Succession(k.Case, cl) == repair.SuccessionNewer {
			f.Recovery, f.RecoveryText = engine.RecoveryByPerson, repair.HealSuccessor(v, cl)
		}
	}
	f.Evidence = append(takenProof(k), f.Evidence...)
	return f
}
