package drive_test

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

func pickN(count string) func(*placement.SchedulingPolicySnapshot) {
	return func(o *placement.SchedulingPolicySnapshot) {
		o.Spec.Policy = &placement.PlacementPolicy{PlacementType: placement.PickN}
		if count != "" {
			o.Annotations = map[string]string{fleet + "number-of-clusters": count}
		}
	}
}

func approval() placement.StageTask { return placement.StageTask{Type: placement.TaskApproval} }

func timed(d time.Duration) placement.StageTask {
	return placement.StageTask{Type: placement.TaskTimedWait, WaitTime: &metav1.Duration{Duration: d}}
}

func applied() *placement.ApplyStrategy {
	return &placement.ApplyStrategy{
		Type: placement.ApplyClientSide, ComparisonOption: placement.ComparePartial,
		WhenToApply: placement.ApplyAlways, WhenToTakeOver: placement.TakeOverAlways,
	}
}

func stage(name, limit string) placement.StageConfig {
	n := intstr.Parse(limit)
	return placement.StageConfig{
		Name: name, MaxConcurrency: &n,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"env": name}},
	}
}
