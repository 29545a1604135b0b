package triage

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// A change that the controller has not observed is named where the objects tell which it is:
// until a stop is observed, more clusters start.
func TestTheUnobservedChangeIsNamed(t *testing.T) {
	for _, tt := range []struct{ base, says string }{
		{"stop-just-asked", "Stop was requested (spec.state is Stop): until it is observed, the run may start more clusters."},
		{"resume-just-asked", "A resume was requested (spec.state is Run)."},
		{"run-just-asked", "A start was requested (spec.state is Run)."},
	} {
		v := diagnosed(t, tt.base, "", func(s *situation) {
			s.Run.CreationTimestamp = metav1.NewTime(moment(t, "09:00:00"))
			s.Now, s.Seen = "10:59:00", "10:30:00"
		})
		if v.Word != engine.WordNotObserved || !strings.Contains(v.Why.What.String(), tt.says) {
			t.Errorf("%s: %s: %s", tt.base, v.Word, v.Why.What)
		}
	}
}

// A cluster that another run holds and that has finished is not to be waited for: the run
// stops at the next check.
func TestAHeldClusterThatHasFinished(t *testing.T) {
	v := diagnosed(t, "preempted-by-binding", "", func(s *situation) {
		s.Run = *s.Run.DeepCopy()
		s.Run.Spec.State = placement.StateStop
		for i := range s.Bindings {
			if b := &s.Bindings[i]; b.Cluster == "prod-2" {
				for _, typ := range []string{placement.BindingOverridden, placement.BindingWorkSynchronized, placement.BindingApplied, placement.BindingAvailable} {
					b.Conditions = append(b.Conditions, metav1.Condition{Type: typ, Status: metav1.ConditionTrue, Reason: "x", ObservedGeneration: b.Generation, LastTransitionTime: metav1.NewTime(moment(t, "10:02:30"))})
				}
			}
		}
	})
	all := engine.Join(v.Why.Steps, " ").String()
	if !strings.Contains(v.Why.RecoveryText.String(), "cluster prod-2 has finished with snapshot 2, and the run stops at the controller's next check") ||
		!strings.HasPrefix(all, "Wait for the controller's next check. Resuming this run") || strings.Contains(all, "Wait until cluster prod-2") {
		t.Errorf("%s %s: %s", v.Why.Cause, v.Why.RecoveryText, all)
	}
}

// A run that is to stop and whose started cluster has no binding fails: no step says that it
// stops.
func TestAStoppingRunWithoutABindingFails(t *testing.T) {
	v := diagnosed(t, "stuck-while-stopping", "", func(s *situation) {
		s.Bindings = []bindingData{{Cluster: "another", State: "Bound", SnapshotName: "shop-3-snapshot"}}
	})
	if all := engine.Join(v.Why.Steps, " ").String(); v.Why.Recovery == engine.RecoveryByNewRun && strings.Contains(all, "reported as stopped when") || !strings.Contains(all, "this run fails") {
		t.Errorf("%s %s: %s", v.Why.Cause, v.Why.Recovery, all)
	}
}

// A placement that names its clusters has no number of them to set back.
func TestNoNumberIsSetBackOfNamedClusters(t *testing.T) {
	for typ, offered := range map[placement.PlacementType]bool{placement.PickN: true, placement.PickFixed: false} {
		v := diagnosed(t, "ready", "", func(s *situation) {
			s.surrounded(t)
			s.Run.Status.PolicyObservedClusterCount = 9
			s.Nearby.Policy = &placement.PlacementPolicy{PlacementType: typ, ClusterNames: []string{"a", "b", "c", "d", "e", "f"}}
			s.Nearby.Policies[0].Spec.Policy = s.Nearby.Policy
			s.Nearby.Policies[0].Annotations = map[string]string{placement.AnnotationNumberOfClusters: "6"}
		})
		all := engine.Join(v.Why.Steps, " ").String()
		if got := strings.Contains(all, "numberOfClusters"); got != offered {
			t.Errorf("%s: %s: %s", typ, v.Why.What, all)
		}
	}
}
