package triage

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// TestNoOtherStrategyThatFails: a strategy whose stages fit is offered, and not one that fails
// initialization for its tasks or its sorting label.
func TestNoOtherStrategyThatFails(t *testing.T) {
	approval, region := placement.StageTask{Type: placement.TaskApproval}, "region"
	for scope, ns := range scopes {
		s := load(t, "../internal/situation/testdata", 50)["stopped"]
		s.surrounded(t)
		failedBy(&s, "cannot continue the updateRun: failed to validate the updateRun: some clusters are not placed in any stage, total 1, showing up to 10: prod-4")
		for i := range s.Members {
			if s.Members[i].Name == "prod-4" {
				s.Members[i].Labels = map[string]string{"ring": "edge"}
			}
		}
		for name, stage := range map[string]placement.StageConfig{
			"all": {}, "twice": {AfterStageTasks: []placement.StageTask{approval, approval}}, "sorted": {SortingLabelKey: &region},
		} {
			one := intstr.FromInt32(1)
			stage.Name, stage.LabelSelector, stage.MaxConcurrency = "all", &metav1.LabelSelector{}, &one
			s.Nearby.Strategies = append(s.Nearby.Strategies, &placement.StagedUpdateStrategy{
				ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: placement.UpdateStrategySpec{Stages: []placement.StageConfig{stage}},
			})
		}
		w, id := s.world(t, ns)
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		if steps := engine.Join(snap.Find(id).Why.Steps, " ").String(); !strings.Contains(steps, "each picked cluster matches one stage of all. ") {
			t.Errorf("%s: %s", scope, steps)
		}
	}
}
