package triage

import (
	"github.com/stagewatch/stagewatch/engine"
)

// applyNow compares what the run recorded with the placement as it is now.
func applyNow(k *kit) present {
	n := k.c.Nearby
	if n == nil || !n.PlacementRead || k.c.Placement == nil || k.c.Run == nil || k.c.Run.Status.AppliedStrategy == nil {
		return present{}
	}
	diff := applyDiff(applyOf(n.Apply), applyOf(k.c.Run.Status.AppliedStrategy))
	of := object(k.c.Placement.ID)
	name := engine.Lit("spec.strategy.applyStrategy")
	if len(diff) == 0 {
		return afterRepair(k, engine.Lit("The apply strategy is again what this run recorded"), field(of, name, engine.Lit("equal to the recorded one now")))
	}
	out := then(
		engine.Textf("Create a new run (C): it uses %s.", engine.Join(diff, "; ")),
		engine.Lit("To keep the old value, set it back on the placement first. Do not change the placement while a run is in progress."),
	)
	if o := obstacleOf(k); !o.IsZero() {
		out.steps[0] = engine.Textf("Before you create a new run (C), fix this: %s. It uses %s.", o, engine.Join(diff, "; "))
	}
	out.evidence = []engine.Evidence{field(of, name, engine.Join(diff, "; "))}
	return out
}
