package forecast_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/forecast"
	"github.com/stagewatch/stagewatch/engine/internal/rollout"
)

// TestARunThatDeletesTheLastBindings: a run without clusters to update fails when its deletions
// have finished; the plan says so before, and the forecast has no end.
func TestARunThatDeletesTheLastBindings(t *testing.T) {
	const warning = "The run deletes the last bindings of placement web."
	for _, ns := range []string{"", "team"} {
		for updated, last := range map[int]bool{0: true, 1: false} {
			f := newSimulation(t, ns, false, steadily)
			f.members(map[string]int{"a": updated})
			f.stages(rollout.Stage("a", "1"))
			f.leave(2)
			f.roll(1)
			p := forecast.Plan(f.Input(f.Key), nil, f.Now, nil)
			if got := strings.Contains(engine.Join(p.Warnings, " ").String(), warning); got != last {
				t.Errorf("%q, %d updated: warned %v: %q", ns, updated, got, p.Warnings)
			}
			if got := f.forecast(false); (got.Never == engine.Lit("the run fails when its last binding is deleted")) != last {
				t.Errorf("%q, %d updated: forecast %+v", ns, updated, got)
			}
			for range 1000 {
				if !f.Step() {
					break
				}
			}
			if got := f.Run().Status.Conditions; meta.IsStatusConditionFalse(got, placement.RunSucceeded) != last {
				t.Errorf("%q, %d updated: the controller: %+v", ns, updated, got)
			}
		}
	}
}

// TestTwoApprovalsOfOneStage: they are not valid, and no second stage has their request.
func TestTwoApprovalsOfOneStage(t *testing.T) {
	f := rolled(t, "")
	f.EditStrategy(func(u *placement.UpdateStrategySpec) {
		u.Stages[0].AfterStageTasks = append(approvalTask(), approvalTask()...)
	})
	in := f.Input(f.Key)
	in.Run = in.Run.DeepCopy()
	in.Run.Status = placement.UpdateRunStatus{}
	if p := forecast.Plan(in, nil, f.Now, nil); len(p.Refusals) == 0 || strings.Contains(engine.Join(p.Warnings, " ").String(), "Two stages are called") {
		t.Errorf("checks %v, warnings %q", p.Refusals, p.Warnings)
	}
}
