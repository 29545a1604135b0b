package triage

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// The new run that a stuck one needs exists, and waits for its first approval: the stuck run has
// no other next step, and no decision is to be made between the two.
func TestTheNewRunThatAStuckOneNeedsExists(t *testing.T) {
	for _, stopped := range []bool{false, true} {
		w, run, now := notReady(t)
		old := w.Runs[run]
		meta.SetStatusCondition(&old.Status.Conditions, metav1.Condition{
			Type: placement.RunProgressing, Status: metav1.ConditionFalse, Reason: placement.ReasonRunStuck, ObservedGeneration: old.Generation,
			Message: "The updateRun is stuck waiting for prod-2 cluster(s) in stage prod to finish updating, please check placement status for potential errors",
		})
		pods := deployment(world.MemberPod{Name: "front-new", Phase: "Pending", Reason: "InvalidImageName", Message: "couldn't parse", Container: "app", Image: "shop/front:3!"})
		w.Report(&world.MemberReport{Run: run, Member: "prod-2", Context: "aks prod-2", Identity: verified(), Workloads: []world.MemberWorkload{pods}, At: now})
		next := old.DeepCopy()
		next.Name, next.UID, next.CreationTimestamp = "r2", "u-r2", metav1.NewTime(old.CreationTimestamp.Add(time.Minute))
		next.Status.ResourceSnapshotIndexUsed = "4"
		reason := placement.ReasonRunWaiting
		if next.Spec.State = placement.StateRun; stopped {
			next.Spec.State, reason = placement.StateStop, placement.ReasonRunStopped
		}
		meta.SetStatusCondition(&next.Status.Conditions, metav1.Condition{
			Type: placement.RunProgressing, Status: metav1.ConditionFalse, Reason: reason, ObservedGeneration: next.Generation,
			Message: "The updateRun is waiting for before-stage tasks in stage dev to complete",
		})
		for i := range next.Status.StagesStatus {
			s := &next.Status.StagesStatus[i]
			s.StartTime, s.EndTime, s.Conditions, s.BeforeStageTaskStatus, s.AfterStageTaskStatus = nil, nil, nil, nil, nil
			for j := range s.Clusters {
				s.Clusters[j].Conditions = nil
			}
		}
		first := &next.Status.StagesStatus[0]
		first.Conditions = []metav1.Condition{{Type: placement.StageProgressing, Status: metav1.ConditionFalse, Reason: placement.ReasonStageWaiting}}
		first.BeforeStageTaskStatus = []placement.TaskStatus{{Type: placement.TaskApproval, ApprovalRequestName: "r2-before-dev", Conditions: []metav1.Condition{{Type: placement.TaskApprovalRequestCreated, Status: metav1.ConditionTrue}}}}
		id := engine.NewID(run.Kind(), "", "r2", "u-r2")
		w.Runs[id] = next
		snap, _ := observe.Observe(nil, w, world.Changed{}, now)
		d := &snap.Find(run).Why
		want := "Run r2 (snapshot 4) waits for the approval before stage " + first.StageName + ": approve it (stagewatch approvals) if the snapshot has the fix."
		if stopped {
			want = "Run r2 (snapshot 4) is stopped: resume it if it has the fix."
		}
		steps := engine.Join(d.Steps, "\n").String()
		if d.Recovery != engine.RecoveryByNewRun || !strings.HasPrefix(steps, want) || strings.Contains(steps, "First decide") || strings.Contains(steps, "\nFix image") {
			t.Errorf("stopped %v: %s, %s", stopped, d.Recovery, steps)
		}
		if other := engine.Join(snap.Find(id).Why.Steps, "\n").String(); !stopped && !strings.Contains(other, "Run r1 is stuck. If it needs a new run, let this run continue as its replacement. Otherwise, let this run wait until r1 has finished.") {
			t.Errorf("the new run: %s", other)
		}
	}
}
