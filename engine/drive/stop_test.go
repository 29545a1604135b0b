package drive_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/internal/rollout"
)

const stopping = "The update run is the process of stopping, waiting for all the updating/deleting clusters to finish updating before completing the stop process"

func since(w *rollout.World, conditions []metav1.Condition) time.Duration {
	return w.Now.Sub(meta.FindStatusCondition(conditions, "Progressing").LastTransitionTime.Time)
}

func TestStop(t *testing.T) {
	rollout.BothScopes(t, func(t *testing.T, w *rollout.World) {
		w.Start(placement.StateRun)
		w.Pass(0)
		w.SetState(placement.StateStop)
		rollout.Equal(t, "3.6 in flight", w.Pass(time.Second), later(clusterCheck))
		rollout.Equal(t, "run", w.Condition("Progressing")+" "+w.Message("Progressing"), "Unknown/UpdateRunStopping "+stopping)
		c := meta.FindStatusCondition(w.Stage(0).Conditions, "Progressing")
		rollout.Equal(t, "stage", rollout.Condition(w.Stage(0).Conditions, "Progressing")+" "+c.Message, "Unknown/StageUpdatingStopping Waiting for all the updating clusters to finish updating before completing the stop process")
		w.Available("a-1")
		rollout.Equal(t, "stopped", w.Pass(clusterCheck), drive.Decision{})
		rollout.Equal(t, "run", w.Condition("Progressing")+" "+w.Message("Progressing"), "False/UpdateRunStopped The update run has been stopped")
		c = meta.FindStatusCondition(w.Stage(0).Conditions, "Progressing")
		rollout.Equal(t, "stage", rollout.Condition(w.Stage(0).Conditions, "Progressing")+" "+c.Message, "False/StageUpdatingStopped All the updating clusters have finished updating, the stage is now stopped, waiting to be resumed")
		rollout.Equal(t, "clusters", w.Clusters(0), "a-1+ a-2.")
		rollout.Equal(t, "bindings are left alone", w.Binding("a-2").Spec.ResourceSnapshotName, "web-0-snapshot")

		rollout.Equal(t, "each further pass", w.Pass(time.Hour), drive.Decision{})
		rollout.Equal(t, "re-stamps the run", since(w, w.Run().Status.Conditions), 0)
		rollout.Equal(t, "re-stamps the stage", since(w, w.Stage(0).Conditions), 0)

		w.SetState(placement.StateRun)
		rollout.Equal(t, "resume", w.Pass(time.Minute), later(clusterCheck))
		rollout.Equal(t, "clusters", w.Clusters(0), "a-1+ a-2>")
		rollout.Equal(t, "stage", rollout.Condition(w.Stage(0).Conditions, "Progressing"), "True/StageUpdatingStarted")
		rollout.Equal(t, "start time is kept", w.Stage(0).StartTime.Time.Equal(rollout.Epoch), true)
	})
}

func TestStopBeforeAnything(t *testing.T) {
	rollout.BothScopes(t, func(t *testing.T, w *rollout.World) {
		w.Start(placement.StateStop)
		rollout.Equal(t, "3.6 created as Stop", w.Pass(0), drive.Decision{})
		rollout.Equal(t, "writes", w.Requests, []string{"add finalizer run", "write run status run", "write run status run"})
		rollout.Equal(t, "run", w.Condition("Initialized")+" "+w.Condition("Progressing"), "True/UpdateRunInitializedSuccessfully False/UpdateRunStopped")
		rollout.Equal(t, "stage 1", rollout.Condition(w.Stage(0).Conditions, "Progressing"), "False/StageUpdatingStopped")
		rollout.Equal(t, "stage 2", rollout.Condition(w.Stage(1).Conditions, "Progressing"), "-")
		w.SetState(placement.StateRun)
		w.Finish()
		rollout.Equal(t, "resumes to the end", w.Condition("Succeeded"), "True/UpdateRunSucceeded")
	})
}

func TestStopStartsNothing(t *testing.T) {
	for _, tc := range []struct {
		name string
		plan func(*placement.UpdateStrategySpec)
		then func(*rollout.World)
	}{
		{"no request, no skipping", func(s *placement.UpdateStrategySpec) {
			s.Stages[0].BeforeStageTasks = []placement.StageTask{rollout.Approval()}
		}, nil},
		{"an empty stage is not skipped", func(s *placement.UpdateStrategySpec) {
			s.Stages = append([]placement.StageConfig{rollout.Stage("none", "1")}, s.Stages...)
		}, nil},
	} {
		t.Run("3.6 "+tc.name, func(t *testing.T) {
			w := rollout.New(t, "")
			w.EditStrategy(tc.plan)
			w.Start(placement.StateStop)
			rollout.Equal(t, "decision", w.Pass(0), drive.Decision{})
			rollout.Equal(t, "requests", len(w.Approvals), 0)
			rollout.Equal(t, "stage", rollout.Condition(w.Stage(0).Conditions, "Progressing")+" "+rollout.Condition(w.Stage(0).Conditions, "Succeeded"), "False/StageUpdatingStopped -")
		})
	}
}

func TestStopAndStuck(t *testing.T) {
	w := limited(t, 3, "2")
	w.SetState(placement.StateStop)
	rollout.Equal(t, "decision", w.Pass(301*time.Second), later(clusterCheck))
	rollout.Equal(t, "3.6 stuck overrides stopping", w.Condition("Progressing")+" "+w.Message("Progressing"), "False/UpdateRunStuck The updateRun is stuck waiting for c-0, c-1 cluster(s) in stage c to finish updating, please check placement status for potential errors")
	rollout.Equal(t, "stage", rollout.Condition(w.Stage(0).Conditions, "Progressing"), "Unknown/StageUpdatingStopping")
	w.Pass(time.Minute)
	rollout.Equal(t, "7.1 run is re-stamped", since(w, w.Run().Status.Conditions), 0)
	rollout.Equal(t, "stage is not", since(w, w.Stage(0).Conditions), time.Minute)
	w.SetState(placement.StateRun)
	w.Pass(time.Second)
	rollout.Equal(t, "3.6 time while stopped counts", w.Condition("Progressing"), "False/UpdateRunStuck")
	rollout.Equal(t, "stage stays stopping until a start", rollout.Condition(w.Stage(0).Conditions, "Progressing"), "Unknown/StageUpdatingStopping")
}

func TestStopFailures(t *testing.T) {
	w := limited(t, 3, "3")
	w.Report("c-0", "Applied", "False", "NotAllWorkHaveBeenApplied")
	w.SetState(placement.StateStop)
	d := w.Pass(time.Second)
	rollout.Equal(t, "a failing binding", fmt.Sprint(d.Err), "the cluster updating encountered an error at stage `c`, updateRun := `run`")
	rollout.Equal(t, "run", w.Condition("Progressing"), "Unknown/UpdateRunStopping")

	w.EditBinding("c-1", func(b *placement.ResourceBinding) { b.Spec.ResourceSnapshotName = "web-0-snapshot"; b.Generation++ })
	w.Available("c-0", "c-1", "c-2")
	rollout.Equal(t, "3.6 no preemption check", w.Pass(clusterCheck), drive.Decision{})
	rollout.Equal(t, "run", w.Condition("Progressing"), "False/UpdateRunStopped")

	w = limited(t, 3, "3")
	w.SetState(placement.StateStop)
	rollout.EditStatus(func(st *placement.UpdateRunStatus) {
		rollout.SetCondition(&st.StagesStatus[0].Clusters[1].Conditions, "Succeeded", "False")
	})(w)
	rollout.Equal(t, "a failed cluster", w.Pass(time.Second), drive.Decision{})
	rollout.Equal(t, "run", w.Message("Succeeded"), a+": the cluster `c-1` in the stage c has failed")
	rollout.Equal(t, "stage", rollout.Condition(w.Stage(0).Conditions, "Succeeded"), "False/StageUpdatingFailed")
}

func TestTimedWaitRestartsAtAStop(t *testing.T) {
	w := rollout.New(t, "")
	w.EditStrategy(func(s *placement.UpdateStrategySpec) {
		s.Stages[0].AfterStageTasks = []placement.StageTask{rollout.TimedWait(time.Minute), rollout.Approval()}
	})
	w.Start(placement.StateRun)
	throughStage(w)
	w.Pass(2 * time.Minute)
	rollout.Equal(t, "elapsed", rollout.Condition(w.Stage(0).AfterStageTaskStatus[0].Conditions, "WaitTimeElapsed"), "True/AfterStageTaskWaitTimeElapsed")
	w.Approve("run-after-a")
	w.SetState(placement.StateStop)
	w.Pass(time.Second)
	rollout.Equal(t, "stopped", w.Condition("Progressing"), "False/UpdateRunStopped")
	rollout.Equal(t, "4 nothing is accepted while stopped", rollout.Condition(w.Approvals[types.NamespacedName{Name: "run-after-a"}].Status.Conditions, "ApprovalAccepted"), "-")
	w.SetState(placement.StateRun)
	rollout.Equal(t, "7.2 it waits again, from the stop on", w.Pass(20*time.Second), later(40*time.Second))
	rollout.Equal(t, "4 accepted on resume", rollout.Condition(w.Approvals[types.NamespacedName{Name: "run-after-a"}].Status.Conditions, "ApprovalAccepted"), "True/ApprovalRequestApprovalAccepted")
}

// leaving makes a world whose run has come to its deletion stage, with the
// bindings x-1 and x-2 to delete.
func leaving(t *testing.T, ns string) *rollout.World {
	w := rollout.New(t, ns)
	for _, name := range []string{"x-2", "x-1"} {
		w.Join(name, "x", 1)
		w.Unschedule(name)
	}
	w.Start(placement.StateInitialize)
	w.Pass(0)
	allDone(w)
	return w
}

func gone(w *rollout.World, name string) {
	delete(w.Bindings, types.NamespacedName{Namespace: w.Namespace, Name: "web-" + name})
}

func deletion(w *rollout.World) *placement.StageStatus { return w.Run().Status.DeletionStageStatus }

func TestDeletionStage(t *testing.T) {
	for _, ns := range []string{"", "team"} {
		w := leaving(t, ns)
		w.SetState(placement.StateRun)
		rollout.Equal(t, "3.7 decision", w.Pass(0), later(clusterCheck))
		rollout.Equal(t, "3.7 all at once", w.Requests, []string{"delete binding web-x-1", "delete binding web-x-2", "write run status run"})
		rollout.Equal(t, "clusters", rollout.ClusterMarks(deletion(w)), "x-1> x-2>")
		rollout.Equal(t, "stage", rollout.Condition(deletion(w).Conditions, "Progressing"), "True/StageUpdatingStarted")
		rollout.Equal(t, "deleting", w.Binding("x-1").DeletionTimestamp != nil, true)
		gone(w, "x-2")
		rollout.Equal(t, "no stuck detection", w.Pass(time.Hour), later(clusterCheck))
		rollout.Equal(t, "clusters", rollout.ClusterMarks(deletion(w)), "x-1> x-2+")
		rollout.Equal(t, "run", w.Condition("Progressing"), "True/UpdateRunProgressing")
		gone(w, "x-1")
		rollout.Equal(t, "done", w.Pass(clusterCheck), drive.Decision{})
		rollout.Equal(t, "clusters", rollout.ClusterMarks(deletion(w)), "x-1+ x-2+")
		rollout.Equal(t, "stage", rollout.Condition(deletion(w).Conditions, "Progressing")+" "+rollout.Condition(deletion(w).Conditions, "Succeeded"), "False/StageUpdatingSucceeded True/StageUpdatingSucceeded")
		rollout.Equal(t, "run", w.Condition("Succeeded"), "True/UpdateRunSucceeded")
	}
}

func TestDeletionStageWithNothingToDelete(t *testing.T) {
	w := leaving(t, "")
	gone(w, "x-1")
	gone(w, "x-2")
	w.SetState(placement.StateRun)
	rollout.Equal(t, "3.7 same pass", w.Pass(0), drive.Decision{})
	rollout.Equal(t, "clusters", rollout.ClusterMarks(deletion(w)), "x-1+ x-2+")
	rollout.Equal(t, "started too", rollout.Condition(deletion(w).Clusters[0].Conditions, "Started"), "True/ClusterUpdatingStarted")
	rollout.Equal(t, "run", w.Condition("Succeeded"), "True/UpdateRunSucceeded")
}

func TestDeletionStageAborts(t *testing.T) {
	for _, tc := range []struct {
		name, want string
		arrange    func(*rollout.World)
	}{
		{"still has a binding", "the deleted cluster `x-1` in the deleting stage still has a binding", rollout.EditStatus(func(st *placement.UpdateRunStatus) {
			rollout.SetCondition(&st.DeletionStageStatus.Clusters[0].Conditions, "Succeeded", "True")
		})},
		{"is not deleting", "the cluster `x-1` in the deleting stage is marked as deleting but its corresponding binding is not deleting", rollout.EditStatus(func(st *placement.UpdateRunStatus) {
			rollout.SetCondition(&st.DeletionStageStatus.Clusters[0].Conditions, "Started", "True")
		})},
	} {
		for _, state := range []placement.State{placement.StateRun, placement.StateStop} {
			t.Run("3.7 "+tc.name+" in "+string(state), func(t *testing.T) {
				w := leaving(t, "")
				tc.arrange(w)
				w.SetState(state)
				rollout.Equal(t, "decision", w.Pass(0), drive.Decision{})
				rollout.Equal(t, "run", w.Message("Succeeded"), a+": "+x+": "+tc.want)
				rollout.Equal(t, "stage", rollout.Condition(deletion(w).Conditions, "Progressing")+" "+rollout.Condition(deletion(w).Conditions, "Succeeded"), "False/StageUpdatingFailed False/StageUpdatingFailed")
				rollout.Equal(t, "ended", deletion(w).EndTime != nil, true)
			})
		}
	}
}

// TestOldLookAtADeletion holds that a binding which the Input shows as it was
// before its deletion does not end the run.
func TestOldLookAtADeletion(t *testing.T) {
	for _, state := range []placement.State{placement.StateRun, placement.StateStop} {
		t.Run(string(state), func(t *testing.T) {
			w := leaving(t, "")
			w.SetState(placement.StateRun)
			before := w.Input(w.Key).Bindings
			old := func() drive.Decision {
				in := w.Input(w.Key)
				in.Bindings = before
				return drive.Reconcile(in, w.Timing, w.Now, w.Answer)
			}
			w.Pass(0)
			rollout.Equal(t, "deleting", rollout.ClusterMarks(deletion(w)), "x-1> x-2>")
			w.SetState(state)
			rollout.Equal(t, "still there", old(), later(clusterCheck))
			gone(w, "x-1")
			rollout.Equal(t, "gone", old(), later(clusterCheck))
			w.Pass(0)
			rollout.Equal(t, "clusters", rollout.ClusterMarks(deletion(w)), "x-1+ x-2>")
			rollout.Equal(t, "gone and marked", old(), later(clusterCheck))
			w.Fault = func(e pass.Effect) (error, bool) {
				if e.Op == pass.OpGetBinding {
					return rollout.ErrRead, false
				}
				return nil, false
			}
			rollout.Equal(t, "an error is retried", fmt.Sprint(old().Err), s+": cache is cold")
			w.Fault = nil
			gone(w, "x-2")
			rollout.Equal(t, "the end", w.Pass(0), drive.Decision{})
			rollout.Equal(t, "clusters", rollout.ClusterMarks(deletion(w)), "x-1+ x-2+")
		})
	}
}

func TestDeletionError(t *testing.T) {
	w := leaving(t, "")
	w.SetState(placement.StateRun)
	w.Fault = func(e pass.Effect) (error, bool) {
		if e.Op == pass.OpDeleteBinding && e.Object.GetName() == "web-x-2" {
			return rollout.ErrRead, false
		}
		return nil, false
	}
	rollout.Equal(t, "error", fmt.Sprint(w.Pass(0).Err), s+": cache is cold")
	rollout.Equal(t, "clusters", rollout.ClusterMarks(deletion(w)), "x-1> x-2.")
	w.Fault = nil
	rollout.Equal(t, "goes on", w.Pass(0), later(clusterCheck))
	rollout.Equal(t, "clusters", rollout.ClusterMarks(deletion(w)), "x-1> x-2>")
}

func TestStopInDeletionStage(t *testing.T) {
	w := leaving(t, "")
	w.SetState(placement.StateStop)
	rollout.Equal(t, "7.3 before the deletions begin it stops for ever", w.Pass(0), later(clusterCheck))
	rollout.Equal(t, "run", w.Condition("Progressing"), "Unknown/UpdateRunStopping")
	rollout.Equal(t, "stage", rollout.Condition(deletion(w).Conditions, "Progressing"), "False/StageUpdatingStopped")
	rollout.Equal(t, "nothing is deleted", w.Requests, []string{"write run status run"})

	w.SetState(placement.StateRun)
	w.Pass(clusterCheck)
	rollout.Equal(t, "resumed", rollout.ClusterMarks(deletion(w)), "x-1> x-2>")
	w.SetState(placement.StateStop)
	gone(w, "x-1")
	rollout.Equal(t, "3.6 a started deletion", w.Pass(0), later(clusterCheck))
	rollout.Equal(t, "clusters", rollout.ClusterMarks(deletion(w)), "x-1+ x-2>")
	rollout.Equal(t, "stage", rollout.Condition(deletion(w).Conditions, "Progressing"), "Unknown/StageUpdatingStopping")
	gone(w, "x-2")
	rollout.Equal(t, "stopped", w.Pass(clusterCheck), drive.Decision{})
	rollout.Equal(t, "run", w.Condition("Progressing")+" "+w.Condition("Succeeded"), "False/UpdateRunStopped -")
	rollout.Equal(t, "stage", rollout.Condition(deletion(w).Conditions, "Progressing"), "False/StageUpdatingStopped")
	w.SetState(placement.StateRun)
	rollout.Equal(t, "resumed to the end", w.Pass(0), drive.Decision{})
	rollout.Equal(t, "run", w.Condition("Succeeded"), "True/UpdateRunSucceeded")
}

func TestDelete(t *testing.T) {
	for _, state := range []placement.State{placement.StateInitialize, placement.StateRun, placement.StateStop} {
		t.Run("3.8 in "+string(state), func(t *testing.T) {
			rollout.BothScopes(t, func(t *testing.T, w *rollout.World) {
				w.EditStrategy(func(s *placement.UpdateStrategySpec) {
					s.Stages[0].BeforeStageTasks = []placement.StageTask{rollout.Approval()}
				})
				w.Start(placement.StateRun)
				w.Pass(0)
				foreign := &placement.ApprovalRequest{ObjectMeta: w.Meta("run-by-hand")}
				w.Put(foreign)
				w.SetState(state)
				bindings := maps.Clone(w.Bindings)
				w.Edit(func(r *placement.StagedUpdateRun) {
					r.DeletionTimestamp = &metav1.Time{Time: w.Now}
					r.Finalizers = append(r.Finalizers, "example.com/other")
				})
				rollout.Equal(t, "decision", w.Pass(0), drive.Decision{})
				rollout.Equal(t, "effects", w.Requests, []string{"delete approval requests", "remove finalizer run"})
				rollout.Equal(t, "finalizers", w.Run().Finalizers, []string{"example.com/other"})
				rollout.Equal(t, "4 without the label a request survives", len(w.Approvals), 1)
				rollout.Equal(t, "bindings are left alone", w.Bindings, bindings)
				rollout.Equal(t, "nothing more to do", w.Pass(0), drive.Decision{})
				rollout.Equal(t, "nothing more to do", len(w.Requests), 0)
			})
		})
	}
}

func TestDeleteErrors(t *testing.T) {
	for _, op := range []pass.Op{pass.OpDeleteApprovals, pass.OpRemoveFinalizer} {
		w := rollout.New(t, "")
		w.Start(placement.StateRun)
		w.Pass(0)
		w.Edit(func(r *placement.StagedUpdateRun) { r.DeletionTimestamp = &metav1.Time{Time: w.Now} })
		w.Fault = func(e pass.Effect) (error, bool) {
			if e.Op == op {
				return rollout.ErrRead, false
			}
			return nil, false
		}
		rollout.Equal(t, op.String(), fmt.Sprint(w.Pass(0).Err), s+": cache is cold")
		w.Fault = nil
		rollout.Equal(t, "goes on", w.Pass(0), drive.Decision{})
		rollout.Equal(t, "gone", w.Run() == nil, true)
	}
	w := rollout.New(t, "")
	rollout.Equal(t, "3.1/1 not found", w.Pass(0), drive.Decision{})
}
