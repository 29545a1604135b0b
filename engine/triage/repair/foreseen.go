package repair

import (
	"strconv"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
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
	was := k.Case.Run.Status.AppliedStrategy
	switch {
	case subject.Deleted(k.Case):
		out.Says = engine.Textf("placement %s does not exist", k.View.Placement.Name())
		return out.like("parent placement not found")
	case p != nil && !p.External:
		out.Says = engine.Textf("the strategy type of placement %s is not External", p.ID.Name())
		out.Undo = engine.Textf("set the strategy type of placement %s to External", p.ID.Name())
		return out.like("does not have an external rollout strategy, current strategy: RollingUpdate")
	case p != nil && p.ApplyRead && was != nil && len(applystrategy.Diff(applystrategy.Values(p.Apply), applystrategy.Values(was))) > 0:
		out.applyChanged(k.View.Placement.Name(), applystrategy.Values(p.Apply), applystrategy.Values(was))
		return out.like("the applyStrategy in the updateRun is outdated")
	}
	if out.relabel(k, func(*relabelled) bool { return true }); out.Says.IsZero() {
		return nil
	}
	return out.like("the number of clusters in index `0` stage has changed, new: 0, existing: 0")
}

// PolicyAhead returns that the run of the case fails once the hub agent has handled the present
// policy of the placement; nil when the latest policy snapshot is of that, or they are not read.
func PolicyAhead(k *subject.Subject) *Rejection {
	latest, _, read := k.Case.Nearby.LatestPolicies()
	if k.Case.Run == nil || !read || len(latest) != 1 || !k.Case.Nearby.PlacementRead {
		return nil
	}
	place, p := k.View.Placement.Name(), latest[0]
	out := &Rejection{Awaited: true, foreseen: true, All: []plan.Refusal{{Final: true}}}
	message := "the policy snapshot index used in the updateRun is outdated, latest: 1, recorded: 0"
	now, was := k.Case.Nearby.Policy, p.Annotations[placement.AnnotationNumberOfClusters]
	switch {
	case policyChanged(k, p) != nil:
		out.Says = engine.Textf("the scheduling policy of placement %s was changed, but policy snapshot %s still has the previous policy", place, p.Name)
		out.Undo = engine.Textf("set spec.policy of placement %s back to that of policy snapshot %s", place, p.Name)
	case now != nil && now.NumberOfClusters != nil && was != "" && strconv.Itoa(int(*now.NumberOfClusters)) != was:
		out.Says = engine.Textf("placement %s was changed to %s (spec.policy.numberOfClusters), but policy snapshot %s still has %s", place, engine.Count(int(*now.NumberOfClusters), "cluster"), p.Name, was)
		out.Undo = engine.Textf("set spec.policy.numberOfClusters of placement %s back to %s", place, was)
		message = "the cluster count initialized in the updateRun is outdated, latest: 1, recorded: 0"
	default:
		return nil
	}
	return out.like(message)
}

// like fills the entry by a message of the controller.
func (r *Rejection) like(message string) *Rejection {
	if f, _ := catalogue.FailureOf(message); f != nil {
		r.Failure = &f.Entry
	}
	return r
}
