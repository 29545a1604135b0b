package subject

import (
	"slices"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/message"
	"github.com/stagewatch/stagewatch/engine/world"
)

// TakenProof is what a binding says of its current owner.
func TakenProof(k *Subject) []engine.Evidence {
	cl := k.Cluster
	if cl == nil || cl.Binding == nil {
		return nil
	}
	b := cl.Binding
	of := Object(b.ID)
	want := engine.OrUnknown(k.View.Index)
	out := []engine.Evidence{
		BindingCondition(b, placement.BindingRolloutStarted),
		Field(of, engine.Lit("spec.resourceSnapshotName"), engine.Textf("%s; this run rolls out snapshot %s", orNone(b.SnapshotName), want)),
		Field(of, engine.Lit("spec.state"), engine.Clean(b.State)),
	}
	if !cl.Started.IsZero() && b.Created.After(cl.Started) {
		out = append(out, engine.Evidence{Object: of, Field: engine.Lit("metadata.creationTimestamp"), Value: engine.Textf("after the start of the cluster (%s)", k.Case.Clock(cl.Started)), Since: b.Created})
	}
	if !slices.Equal(b.Overrides, cl.Overrides) {
		out = append(out, Field(of, engine.Lit("override snapshots"), engine.Textf("%s; this run has %s", overrideList(b.Overrides), overrideList(cl.Overrides))))
	}
	return out
}

// Recreated reports whether the binding of a started cluster was deleted and created
// again: the scheduler creates it without a snapshot, and no run has updated it since.
func Recreated(b *world.Binding) bool {
	return b != nil && b.Deleting.IsZero() && b.State == string(placement.BindingScheduled) && b.SnapshotName == "" &&
		engine.ReadCondition(b.Conditions, placement.BindingRolloutStarted).Truth == engine.TruthAbsent
}

func orNone(name string) engine.Text {
	if name == "" {
		return engine.Lit("none")
	}
	return engine.Clean(name)
}

// overrideList names override snapshots.
func overrideList(names []string) engine.Text {
	if len(names) == 0 {
		return engine.Lit("none")
	}
	return engine.Enumerate(engine.CleanAll(names), 3)
}

// stagePath is the field of a run that has the status of a stage.
func stagePath(s *engine.StageView) engine.Text {
	if s.Deletion {
		return engine.Lit("status.deletionStageStatus")
	}
	return engine.Textf("status.stagesStatus[%s]", s.Name)
}

// StageProof is what the stage says that the run stands in.
func StageProof(k *Subject, i int) []engine.Evidence {
	f := engine.ReadCondition(k.Case.Stage(i).Conditions, placement.StageProgressing)
	if f.Truth == engine.TruthAbsent {
		return nil
	}
	e := Condition(Object(k.View.ID), placement.StageProgressing, f)
	e.Field = engine.Textf("%s.conditions[Progressing]", stagePath(&k.View.Stages[i]))
	return []engine.Evidence{e}
}

// RequestProof is what the approval request says.
func RequestProof(g *engine.GateView) []engine.Evidence {
	if g.Request.IsZero() {
		value := engine.Lit("not found")
		if !g.Unread.IsZero() {
			value = g.Unread
		}
		return []engine.Evidence{{Object: engine.Textf("approval request %s", g.Name), Field: engine.Lit("metadata.name"), Value: value, Since: g.Since}}
	}
	of := Object(g.Request)
	value, since := engine.Lit("not True"), g.Since
	if g.Seen != nil && !g.Seen.Rejected.IsZero() {
		value, since = engine.Textf("False (%s)", g.Seen.Rejected), g.Seen.AnsweredAt
	} else if g.Seen != nil && !g.Seen.Undecided.IsZero() {
		value, since = engine.Textf("Unknown (%s)", g.Seen.Undecided), g.Seen.AnsweredAt
	}
	if g.State == engine.GateNotAccepted || g.State == engine.GateSent {
		value = engine.Textf("True with observedGeneration %d; the request has generation %d", g.Sent, g.Generation)
	}
	field := engine.Lit("status.conditions[Approved]")
	if g.State == engine.GateSent && g.Seen != nil && g.Seen.Approved < 0 { // by somebody else than the controller
		field = engine.Lit("status.conditions[ApprovalAccepted]")
	}
	return []engine.Evidence{{Object: of, Field: field, Value: value, Since: since}}
}

// RequestedBy names the run and the stage that an approval request is for.
func RequestedBy(k *Subject, g *engine.GateView) engine.Text {
	_, name, _ := g.Request.Raw()
	request, _ := k.Case.Request(name)
	if request == nil {
		return engine.Lit("another run or stage")
	}
	return engine.Textf("run %s, stage %s", engine.OrUnknown(engine.Clean(request.Spec.ParentStageRollout)), engine.OrUnknown(engine.Clean(request.Spec.TargetStage)))
}

// WaitOf is how long the timed wait of the current stage is.
func WaitOf(v *engine.RunView) engine.Text {
	for _, g := range v.Current().After {
		if g.Timed {
			return engine.Span(g.Wait)
		}
	}
	return engine.Lit("some time")
}

// Changer says who changed the binding of a cluster. A run writes RolloutStarted with the spec:
// where that still names this run, and no other run is unfinished, a person wrote the spec.
func Changer(k *Subject, cl *world.CaseCluster) engine.Text {
	if cl.PreemptedBy != "" {
		return engine.Textf("run %s", cl.PreemptedBy)
	}
	if b := cl.Binding; b != nil && len(k.Case.CompetingRuns) == 0 {
		f := engine.ReadCondition(b.Conditions, placement.BindingRolloutStarted)
		if run, _ := message.RolloutBy(f.Message); run == k.View.ID.RawName() {
			return engine.Lit("a manual change")
		}
	}
	return engine.Lit("another run or a manual change")
}

// Holder says by whom and with which snapshot a cluster is held.
func Holder(k *Subject, cl *world.CaseCluster) engine.Text {
	if Recreated(cl.Binding) {
		return engine.Lit("the binding was deleted and created again")
	}
	by := Changer(k, cl)
	if cl.Binding != nil {
		if i := message.SnapshotIndex(cl.Binding.SnapshotName); i != "" {
			by = engine.Textf("%s with snapshot %s", by, i)
		}
	}
	return engine.Textf("held by %s", by)
}

// Distinct returns the evidence without repetitions.
func Distinct(all []engine.Evidence) []engine.Evidence {
	var out []engine.Evidence
	for _, e := range all {
		if !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}
