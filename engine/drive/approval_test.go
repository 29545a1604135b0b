package drive_test

import (
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/internal/rollout"
)

// gated makes a run that waits for the approval before stage a.
func gated(t testing.TB, ns string) *rollout.World {
	w := rollout.New(t, ns)
	w.EditStrategy(func(s *placement.UpdateStrategySpec) {
		s.Stages[0].BeforeStageTasks = []placement.StageTask{rollout.Approval()}
		s.Stages[0].AfterStageTasks = []placement.StageTask{rollout.Approval()}
	})
	w.Start(placement.StateRun)
	w.Pass(0)
	return w
}

func request(w *rollout.World) *placement.ApprovalRequest {
	return w.Approvals[types.NamespacedName{Namespace: w.Namespace, Name: "run-before-a"}]
}

func task(w *rollout.World, kind string) string {
	return rollout.Condition(w.Stage(0).BeforeStageTaskStatus[0].Conditions, kind)
}

func TestApprovalRequest(t *testing.T) {
	for _, ns := range []string{"", "team"} {
		w := gated(t, ns)
		r := request(w)
		rollout.Equal(t, "4 labels", r.Labels, map[string]string{rollout.LabelPrefix + "targetUpdateRun": "run", rollout.LabelPrefix + "targetUpdatingStage": "a", rollout.LabelPrefix + "taskType": "beforeStage", rollout.LabelPrefix + "isLatestUpdateRunApproval": "true"})
		rollout.Equal(t, "4 spec", r.Spec, placement.ApprovalRequestSpec{ParentStageRollout: "run", TargetStage: "a"})
		rollout.Equal(t, "4 no owner, no finalizer", len(r.OwnerReferences)+len(r.Finalizers), 0)
		rollout.Equal(t, "task", task(w, "ApprovalRequestCreated"), "True/StageTaskApprovalRequestCreated")
		w.Approve("run-before-a")
		w.Pass(time.Second)
		rollout.Equal(t, "request", request(w).Status.Conditions, []metav1.Condition{
			{Type: "Approved", Status: "True", Reason: "lgtm", Message: "by hand", ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(rollout.Epoch)},
			{Type: "ApprovalAccepted", Status: "True", Reason: "ApprovalRequestApprovalAccepted", Message: "The approval request has been approved and cannot be reverted", ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(rollout.Epoch.Add(time.Second))},
		})
		rollout.Equal(t, "task", task(w, "ApprovalRequestApproved"), "True/StageTaskApprovalRequestApproved")
		throughStage(w)
		after := w.Approvals[types.NamespacedName{Namespace: ns, Name: "run-after-a"}]
		rollout.Equal(t, "after", after.Labels[rollout.LabelPrefix+"taskType"], "afterStage")
	}
}

func TestApprovalCases(t *testing.T) {
	granted, pending := "True/StageTaskApprovalRequestApproved", "-"
	for _, tc := range []struct {
		name string
		act  func(*rollout.World)
		want string
	}{
		{"Approved True at the generation", func(w *rollout.World) { w.Approve("run-before-a") }, granted},
		{"Approved True with observedGeneration 0", func(w *rollout.World) { w.Review("run-before-a", "True", 0) }, pending},
		{"Approved True with a later observedGeneration", func(w *rollout.World) { w.Review("run-before-a", "True", 2) }, pending},
		{"written again with the right one", func(w *rollout.World) {
			w.Review("run-before-a", "True", 0)
			w.Pass(time.Second)
			w.Approve("run-before-a")
		}, granted},
		{"Approved False", func(w *rollout.World) { w.Review("run-before-a", "False", 1) }, pending},
		{"Approved Unknown", func(w *rollout.World) { w.Review("run-before-a", "Unknown", 1) }, pending},
		{"flipped back before it was seen", func(w *rollout.World) {
			w.Approve("run-before-a")
			w.Review("run-before-a", "False", 1)
		}, pending},
		{"un-approved after it was accepted", func(w *rollout.World) {
			w.Approve("run-before-a")
			w.Pass(time.Second)
			w.Review("run-before-a", "False", 1)
			w.Pass(time.Second)
		}, granted},
		{"un-approved after it was accepted, task not marked", func(w *rollout.World) {
			w.Approve("run-before-a")
			rollout.SetCondition(&request(w).Status.Conditions, "ApprovalAccepted", "True")
			w.Review("run-before-a", "False", 1)
		}, granted},
		{"deleted while pending", func(w *rollout.World) {
			delete(w.Approvals, types.NamespacedName{Namespace: w.Namespace, Name: "run-before-a"})
		}, pending},
		{"deleted when approved, not accepted", func(w *rollout.World) {
			w.Approve("run-before-a")
			delete(w.Approvals, types.NamespacedName{Namespace: w.Namespace, Name: "run-before-a"})
		}, pending},
		{"labels are not checked", func(w *rollout.World) {
			request(w).Labels = nil
			w.Approve("run-before-a")
		}, granted},
	} {
		t.Run("4 "+tc.name, func(t *testing.T) {
			for _, ns := range []string{"", "team"} {
				w := gated(t, ns)
				tc.act(w)
				w.Pass(time.Second)
				rollout.Equal(t, "task", task(w, "ApprovalRequestApproved"), tc.want)
				rollout.Equal(t, "request exists", request(w) != nil, true)
				rollout.Equal(t, "clusters", w.Clusters(0), map[string]string{granted: "a-1> a-2.", pending: "a-1. a-2."}[tc.want])
				created := meta.FindStatusCondition(w.Stage(0).BeforeStageTaskStatus[0].Conditions, "ApprovalRequestCreated")
				rollout.Equal(t, "created keeps its time", created.LastTransitionTime.Time.Equal(rollout.Epoch), true)
			}
		})
	}
}

func TestApprovalDeletedAfterGrant(t *testing.T) {
	w := gated(t, "")
	w.Approve("run-before-a")
	w.Pass(time.Second)
	clear(w.Approvals)
	w.Pass(clusterCheck)
	rollout.Equal(t, "4 it is not made again", len(w.Approvals), 0)
	rollout.Equal(t, "run", w.Condition("Progressing"), "True/UpdateRunProgressing")
}

func TestApprovalInOtherStates(t *testing.T) {
	w := gated(t, "")
	w.Approve("run-before-a")
	w.SetState(placement.StateStop)
	w.Pass(time.Second)
	rollout.Equal(t, "4 not accepted in Stop", rollout.Condition(request(w).Status.Conditions, "ApprovalAccepted"), "-")
	clear(w.Approvals)
	w.Pass(time.Second)
	rollout.Equal(t, "4 not made again in Stop", len(w.Approvals), 0)
	w = rollout.New(t, "")
	w.EditStrategy(func(s *placement.UpdateStrategySpec) {
		s.Stages[0].BeforeStageTasks = []placement.StageTask{rollout.Approval()}
	})
	w.Start(placement.StateInitialize)
	w.Pass(0)
	w.Pass(0)
	rollout.Equal(t, "4 not made in Initialize", len(w.Approvals), 0)
}

func TestApprovalPreApproved(t *testing.T) {
	w := rollout.New(t, "team")
	w.EditStrategy(func(s *placement.UpdateStrategySpec) {
		s.Stages[0].BeforeStageTasks = []placement.StageTask{rollout.Approval()}
	})
	r := &placement.ApprovalRequest{ObjectMeta: w.Meta("run-before-a"), Spec: placement.ApprovalRequestSpec{ParentStageRollout: "run", TargetStage: "a"}}
	w.Put(r)
	w.Approve("run-before-a")
	w.Start(placement.StateRun)
	rollout.Equal(t, "4 honoured at once", w.Pass(0), later(clusterCheck))
	rollout.Equal(t, "clusters", w.Clusters(0), "a-1> a-2.")
}

func TestForeignApproval(t *testing.T) {
	for _, spec := range []placement.ApprovalRequestSpec{{ParentStageRollout: "other", TargetStage: "a"}, {ParentStageRollout: "run", TargetStage: "z"}} {
		for _, ns := range []string{"", "team"} {
			w := rollout.New(t, ns)
			w.EditStrategy(func(s *placement.UpdateStrategySpec) {
				s.Stages[0].BeforeStageTasks = []placement.StageTask{rollout.Approval()}
			})
			w.Put(&placement.ApprovalRequest{ObjectMeta: w.Meta("run-before-a"), Spec: spec})
			w.Start(placement.StateRun)
			rollout.Equal(t, "decision", w.Pass(0), drive.Decision{})
			want := fmt.Sprintf(a+": "+x+": the approval request task `%s/run-before-a` is targeting update run `%s/%s` and stage `%s`, want target update run `%s/run and stage `a`", ns, ns, spec.ParentStageRollout, spec.TargetStage, ns)
			rollout.Equal(t, "4 foreign request", w.Message("Succeeded"), want)
			rollout.Equal(t, "stage", rollout.Condition(w.Stage(0).Conditions, "Succeeded"), "False/StageUpdatingFailed")
			rollout.Equal(t, "created is marked before", task(w, "ApprovalRequestCreated"), "True/StageTaskApprovalRequestCreated")
		}
	}
}

func TestApprovalErrorsAreRetried(t *testing.T) {
	notFound := apierrors.NewNotFound(schema.GroupResource{Resource: "requests"}, "run-before-a")
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "requests"}, "run-before-a", rollout.ErrRead)
	for _, tc := range []struct {
		name string
		op   pass.Op
		err  error
		want string
		also bool
	}{
		{"create", pass.OpCreateApproval, rollout.ErrRead, s + ": cache is cold", false},
		{"create, reply lost", pass.OpCreateApproval, rollout.ErrRead, s + ": cache is cold", true},
		{"get not found at first sight", pass.OpGetApproval, notFound, s + ": requests \"run-before-a\" not found", false},
		{"accept conflict", pass.OpAcceptApproval, conflict, e + ": Operation cannot be fulfilled on requests \"run-before-a\": cache is cold", false},
		{"accept, reply lost", pass.OpAcceptApproval, rollout.ErrRead, s + ": cache is cold", true},
	} {
		t.Run("4 "+tc.name, func(t *testing.T) {
			w := gated(t, "")
			w.Approve("run-before-a")
			if tc.op == pass.OpCreateApproval {
				clear(w.Approvals)
			}
			w.Fault = func(e pass.Effect) (error, bool) {
				if e.Op == tc.op {
					return tc.err, tc.also
				}
				return nil, false
			}
			rollout.Equal(t, "error", fmt.Sprint(w.Pass(time.Second).Err), tc.want)
			rollout.Equal(t, "not terminal", w.Condition("Succeeded"), "-")
			w.Fault = nil
			if tc.op == pass.OpCreateApproval {
				w.Pass(time.Second)
				w.Approve("run-before-a")
			}
			w.Pass(time.Second)
			rollout.Equal(t, "goes on", w.Clusters(0), "a-1> a-2.")
		})
	}
}

// TestAfterApprovalErrors holds that an error of an after task leaves the
// stage as it was, and that a foreign request ends the run there too.
func TestAfterApprovalErrors(t *testing.T) {
	w := rollout.New(t, "")
	w.EditStrategy(func(s *placement.UpdateStrategySpec) {
		s.Stages[0].AfterStageTasks = []placement.StageTask{rollout.Approval()}
	})
	w.Start(placement.StateRun)
	w.Fault = func(e pass.Effect) (error, bool) {
		if e.Op == pass.OpCreateApproval {
			return rollout.ErrRead, false
		}
		return nil, false
	}
	rollout.Equal(t, "error", fmt.Sprint(throughStage(w).Err), s+": cache is cold")
	rollout.Equal(t, "stage", rollout.Condition(w.Stage(0).Conditions, "Progressing"), "False/StageUpdatingWaiting")
	w.Fault = nil
	w.Put(&placement.ApprovalRequest{ObjectMeta: w.Meta("run-after-a"), Spec: placement.ApprovalRequestSpec{ParentStageRollout: "other"}})
	rollout.Equal(t, "decision", w.Pass(time.Second), drive.Decision{})
	rollout.Equal(t, "stage", rollout.Condition(w.Stage(0).Conditions, "Succeeded"), "False/StageUpdatingFailed")
}

func TestTriggers(t *testing.T) {
	run := &placement.StagedUpdateRun{ObjectMeta: metav1.ObjectMeta{Generation: 1}}
	edited := &placement.StagedUpdateRun{ObjectMeta: metav1.ObjectMeta{Generation: 2}}
	rollout.Equal(t, "3.1 status update", drive.RunChanged(run, run), false)
	rollout.Equal(t, "3.1 generation", drive.RunChanged(run, edited), true)

	request := func(conditions ...metav1.Condition) *placement.ApprovalRequest {
		return &placement.ApprovalRequest{
			ObjectMeta: metav1.ObjectMeta{Generation: 1},
			Spec:       placement.ApprovalRequestSpec{ParentStageRollout: "run"},
			Status:     placement.ApprovalRequestStatus{Conditions: conditions},
		}
	}
	is := func(kind, value string, generation int64) metav1.Condition {
		return metav1.Condition{Type: kind, Status: metav1.ConditionStatus(value), ObservedGeneration: generation}
	}
	open, approved, stale := request(), request(is("Approved", "True", 1)), request(is("Approved", "True", 0))
	denied := request(is("Approved", "False", 1))
	accepted := request(is("Approved", "True", 1), is("ApprovalAccepted", "True", 1))
	for _, tc := range []struct {
		name          string
		before, after *placement.ApprovalRequest
		want          bool
	}{
		{"approved", open, approved, true},
		{"un-approved", approved, denied, true},
		{"not at the generation", open, stale, false},
		{"repaired", stale, approved, true},
		{"accepted", approved, accepted, false},
		{"denied", open, denied, false},
	} {
		rollout.Equal(t, "3.1 "+tc.name, drive.ApprovalChanged(tc.before, tc.after), tc.want)
	}
	rollout.Equal(t, "3.1 open one deleted", drive.ApprovalDeleted(open), true)
	rollout.Equal(t, "3.1 approved one deleted", drive.ApprovalDeleted(approved), true)
	rollout.Equal(t, "3.1 accepted one deleted", drive.ApprovalDeleted(accepted), false)
	rollout.Equal(t, "3.1 accepted, then denied, deleted", drive.ApprovalDeleted(request(is("Approved", "False", 0), is("ApprovalAccepted", "True", 1))), false)
	rollout.Equal(t, "3.1 accepted without Approved deleted", drive.ApprovalDeleted(request(is("ApprovalAccepted", "True", 1))), true)
	rollout.Equal(t, "3.1 mapping", drive.RunOf(open), "run")
}
