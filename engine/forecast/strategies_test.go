package forecast_test

import (
	"testing"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/forecast"
	"github.com/stagewatch/stagewatch/engine/internal/rollout"
)

// The strategies with which a run would fail are told apart from those that
// fit, with the controller's reason.
func TestRefusedStrategies(t *testing.T) {
	rollout.BothScopes(t, func(t *testing.T, w *rollout.World) {
		w.Kinds = rollout.Kinds
		w.Start(placement.StateRun)
		in := w.Input(w.Key)
		named := func(name string, stages ...placement.StageConfig) *placement.StagedUpdateStrategy {
			s := in.Strategy.DeepCopy()
			s.Name = name
			if stages != nil {
				s.Spec.Stages = stages
			}
			return s
		}
		sorted := rollout.Stage("a", "1")
		sorted.SortingLabelKey = new("env")
		got := forecast.RefusedStrategies(in, []*placement.StagedUpdateStrategy{
			named("fits"), named("partial", rollout.Stage("a", "1")), named("sorted", sorted, rollout.Stage("b", "1")),
		})
		rollout.Equal(t, "refused", len(got), 2)
		rollout.Equal(t, "partial", got["partial"].String(), "some clusters are not placed in any stage, total 3, showing up to 10: b-1, b-2, b-3")
		rollout.Equal(t, "sorted", got["sorted"].String(), "the sorting label `env:a` on cluster `a-1` is not valid: strconv.Atoi: parsing \"a\": invalid syntax")
		in.PolicySnapshots = nil
		rollout.Equal(t, "nothing is known", len(forecast.RefusedStrategies(in, []*placement.StagedUpdateStrategy{named("partial", rollout.Stage("a", "1"))})), 0)
	})
}
