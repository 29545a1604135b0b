package forecast_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/forecast"
	"github.com/stagewatch/stagewatch/engine/internal/rollout"
	"github.com/stagewatch/stagewatch/engine/plan"
)

var waitEnd = regexp.MustCompile(`until \d\d:\d\d:\d\d UTC`)

// TestPlanOfARunThatAPersonContinues: the plan of a run that is stopped or not started says
// what a person does, which gates hold the run then, and which clusters get an older snapshot.
func TestPlanOfARunThatAPersonContinues(t *testing.T) {
	gated := func(u *placement.UpdateStrategySpec) {
		u.Stages[0].AfterStageTasks, u.Stages[1].BeforeStageTasks = append(waitTask(10*time.Minute), approvalTask()...), approvalTask()
	}
	stop := func(f *simulation) {
		f.SetState(placement.StateStop)
		f.until(func() bool { return strings.HasSuffix(f.Condition("Progressing"), "Stopped") })
	}
	newer := func(f *simulation) {
		f.EditBinding("b-2", func(b *placement.ResourceBinding) { b.Spec.ResourceSnapshotName = "web-3-snapshot"; b.Generation++ })
	}
	for _, ns := range []string{"", "shop"} {
		for _, tt := range []struct {
			name       string
			arrange    func(*simulation)
			next, back string
		}{
			{"running", func(f *simulation) { f.until(f.started("a-1")) }, "", ""},
			{"not started", func(f *simulation) { f.SetState(placement.StateInitialize); f.Step() }, "Start the run (stagewatch run): stage a, 2 clusters, max 1.", ""},
			{"stopped between clusters", func(f *simulation) {
				f.until(f.started("a-1"))
				stop(f)
			}, "Resume the run (stagewatch run): stage a, 1 cluster.", ""},
			{"taken while stopping", func(f *simulation) {
				f.until(f.started("a-1"))
				f.SetState(placement.StateStop)
				f.EditBinding("a-1", func(b *placement.ResourceBinding) { b.Spec.ResourceSnapshotName = "web-3-snapshot"; b.Generation++ })
				f.Pass(time.Second)
			}, "Do not resume the run yet: another run or a manual change holds a-1, and this run fails unless that update has finished.", ""},
			{"stopped at gates", func(f *simulation) {
				f.slow["run-2-after-a"], f.slow["run-2-before-b"] = 24*time.Hour, 24*time.Hour
				f.until(func() bool { return f.Approvals[types.NamespacedName{Namespace: ns, Name: "run-2-after-a"}] != nil })
				stop(f)
				newer(f)
			}, "Resume the run (stagewatch run): the timed wait until WAIT and approval run-2-after-a, then approval run-2-before-b, then stage b, 3 clusters, max 1.", "The run moves 1 pending cluster back to the older snapshot 2: b-2."},
			{"stopped after the gates of a stage", func(f *simulation) {
				f.slow["run-2-before-b"] = 24 * time.Hour
				f.until(func() bool { return f.Approvals[types.NamespacedName{Namespace: ns, Name: "run-2-before-b"}] != nil })
				stop(f)
			}, "Resume the run (stagewatch run): approval run-2-before-b, then stage b, 3 clusters, max 1.", ""},
			{"done", func(f *simulation) { f.Finish(); newer(f) }, "", ""},
		} {
			t.Run(tt.name+" "+ns, func(t *testing.T) {
				f := rolled(t, ns, gated)
				tt.arrange(f)
				p := forecast.Plan(f.Input(f.Key), f.runs(), f.Now, nil)
				rollout.Equal(t, "next", waitEnd.ReplaceAllString(p.Next().String(), "until WAIT"), tt.next)
				rollout.Equal(t, "back", p.MovesBack().String(), tt.back)
				for _, s := range p.Stages {
					for _, task := range append(s.Before, s.After...) {
						if s.Succeeded && !task.Passed {
							t.Errorf("stage %s has succeeded, task %v has not", s.Name, task)
						}
					}
				}
			})
		}
	}
	if (&plan.Plan{}).Next().String() != "" {
		t.Error("a run that does not exist is started")
	}
}
