package scenario

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// Labels of the scenarios' members.
const (
	labelRing   = "env"
	labelRegion = "region"
	labelOrder  = "rollout-order"
)

// ring returns a stage of the members with this ring, atOnce of them at a time.
func ring(name string, atOnce intstr.IntOrString, tasks ...func(*placement.StageConfig)) placement.StageConfig {
	stage := placement.StageConfig{
		Name:            name,
		LabelSelector:   &metav1.LabelSelector{MatchLabels: map[string]string{labelRing: name}},
		SortingLabelKey: new(labelOrder),
		MaxConcurrency:  &atOnce,
	}
	for _, add := range tasks {
		add(&stage)
	}
	return stage
}

// beforeApproval lets the stage begin only when a person approved it.
func beforeApproval(s *placement.StageConfig) {
	s.BeforeStageTasks = append(s.BeforeStageTasks, placement.StageTask{Type: placement.TaskApproval})
}

// afterApproval lets the stage end only when a person approved it.
func afterApproval(s *placement.StageConfig) {
	s.AfterStageTasks = append(s.AfterStageTasks, placement.StageTask{Type: placement.TaskApproval})
}

// afterWait lets the stage end only a while after its last cluster.
func afterWait(wait time.Duration) func(*placement.StageConfig) {
	return func(s *placement.StageConfig) {
		s.AfterStageTasks = append(s.AfterStageTasks, placement.StageTask{
			Type: placement.TaskTimedWait, WaitTime: &metav1.Duration{Duration: wait},
		})
	}
}

func one() intstr.IntOrString                   { return intstr.FromInt32(1) }
func clustersAtOnce(n int32) intstr.IntOrString { return intstr.FromInt32(n) }
func share(percent string) intstr.IntOrString   { return intstr.FromString(percent) }
