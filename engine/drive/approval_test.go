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
)

// gated makes a run that waits for the approval before stage a.
func gated(t testing.TB, ns string) *world {
	w := newWorld(t, ns)
	w.strategy(func(s *placement.UpdateStrategySpec) {
		s.Stages[0].BeforeStageTasks = []placement.StageTask{approval()}
		s.Stages[0].AfterStageTasks = []placement.StageTask{approval()}
	})
	w.start(placement.StateRun)
	w.pass(0)
	return w
}

func request(w *world) *placement.ApprovalRequest {
	return w.Approvals[types.NamespacedName{Namespace: w.ns, Name: "run-before-a"}]
}

func task(w *world, kind string) string {
	return cond(w.stage(0).BeforeStageTaskStatus[0].Conditions, kind)
}

func TestApprovalRequest(t *testing.T) {
	for _, ns := range []string{"", "team"} {
		w := gated(t, ns)
		r := request(w)
		equal(t, "4 labels", r.Labels, map[string]string{fleet + "targetUpdateRun": "run", fleet + "targetUpdatingStage": "a", fleet + "taskType": "beforeStage", fleet + "isLatestUpdateRunApproval": "true"})
		equal(t, "4 spec", r.Spec, placement.ApprovalRequestSpec{ParentStageRollout: "run", TargetStage: "a"})
		equal(t, "4 no owner, no finalizer", len(r.OwnerReferences)+len(r.Finalizers), 0)
		equal(t, "task", task(w, "ApprovalRequestCreated"), "True/StageTaskApprovalRequestCreated")
		w.approve("run-before-a")
		w.pass(time.Second)
		equal(t, "request", request(w).Status.Conditions, []metav1.Condition{
			{Type: "Approved", Status: "True", Reason: "lgtm", Message: "by hand", ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(epoch)},
			{Type: "ApprovalAccepted", Status: "True", Reason: "ApprovalRequestApprovalAccepted", Message: "The approval request has been approved and cannot be reverted", ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(epoch.Add(time.Second))},
		})
		equal(t, "task", task(w, "ApprovalRequestApproved"), "True/StageTaskApprovalRequestApproved")
		throughStage(w)
		after := w.Approvals[types.NamespacedName{Namespace: ns, Name: "run-after-a"}]
		equal(t, "after", after.Labels[fleet+"taskType"], "afterStage")
	}
}

func TestApprovalCases(t *testing.T) {
	granted, pending := "True/StageTaskApprovalRequestApproved", "-"
	for _, tc := range []struct {
		name string
		act  func(*world)
		want string
	}{
		{"Approved True at the generation", func(w *world) { w.approve("run-before-a") }, granted},
		{"Approved True with observedGeneration 0", func(w *world) { w.review("run-before-a", "True", 0) }, pending},
		{"Approved True with a later observedGeneration", func(w *world) { w.review("run-before-a", "True", 2) }, pending},
		{"written again with the right one", func(w *world) {
			w.review("run-before-a", "True", 0)
			w.pass(time.Second)
			w.approve("run-before-a")
		}, granted},
		{"Approved False", func(w *world) { w.review("run-before-a", "False", 1) }, pending},
		{"Approved Unknown", func(w *world) { w.review("run-before-a", "Unknown", 1) }, pending},
		{"flipped back before it was seen", func(w *world) {
			w.approve("run-before-a")
			w.review("run-before-a", "False", 1)
		}, pending},
		{"un-approved after it was accepted", func(w *world) {
			w.approve("run-before-a")
			w.pass(time.Second)
			w.review("run-before-a", "False", 1)
			w.pass(time.Second)
		}, granted},
		{"un-approved after it was accepted, task not marked", func(w *world) {
			w.approve("run-before-a")
			mark(&request(w).Status.Conditions, "ApprovalAccepted", "True")
			w.review("run-before-a", "False", 1)
		}, granted},
		{"deleted while pending", func(w *world) { delete(w.Approvals, types.NamespacedName{Namespace: w.ns, Name: "run-before-a"}) }, pending},
		{"deleted when approved, not accepted", func(w *world) {
			w.approve("run-before-a")
			delete(w.Approvals, types.NamespacedName{Namespace: w.ns, Name: "run-before-a"})
		}, pending},
		{"labels are not checked", func(w *world) {
			request(w).Labels = nil
			w.approve("run-before-a")
		}, granted},
	} {
		t.Run("4 "+tc.name, func(t *testing.T) {
			for _, ns := range []string{"", "team"} {
				w := gated(t, ns)
				tc.act(w)
				w.pass(time.Second)
				equal(t, "task", task(w, "ApprovalRequestApproved"), tc.want)
				equal(t, "request exists", request(w) != nil, true)
				equal(t, "clusters", w.clusters(0), map[string]string{granted: "a-1> a-2.", pending: "a-1. a-2."}[tc.want])
				created := meta.FindStatusCondition(w.stage(0).BeforeStageTaskStatus[0].Conditions, "ApprovalRequestCreated")
				equal(t, "created keeps its time", created.LastTransitionTime.Time.Equal(epoch), true)
			}
		})
	}
}

func TestApprovalDeletedAfterGrant(t *testing.T) {
	w := gated(t, "")
	w.approve("run-before-a")
	w.pass(time.Second)
	clear(w.Approvals)
	w.pass(clusterCheck)
	equal(t, "4 it is not made again", len(w.Approvals), 0)
	equal(t, "run", w.cond("Progressing"), "True/UpdateRunProgressing")
}

func TestApprovalInOtherStates(t *testing.T) {
	w := gated(t, "")
	w.approve("run-before-a")
	w.state(placement.StateStop)
	w.pass(time.Second)
	equal(t, "4 not accepted in Stop", cond(request(w).Status.Conditions, "ApprovalAccepted"), "-")
	clear(w.Approvals)
	w.pass(time.Second)
	equal(t, "4 not made again in Stop", len(w.Approvals), 0)
	w = newWorld(t, "")
	w.strategy(func(s *placement.UpdateStrategySpec) {
		s.Stages[0].BeforeStageTasks = []placement.StageTask{approval()}
	})
	w.start(placement.StateInitialize)
	w.pass(0)
	w.pass(0)
	equal(t, "4 not made in Initialize", len(w.Approvals), 0)
}

func TestApprovalPreApproved(t *testing.T) {
	w := newWorld(t, "team")
	w.strategy(func(s *placement.UpdateStrategySpec) {
		s.Stages[0].BeforeStageTasks = []placement.StageTask{approval()}
	})
	r := &placement.ApprovalRequest{ObjectMeta: w.meta("run-before-a"), Spec: placement.ApprovalRequestSpec{ParentStageRollout: "run", TargetStage: "a"}}
	w.Put(r)
	w.approve("run-before-a")
	w.start(placement.StateRun)
	equal(t, "4 honoured at once", w.pass(0), later(clusterCheck))
	equal(t, "clusters", w.clusters(0), "a-1> a-2.")
}

func TestForeignApproval(t *testing.T) {
	for _, spec := range []placement.ApprovalRequestSpec{{ParentStageRollout: "other", TargetStage: "a"}, {ParentStageRollout: "run", TargetStage: "z"}} {
		for _, ns := range []string{"", "team"} {
			w := newWorld(t, ns)
			w.strategy(func(s *placement.UpdateStrategySpec) {
				s.Stages[0].BeforeStageTasks = []placement.StageTask{approval()}
			})
			w.Put(&placement.ApprovalRequest{ObjectMeta: w.meta("run-before-a"), Spec: spec})
			w.start(placement.StateRun)
			equal(t, "decision", w.pass(0), drive.Decision{})
			want := fmt.Sprintf(a+": "+x+": the approval request task `%s/run-before-a` is targeting update run `%s/%s` and stage `%s`, want target update run `%s/run and stage `a`", ns, ns, spec.ParentStageRollout, spec.TargetStage, ns)
			equal(t, "4 foreign request", w.message("Succeeded"), want)
			equal(t, "stage", cond(w.stage(0).Conditions, "Succeeded"), "False/StageUpdatingFailed")
			equal(t, "created is marked before", task(w, "ApprovalRequestCreated"), "True/StageTaskApprovalRequestCreated")
		}
	}
}

func TestApprovalErrorsAreRetried(t *testing.T) {
	notFound := apierrors.NewNotFound(schema.GroupResource{Resource: "requests"}, "run-before-a")
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "requests"}, "run-before-a", errRead)
	for _, tc := range []struct {
		name string
		op   pass.Op
		err  error
		want string
		also bool
	}{
		{"create", pass.OpCreateApproval, errRead, s + ": cache is cold", false},
		{"create, reply lost", pass.OpCreateApproval, errRead, s + ": cache is cold", true},
		{"get not found at first sight", pass.OpGetApproval, notFound, s + ": requests \"run-before-a\" not found", false},
		{"accept conflict", pass.OpAcceptApproval, conflict, e + ": Operation cannot be fulfilled on requests \"run-before-a\": cache is cold", false},
		{"accept, reply lost", pass.OpAcceptApproval, errRead, s + ": cache is cold", true},
	} {
		t.Run("4 "+tc.name, func(t *testing.T) {
			w := gated(t, "")
			w.approve("run-before-a")
			if tc.op == pass.OpCreateApproval {
				clear(w.Approvals)
			}
			w.fault = func(e pass.Effect) (error, bool) {
				if e.Op == tc.op {
					return tc.err, tc.also
				}
				return nil, false
			}
			equal(t, "error", fmt.Sprint(w.pass(time.Second).Err), tc.want)
			equal(t, "not terminal", w.cond("Succeeded"), "-")
			w.fault = nil
			if tc.op == pass.OpCreateApproval {
				w.pass(time.Second)
				w.approve("run-before-a")
			}
			w.pass(time.Second)
			equal(t, "goes on", w.clusters(0), "a-1> a-2.")
		})
	}
}

// TestAfterApprovalErrors holds that an error of an after task leaves the
// stage as it was, and that a foreign request ends the run there too.
func TestAfterApprovalErrors(t *testing.T) {
	w := newWorld(t, "")
	w.strategy(func(s *placement.UpdateStrategySpec) { s.Stages[0].AfterStageTasks = []placement.StageTask{approval()} })
	w.start(placement.StateRun)
	w.fault = func(e pass.Effect) (error, bool) {
		if e.Op == pass.OpCreateApproval {
			return errRead, false
		}
		return nil, false
	}
	equal(t, "error", fmt.Sprint(throughStage(w).Err), s+": cache is cold")
	equal(t, "stage", cond(w.stage(0).Conditions, "Progressing"), "False/StageUpdatingWaiting")
	w.fault = nil
	w.Put(&placement.ApprovalRequest{ObjectMeta: w.meta("run-after-a"), Spec: placement.ApprovalRequestSpec{ParentStageRollout: "other"}})
	equal(t, "decision", w.pass(time.Second), drive.Decision{})
	equal(t, "stage", cond(w.stage(0).Conditions, "Succeeded"), "False/StageUpdatingFailed")
}

func TestTriggers(t *testing.T) {
	run := &placement.StagedUpdateRun{ObjectMeta: metav1.ObjectMeta{Generation: 1}}
	edited := &placement.StagedUpdateRun{ObjectMeta: metav1.ObjectMeta{Generation: 2}}
	equal(t, "3.1 status update", drive.RunChanged(run, run), false)
	equal(t, "3.1 generation", drive.RunChanged(run, edited), true)

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
		equal(t, "3.1 "+tc.name, drive.ApprovalChanged(tc.before, tc.after), tc.want)
	}
	equal(t, "3.1 open one deleted", drive.ApprovalDeleted(open), true)
	equal(t, "3.1 approved one deleted", drive.ApprovalDeleted(approved), true)
	equal(t, "3.1 accepted one deleted", drive.ApprovalDeleted(accepted), false)
	equal(t, "3.1 accepted, then denied, deleted", drive.ApprovalDeleted(request(is("Approved", "False", 0), is("ApprovalAccepted", "True", 1))), false)
	equal(t, "3.1 accepted without Approved deleted", drive.ApprovalDeleted(request(is("ApprovalAccepted", "True", 1))), true)
	equal(t, "3.1 mapping", drive.RunOf(open), "run")
}
