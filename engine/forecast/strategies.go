package forecast

import (
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/message"
)

// RefusedStrategies returns, by name, why a run of in.Run's placement could not
// be initialized now with each of the strategies: the first reason that lies in
// the stages and the clusters that they match. Strategies that fit are not in
// it. Without the policy, the bindings or the members nothing is known, and it
// is empty.
func RefusedStrategies(in pass.Input, strategies []*placement.StagedUpdateStrategy) map[string]engine.Text {
	out := map[string]engine.Text{}
	if in.Failed.Members != nil || in.Failed.Bindings != nil || in.Failed.PolicySnapshots != nil {
		return out
	}
	for _, s := range strategies {
		in := in
		in.Run, in.Strategy = in.Run.DeepCopy(), s
		in.Run.Spec.StagedRolloutStrategyName = s.Name
		r := newChecker(&in, time.Time{})
		if !r.policyAndBindings(r.Status()) {
			return out
		}
		r.out.Refusals = nil // those are not the strategy's
		if !r.refuse(r.ReadStrategy()) {
			r.planAll(r.Status().StagedUpdateStrategySnapshot)
		}
		if len(r.out.Refusals) > 0 {
			out[s.Name] = engine.Clean(message.Core(r.out.Refusals[0].Message.String()))
		}
	}
	return out
}
