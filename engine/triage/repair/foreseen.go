package repair

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/applystrategy"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
)

// Foreseen returns why the controller will fail the run of the case, which is
// initialized, by what the streams have: the placement, its apply strategy, and the labels
// of the clusters that the run recorded. It is for rows of which nothing else is read; nil
// when none of these fails the run.
func Foreseen(k *subject.Subject) *Rejection {
	p := k.Case.Placement
	if k.Case.Run == nil {
		return nil
	}
	out := &Rejection{foreseen: true, All: []plan.Refusal{{Final: true}}}
	entry := func(message string) *Rejection {
		if f, _ := catalogue.FailureOf(message); f != nil {
			out.Failure = &f.Entry
		}
		return out
	}
	was := k.Case.Run.Status.AppliedStrategy
	switch {
	case Deleted(k.Case):
		out.Says = engine.Textf("placement %s does not exist", k.View.Placement.Name())
		return entry("parent placement not found")
	case p != nil && !p.External:
		out.Says = engine.Textf("the strategy type of placement %s is not External", p.ID.Name())
		out.Undo = engine.Textf("set the strategy type of placement %s to External", p.ID.Name())
		return entry("does not have an external rollout strategy, current strategy: RollingUpdate")
	case p != nil && p.ApplyRead && was != nil && len(applystrategy.Diff(applystrategy.Values(p.Apply), applystrategy.Values(was))) > 0:
		out.applyChanged(k.View.Placement.Name(), applystrategy.Values(p.Apply), applystrategy.Values(was))
		return entry("the applyStrategy in the updateRun is outdated")
	}
	if out.relabel(k, func(*relabelled) bool { return true }); out.Says.IsZero() {
		return nil
	}
	return entry("the number of clusters in index `0` stage has changed, new: 0, existing: 0")
}
