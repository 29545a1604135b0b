package drive

import (
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// These rules guard against what validation has already excluded within one
// pass, so that Reconcile cannot reach them from any Input. Upstream has them,
// and their texts belong to the contract.
func guarded(state placement.State) *Executor {
	p := NewExecutor(&pass.Input{Run: &placement.StagedUpdateRun{ObjectMeta: metav1.ObjectMeta{Generation: 1}, Spec: placement.UpdateRunSpec{State: state, PlacementName: "web"}}}, pass.DefaultTiming(), time.Unix(1000, 0), nil)
	p.Status().StagedUpdateStrategySnapshot = &placement.UpdateStrategySpec{Stages: []placement.StageConfig{{Name: "a", MaxConcurrency: &intstr.IntOrString{IntVal: 1}}}}
	started := metav1.Condition{Type: placement.ClusterStarted, Status: metav1.ConditionTrue, ObservedGeneration: 1}
	p.Status().StagesStatus = []placement.StageStatus{{StageName: "a", Clusters: []placement.ClusterStatus{{ClusterName: "a-1", Conditions: []metav1.Condition{started}}}}}
	p.Status().DeletionStageStatus = &placement.StageStatus{StageName: placement.DeletionStageName}
	return p
}

func TestGuards(t *testing.T) {
	const x = "cannot continue the updateRun: unexpected behavior which cannot be handled by the controller: "
	stranger := []*placement.ResourceBinding{{Spec: placement.BindingSpec{TargetCluster: "x-1"}}}
	for _, tc := range []struct {
		name, want string
		run        func(*Executor) error
	}{
		{"3.4/5 no selected binding", x + "the binding for cluster `a-1` in stage `a` is not found in the toBeUpdatedBindings map", func(p *Executor) error {
			_, _, err := p.Execute(0)
			return err
		}},
		{"3.6 no selected binding", x + "the binding for cluster `a-1` in stage `a` is not found in the toBeUpdatedBindings map during stopping", func(p *Executor) error {
			_, _, err := p.stop(0)
			return err
		}},
		{"3.7 not in the deletion stage", x + "the to be deleted cluster `x-1` is not in the deleting stage during execution", func(p *Executor) error {
			p.Leaving = stranger
			_, _, err := p.Execute(1)
			return err
		}},
		{"3.7 not in the deletion stage while stopping", x + "the to be deleted cluster `x-1` is not in the deleting stage during stopping", func(p *Executor) error {
			p.Leaving = stranger
			_, _, err := p.stop(1)
			return err
		}},
		{"3.4/4 maxConcurrency", "cannot continue the updateRun: nil value for IntOrString", func(p *Executor) error {
			p.Status().StagedUpdateStrategySnapshot.Stages[0].MaxConcurrency = nil
			_, _, err := p.Execute(0)
			return err
		}},
		{"no status of a before task", x + "the before stage task `0` of stage `a` has no status", func(p *Executor) error {
			p.Status().StagedUpdateStrategySnapshot.Stages[0].BeforeStageTasks = []placement.StageTask{{Type: placement.TaskApproval}}
			_, _, err := p.Execute(0)
			return err
		}},
		{"no status of an after task", x + "the after stage task `0` of stage `a` has no status", func(p *Executor) error {
			p.Status().StagedUpdateStrategySnapshot.Stages[0].AfterStageTasks = []placement.StageTask{{Type: placement.TaskApproval}}
			_, err := p.completeStage(&p.Status().StagesStatus[0], &p.Status().StagedUpdateStrategySnapshot.Stages[0])
			return err
		}},
		{"unknown before task", x + "found unsupported task type in before stage tasks: Dance", func(p *Executor) error {
			p.Status().StagedUpdateStrategySnapshot.Stages[0].BeforeStageTasks = []placement.StageTask{{Type: "Dance"}}
			_, _, err := p.Execute(0)
			return err
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := guarded(placement.StateRun)
			err := tc.run(p)
			if err == nil || err.Error() != tc.want {
				t.Errorf("got %v\nwant %s", err, tc.want)
			}
			if !errors.Is(err, pass.ErrAborted) {
				t.Error("the run goes on")
			}
		})
	}
}
