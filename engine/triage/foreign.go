package triage

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
)

// foreignRequest warns of an approval request of another run or stage that has the name of
// one of this run: the run fails when it reaches that approval. A run that waits for it is
// explained by it already.
func (k *finder) foreignRequest(f *finding) {
	s, g := k.View.ForeignGate()
	if g == nil || f.Cause == catalogue.ApprovalForeign.Cause || slices.Contains(f.Also, catalogue.ApprovalForeign.Finding()) {
		return
	}
	f.Fails = f.Fails || k.View.Reached(s, g)
	f.What = engine.Textf("%s %s.", f.What, engine.Capital(k.View.ForeignSays(s, g)))
	if request, _ := k.Case.Request(g.Request.RawName()); request != nil {
		f.Evidence = append(f.Evidence, subject.Field(subject.Object(g.Request), engine.Lit("spec"),
			engine.Textf("parentStageRollout %s, targetStage %s", request.Spec.ParentStageRollout, request.Spec.TargetStage)))
	}
	d := k.Diagnosis(&catalogue.ApprovalForeign)
	f.Also = append(f.Also, catalogue.ApprovalForeign.Finding())
	f.Commands = append(d.Commands, f.Commands...)
	step := engine.Textf("Delete approval request %s: the controller creates a new one.", g.Name)
	switch f.Recovery {
	case engine.RecoveryNotNeeded: // the request is all that is wrong
		f.Cause, f.Recovery, f.RecoveryText, f.Steps, f.NextActions = d.Cause, d.Recovery, d.RecoveryText, []engine.Text{step}, d.NextActions
	case engine.RecoveryAutomatic, engine.RecoveryByPerson:
		f.Steps = append([]engine.Text{step}, f.Steps...)
		f.Recovery, f.RecoveryText = d.Recovery, d.RecoveryText
		subject.Prefer(&f.Diagnosis, engine.NextApprovals)
	default:
		f.Steps = append(slices.Clone(f.Steps), step)
	}
}
