package repair

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/applystrategy"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
)

// applyNow compares what the run recorded with the placement as it is now.
func applyNow(k *subject.Subject) Outcome {
	n := k.Case.Nearby
	if n == nil || !n.PlacementRead || k.Case.Placement == nil || k.Case.Run == nil || k.Case.Run.Status.AppliedStrategy == nil {
		return Outcome{}
	}
	diff := applystrategy.Diff(applystrategy.Values(n.Apply), applystrategy.Values(k.Case.Run.Status.AppliedStrategy))
	of := subject.Object(k.Case.Placement.ID)
	name := engine.Lit("spec.strategy.applyStrategy")
	if len(diff) == 0 {
		return afterRepair(k, engine.Lit("The apply strategy is again what this run recorded"), subject.Field(of, name, engine.Lit("equal to the recorded one now")))
	}
	out := then(
		engine.Textf("Create a new run ({clone}): it uses %s.", engine.Join(diff, "; ")),
		catalogue.ApplyStrategyBack.Text(),
	)
	if o := Blocked(k, ""); !o.IsZero() {
		out.Steps[0] = engine.Textf("%s It uses %s.", subject.BeforeNewRun(o), engine.Join(diff, "; "))
	}
	out.Evidence = []engine.Evidence{subject.Field(of, name, engine.Join(diff, "; "))}
	return out
}
