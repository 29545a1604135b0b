package rollout

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// PickN returns a change of the policy to PickN with a number of clusters, none when empty.
func PickN(count string) func(*placement.SchedulingPolicySnapshot) {
	return func(o *placement.SchedulingPolicySnapshot) {
		o.Spec.Policy = &placement.PlacementPolicy{PlacementType: placement.PickN}
		if count != "" {
			o.Annotations = map[string]string{LabelPrefix + "number-of-clusters": count}
		}
	}
}

// Approval returns a stage task.
func Approval() placement.StageTask { return placement.StageTask{Type: placement.TaskApproval} }

// TimedWait returns a stage task.
func TimedWait(d time.Duration) placement.StageTask {
	return placement.StageTask{Type: placement.TaskTimedWait, WaitTime: &metav1.Duration{Duration: d}}
}

func applied() *placement.ApplyStrategy {
	return &placement.ApplyStrategy{
		Type: placement.ApplyClientSide, ComparisonOption: placement.ComparePartial,
		WhenToApply: placement.ApplyAlways, WhenToTakeOver: placement.TakeOverAlways,
	}
}

// Stage returns a stage for the clusters with its name as label env.
func Stage(name, limit string) placement.StageConfig {
	n := intstr.Parse(limit)
	return placement.StageConfig{
		Name: name, MaxConcurrency: &n,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"env": name}},
	}
}
