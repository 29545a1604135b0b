package triage

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// A run that is stopped in its deletion stage is reported as stopped only when no binding is
// left to delete: one with deletions that are not started needs a person
// (docs/kubefleet.md#stop).
func TestStoppedInTheDeletionStage(t *testing.T) {
	started := func(s *situation, name string) { // and not gone
		s.Run.Status.DeletionStageStatus.Clusters = append(s.Run.Status.DeletionStageStatus.Clusters, placement.ClusterStatus{
			ClusterName: name, Conditions: s.Run.Status.DeletionStageStatus.Clusters[1].Conditions,
		})
	}
	pending := func(s *situation, name string) {
		s.Run.Status.DeletionStageStatus.Clusters = append(s.Run.Status.DeletionStageStatus.Clusters, placement.ClusterStatus{ClusterName: name})
	}
	for _, tt := range []struct {
		name, what, warns string
		change            func(*situation)
		recovery          engine.Recovery
	}{
		{"all started", "still being deleted from 2 clusters", "resources are still being deleted from 2 clusters.", func(s *situation) { started(s, "old-3") }, engine.RecoveryAutomatic},
		{"one is not started", "still being deleted from 1 cluster", "resources are still being deleted from 1 cluster.", func(s *situation) { pending(s, "old-3") }, engine.RecoveryByPerson},
		{"one is gone, one not started", "the deletion from old-2 is done, and the controller has not recorded it yet", "resources are still being deleted from 1 cluster.", func(s *situation) {
			pending(s, "old-3")
			s.Bindings = []bindingData{{Cluster: "old-3", State: "Unscheduled"}}
		}, engine.RecoveryByPerson},
		{"one is done, one not started", "stopped in the deletion stage with 1 of 2 deletions done, and no other is started", "deletions are left that are not started.", func(s *situation) {
			stage := s.Run.Status.DeletionStageStatus
			stage.Clusters[1].Conditions = nil
			stage.Conditions[0].Status, stage.Conditions[0].Reason = metav1.ConditionFalse, placement.ReasonStageStopped
		}, engine.RecoveryByPerson},
	} {
		for scope, ns := range scopes {
			t.Run(tt.name+"/"+scope, func(t *testing.T) {
				s := load(t, "../internal/situation/testdata", 50)["removing"]
				s.Run.Spec.State = placement.StateStop
				status := &s.Run.Status
				for i := range status.Conditions {
					if c := &status.Conditions[i]; c.Type == placement.RunProgressing {
						c.Status, c.Reason = metav1.ConditionUnknown, placement.ReasonRunStopping
					}
				}
				c := &status.DeletionStageStatus.Conditions[0]
				c.Status, c.Reason = metav1.ConditionUnknown, "StageUpdatingStopping"
				tt.change(&s)
				w, id := s.world(t, ns)
				at := moment(t, s.Now)
				snap, _ := observe.Observe(nil, w, world.Changed{}, at)
				v := snap.Find(id)
				if v.Word != engine.WordStopping || !strings.Contains(v.Why.What.String(), tt.what) || v.Why.Recovery != tt.recovery || !startsWithRecovery(v.Why.Recovery, v.Why.RecoveryText) {
					t.Errorf("%s, %s: %s / %s", v.Word, v.Why.Recovery, v.Why.What, v.Why.RecoveryText)
				}
				if v.NeedsAttention() != (tt.recovery == engine.RecoveryByPerson) {
					t.Errorf("needs attention: %v", v.NeedsAttention())
				}
				resume, no := act.Propose(snap, engine.ActRun, id, at)
				if no.Refused() || !strings.Contains(engine.Join(resume.Warn, " ").String(), tt.warns) {
					t.Errorf("resume: %q %s", resume.Warn, no.Why)
				}
				_, no = act.Propose(snap, engine.ActStop, id, at)
				if stays := strings.Contains(no.Hint.String(), "it stays STOPPING until it is resumed"); stays != (tt.recovery == engine.RecoveryByPerson) {
					t.Errorf("stop: %s", no.Hint)
				}
				if resumes := strings.Contains(v.Why.Next.String(), "esume the run"); resumes != (tt.recovery == engine.RecoveryByPerson) {
					t.Errorf("next: %s", v.Why.Next)
				}
			})
		}
	}
}
