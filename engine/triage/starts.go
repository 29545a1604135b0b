package triage

import (
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
)

// goesOnWith ends a sentence with what a start or a resume of the run does
// next: ": stage prod, 8 clusters, max 2." The gates that hold the run come first.
func (k *finder) goesOnWith() engine.Text {
	return plan.Continues(k.View.Stages, k.View.At, k.Case.Now)
}

// approvalStarts ends a sentence with what the open approval lets begin, and with what
// else has to end before that.
func (k *finder) approvalStarts() engine.Text {
	v := k.View
	g, s := v.Gate(engine.GateOpen), v.Current()
	if g != nil && g.Before && s.Total > s.Done {
		return engine.Textf(": %s.", plan.StageLeft(s))
	}
	next := engine.Lit("the run finishes")
	if n := nextStage(v); n != nil {
		next = engine.Textf("next is %s", plan.StageWork(n, k.Case.Now))
	}
	for i := range s.After {
		if w := &s.After[i]; w.Timed && w.State == engine.GateRunning && w.Until.After(k.Case.Now) {
			return engine.Textf(": the timed wait until %s has to end, too. Then %s.", k.Case.Clock(w.Until), next)
		}
	}
	return engine.Textf(": %s.", next)
}

// nextStage returns the stage after the current one that has work, nil when
// there is none.
func nextStage(v *engine.RunView) *engine.StageView {
	for i := v.At + 1; i >= 0 && i < len(v.Stages); i++ {
		if v.Stages[i].Total > 0 {
			return &v.Stages[i]
		}
	}
	return nil
}

// stopped explains a stopped run: what holds it apart from the stop is named, since a
// resume does not remove it.
func (k *finder) stopped() finding {
	v := k.View
	stage := engine.StageName(v.Current())
	f := k.simply(&catalogue.Stopped, engine.Textf("The run is stopped in %s: %d of %d clusters done, none is updating.", stage, v.Done, v.Total), placement.RunProgressing)
	f.Steps = []engine.Text{engine.Textf("Resume the run%s", k.goesOnWith())}
	if s := v.Current(); s != nil {
		if gates := s.Gated(k.Case.Now); len(gates) > 0 {
			f.What = engine.Textf("%s A resume does not end what %s waits for: %s.", f.What, stage, engine.Enumerate(gates, len(gates)))
		}
	}
	if g := v.Gate(engine.GateOpen); g != nil && !g.Request.IsZero() && !g.Foreign() && !g.Deleting() {
		f.RecoveryText = engine.Textf("Needs a person: resume the run, and approve %s.", stage)
		f.Steps = append(f.Steps, engine.Textf("Approve %s (A): the approval takes effect when the run is resumed.", stage))
		f.NextActions = append(f.NextActions, engine.NextApprove)
	}
	return f
}
