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
)

const stopping = "The update run is the process of stopping, waiting for all the updating/deleting clusters to finish updating before completing the stop process"

func since(w *world, conditions []metav1.Condition) time.Duration {
	return w.Now.Sub(meta.FindStatusCondition(conditions, "Progressing").LastTransitionTime.Time)
}

func TestStop(t *testing.T) {
	bothScopes(t, func(t *testing.T, w *world) {
		w.start(placement.StateRun)
		w.pass(0)
		w.state(placement.StateStop)
		equal(t, "3.6 in flight", w.pass(time.Second), later(clusterCheck))
		equal(t, "run", w.cond("Progressing")+" "+w.message("Progressing"), "Unknown/UpdateRunStopping "+stopping)
		c := meta.FindStatusCondition(w.stage(0).Conditions, "Progressing")
		equal(t, "stage", cond(w.stage(0).Conditions, "Progressing")+" "+c.Message, "Unknown/StageUpdatingStopping Waiting for all the updating clusters to finish updating before completing the stop process")
		w.available("a-1")
		equal(t, "stopped", w.pass(clusterCheck), drive.Decision{})
		equal(t, "run", w.cond("Progressing")+" "+w.message("Progressing"), "False/UpdateRunStopped The update run has been stopped")
		c = meta.FindStatusCondition(w.stage(0).Conditions, "Progressing")
		equal(t, "stage", cond(w.stage(0).Conditions, "Progressing")+" "+c.Message, "False/StageUpdatingStopped All the updating clusters have finished updating, the stage is now stopped, waiting to be resumed")
		equal(t, "clusters", w.clusters(0), "a-1+ a-2.")
		equal(t, "bindings are left alone", w.binding("a-2").Spec.ResourceSnapshotName, "web-0-snapshot")

		equal(t, "each further pass", w.pass(time.Hour), drive.Decision{})
		equal(t, "re-stamps the run", since(w, w.run().Status.Conditions), 0)
		equal(t, "re-stamps the stage", since(w, w.stage(0).Conditions), 0)

		w.state(placement.StateRun)
		equal(t, "resume", w.pass(time.Minute), later(clusterCheck))
		equal(t, "clusters", w.clusters(0), "a-1+ a-2>")
		equal(t, "stage", cond(w.stage(0).Conditions, "Progressing"), "True/StageUpdatingStarted")
		equal(t, "start time is kept", w.stage(0).StartTime.Time.Equal(epoch), true)
	})
}

func TestStopBeforeAnything(t *testing.T) {
	bothScopes(t, func(t *testing.T, w *world) {
		w.start(placement.StateStop)
		equal(t, "3.6 created as Stop", w.pass(0), drive.Decision{})
		equal(t, "writes", w.ops, []string{"add finalizer run", "write run status run", "write run status run"})
		equal(t, "run", w.cond("Initialized")+" "+w.cond("Progressing"), "True/UpdateRunInitializedSuccessfully False/UpdateRunStopped")
		equal(t, "stage 1", cond(w.stage(0).Conditions, "Progressing"), "False/StageUpdatingStopped")
		equal(t, "stage 2", cond(w.stage(1).Conditions, "Progressing"), "-")
		w.state(placement.StateRun)
		w.finish()
		equal(t, "resumes to the end", w.cond("Succeeded"), "True/UpdateRunSucceeded")
	})
}

func TestStopStartsNothing(t *testing.T) {
	for _, tc := range []struct {
		name string
		plan func(*placement.UpdateStrategySpec)
		then func(*world)
	}{
		{"no request, no skipping", func(s *placement.UpdateStrategySpec) {
			s.Stages[0].BeforeStageTasks = []placement.StageTask{approval()}
		}, nil},
		{"an empty stage is not skipped", func(s *placement.UpdateStrategySpec) {
			s.Stages = append([]placement.StageConfig{stage("none", "1")}, s.Stages...)
		}, nil},
	} {
		t.Run("3.6 "+tc.name, func(t *testing.T) {
			w := newWorld(t, "")
			w.strategy(tc.plan)
			w.start(placement.StateStop)
			equal(t, "decision", w.pass(0), drive.Decision{})
			equal(t, "requests", len(w.Approvals), 0)
			equal(t, "stage", cond(w.stage(0).Conditions, "Progressing")+" "+cond(w.stage(0).Conditions, "Succeeded"), "False/StageUpdatingStopped -")
		})
	}
}

func TestStopAndStuck(t *testing.T) {
	w := limited(t, 3, "2")
	w.state(placement.StateStop)
	equal(t, "decision", w.pass(301*time.Second), later(clusterCheck))
	equal(t, "3.6 stuck overrides stopping", w.cond("Progressing")+" "+w.message("Progressing"), "False/UpdateRunStuck The updateRun is stuck waiting for c-0, c-1 cluster(s) in stage c to finish updating, please check placement status for potential errors")
	equal(t, "stage", cond(w.stage(0).Conditions, "Progressing"), "Unknown/StageUpdatingStopping")
	w.pass(time.Minute)
	equal(t, "7.1 run is re-stamped", since(w, w.run().Status.Conditions), 0)
	equal(t, "stage is not", since(w, w.stage(0).Conditions), time.Minute)
	w.state(placement.StateRun)
	w.pass(time.Second)
	equal(t, "3.6 time while stopped counts", w.cond("Progressing"), "False/UpdateRunStuck")
	equal(t, "stage stays stopping until a start", cond(w.stage(0).Conditions, "Progressing"), "Unknown/StageUpdatingStopping")
}

func TestStopFailures(t *testing.T) {
	w := limited(t, 3, "3")
	w.report("c-0", "Applied", "False", "NotAllWorkHaveBeenApplied")
	w.state(placement.StateStop)
	d := w.pass(time.Second)
	equal(t, "a failing binding", fmt.Sprint(d.Err), "the cluster updating encountered an error at stage `c`, updateRun := `run`")
	equal(t, "run", w.cond("Progressing"), "Unknown/UpdateRunStopping")

	w.editBinding("c-1", func(b *placement.ResourceBinding) { b.Spec.ResourceSnapshotName = "web-0-snapshot"; b.Generation++ })
	w.available("c-0", "c-1", "c-2")
	equal(t, "3.6 no preemption check", w.pass(clusterCheck), drive.Decision{})
	equal(t, "run", w.cond("Progressing"), "False/UpdateRunStopped")

	w = limited(t, 3, "3")
	w.state(placement.StateStop)
	status(func(st *placement.UpdateRunStatus) {
		mark(&st.StagesStatus[0].Clusters[1].Conditions, "Succeeded", "False")
	})(w)
	equal(t, "a failed cluster", w.pass(time.Second), drive.Decision{})
	equal(t, "run", w.message("Succeeded"), a+": the cluster `c-1` in the stage c has failed")
	equal(t, "stage", cond(w.stage(0).Conditions, "Succeeded"), "False/StageUpdatingFailed")
}

func TestTimedWaitRestartsAtAStop(t *testing.T) {
	w := newWorld(t, "")
	w.strategy(func(s *placement.UpdateStrategySpec) {
		s.Stages[0].AfterStageTasks = []placement.StageTask{timed(time.Minute), approval()}
	})
	w.start(placement.StateRun)
	throughStage(w)
	w.pass(2 * time.Minute)
	equal(t, "elapsed", cond(w.stage(0).AfterStageTaskStatus[0].Conditions, "WaitTimeElapsed"), "True/AfterStageTaskWaitTimeElapsed")
	w.approve("run-after-a")
	w.state(placement.StateStop)
	w.pass(time.Second)
	equal(t, "stopped", w.cond("Progressing"), "False/UpdateRunStopped")
	equal(t, "4 nothing is accepted while stopped", cond(w.Approvals[types.NamespacedName{Name: "run-after-a"}].Status.Conditions, "ApprovalAccepted"), "-")
	w.state(placement.StateRun)
	equal(t, "7.2 it waits again, from the stop on", w.pass(20*time.Second), later(40*time.Second))
	equal(t, "4 accepted on resume", cond(w.Approvals[types.NamespacedName{Name: "run-after-a"}].Status.Conditions, "ApprovalAccepted"), "True/ApprovalRequestApprovalAccepted")
}

// leaving makes a world whose run has come to its deletion stage, with the
// bindings x-1 and x-2 to delete.
func leaving(t *testing.T, ns string) *world {
	w := newWorld(t, ns)
	for _, name := range []string{"x-2", "x-1"} {
		w.join(name, "x", 1)
		w.unschedule(name)
	}
	w.start(placement.StateInitialize)
	w.pass(0)
	allDone(w)
	return w
}

func gone(w *world, name string) {
	delete(w.Bindings, types.NamespacedName{Namespace: w.ns, Name: "web-" + name})
}

func deletion(w *world) *placement.StageStatus { return w.run().Status.DeletionStageStatus }

func TestDeletionStage(t *testing.T) {
	for _, ns := range []string{"", "team"} {
		w := leaving(t, ns)
		w.state(placement.StateRun)
		equal(t, "3.7 decision", w.pass(0), later(clusterCheck))
		equal(t, "3.7 all at once", w.ops, []string{"delete binding web-x-1", "delete binding web-x-2", "write run status run"})
		equal(t, "clusters", clustersOf(deletion(w)), "x-1> x-2>")
		equal(t, "stage", cond(deletion(w).Conditions, "Progressing"), "True/StageUpdatingStarted")
		equal(t, "deleting", w.binding("x-1").DeletionTimestamp != nil, true)
		gone(w, "x-2")
		equal(t, "no stuck detection", w.pass(time.Hour), later(clusterCheck))
		equal(t, "clusters", clustersOf(deletion(w)), "x-1> x-2+")
		equal(t, "run", w.cond("Progressing"), "True/UpdateRunProgressing")
		gone(w, "x-1")
		equal(t, "done", w.pass(clusterCheck), drive.Decision{})
		equal(t, "clusters", clustersOf(deletion(w)), "x-1+ x-2+")
		equal(t, "stage", cond(deletion(w).Conditions, "Progressing")+" "+cond(deletion(w).Conditions, "Succeeded"), "False/StageUpdatingSucceeded True/StageUpdatingSucceeded")
		equal(t, "run", w.cond("Succeeded"), "True/UpdateRunSucceeded")
	}
}

func TestDeletionStageWithNothingToDelete(t *testing.T) {
	w := leaving(t, "")
	gone(w, "x-1")
	gone(w, "x-2")
	w.state(placement.StateRun)
	equal(t, "3.7 same pass", w.pass(0), drive.Decision{})
	equal(t, "clusters", clustersOf(deletion(w)), "x-1+ x-2+")
	equal(t, "started too", cond(deletion(w).Clusters[0].Conditions, "Started"), "True/ClusterUpdatingStarted")
	equal(t, "run", w.cond("Succeeded"), "True/UpdateRunSucceeded")
}

func TestDeletionStageAborts(t *testing.T) {
	for _, tc := range []struct {
		name, want string
		arrange    func(*world)
	}{
		{"still has a binding", "the deleted cluster `x-1` in the deleting stage still has a binding", status(func(st *placement.UpdateRunStatus) {
			mark(&st.DeletionStageStatus.Clusters[0].Conditions, "Succeeded", "True")
		})},
		{"is not deleting", "the cluster `x-1` in the deleting stage is marked as deleting but its corresponding binding is not deleting", status(func(st *placement.UpdateRunStatus) {
			mark(&st.DeletionStageStatus.Clusters[0].Conditions, "Started", "True")
		})},
	} {
		for _, state := range []placement.State{placement.StateRun, placement.StateStop} {
			t.Run("3.7 "+tc.name+" in "+string(state), func(t *testing.T) {
				w := leaving(t, "")
				tc.arrange(w)
				w.state(state)
				equal(t, "decision", w.pass(0), drive.Decision{})
				equal(t, "run", w.message("Succeeded"), a+": "+x+": "+tc.want)
				equal(t, "stage", cond(deletion(w).Conditions, "Progressing")+" "+cond(deletion(w).Conditions, "Succeeded"), "False/StageUpdatingFailed False/StageUpdatingFailed")
				equal(t, "ended", deletion(w).EndTime != nil, true)
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
			w.state(placement.StateRun)
			before := w.Input(w.key).Bindings
			old := func() drive.Decision {
				in := w.Input(w.key)
				in.Bindings = before
				return drive.Reconcile(in, w.timing, w.Now, w.do)
			}
			w.pass(0)
			equal(t, "deleting", clustersOf(deletion(w)), "x-1> x-2>")
			w.state(state)
			equal(t, "still there", old(), later(clusterCheck))
			gone(w, "x-1")
			equal(t, "gone", old(), later(clusterCheck))
			w.pass(0)
			equal(t, "clusters", clustersOf(deletion(w)), "x-1+ x-2>")
			equal(t, "gone and marked", old(), later(clusterCheck))
			w.fault = func(e pass.Effect) (error, bool) {
				if e.Op == pass.OpGetBinding {
					return errRead, false
				}
				return nil, false
			}
			equal(t, "an error is retried", fmt.Sprint(old().Err), s+": cache is cold")
			w.fault = nil
			gone(w, "x-2")
			equal(t, "the end", w.pass(0), drive.Decision{})
			equal(t, "clusters", clustersOf(deletion(w)), "x-1+ x-2+")
		})
	}
}

func TestDeletionError(t *testing.T) {
	w := leaving(t, "")
	w.state(placement.StateRun)
	w.fault = func(e pass.Effect) (error, bool) {
		if e.Op == pass.OpDeleteBinding && e.Object.GetName() == "web-x-2" {
			return errRead, false
		}
		return nil, false
	}
	equal(t, "error", fmt.Sprint(w.pass(0).Err), s+": cache is cold")
	equal(t, "clusters", clustersOf(deletion(w)), "x-1> x-2.")
	w.fault = nil
	equal(t, "goes on", w.pass(0), later(clusterCheck))
	equal(t, "clusters", clustersOf(deletion(w)), "x-1> x-2>")
}

func TestStopInDeletionStage(t *testing.T) {
	w := leaving(t, "")
	w.state(placement.StateStop)
	equal(t, "7.3 before the deletions begin it stops for ever", w.pass(0), later(clusterCheck))
	equal(t, "run", w.cond("Progressing"), "Unknown/UpdateRunStopping")
	equal(t, "stage", cond(deletion(w).Conditions, "Progressing"), "False/StageUpdatingStopped")
	equal(t, "nothing is deleted", w.ops, []string{"write run status run"})

	w.state(placement.StateRun)
	w.pass(clusterCheck)
	equal(t, "resumed", clustersOf(deletion(w)), "x-1> x-2>")
	w.state(placement.StateStop)
	gone(w, "x-1")
	equal(t, "3.6 a started deletion", w.pass(0), later(clusterCheck))
	equal(t, "clusters", clustersOf(deletion(w)), "x-1+ x-2>")
	equal(t, "stage", cond(deletion(w).Conditions, "Progressing"), "Unknown/StageUpdatingStopping")
	gone(w, "x-2")
	equal(t, "stopped", w.pass(clusterCheck), drive.Decision{})
	equal(t, "run", w.cond("Progressing")+" "+w.cond("Succeeded"), "False/UpdateRunStopped -")
	equal(t, "stage", cond(deletion(w).Conditions, "Progressing"), "False/StageUpdatingStopped")
	w.state(placement.StateRun)
	equal(t, "resumed to the end", w.pass(0), drive.Decision{})
	equal(t, "run", w.cond("Succeeded"), "True/UpdateRunSucceeded")
}

func TestDelete(t *testing.T) {
	for _, state := range []placement.State{placement.StateInitialize, placement.StateRun, placement.StateStop} {
		t.Run("3.8 in "+string(state), func(t *testing.T) {
			bothScopes(t, func(t *testing.T, w *world) {
				w.strategy(func(s *placement.UpdateStrategySpec) {
					s.Stages[0].BeforeStageTasks = []placement.StageTask{approval()}
				})
				w.start(placement.StateRun)
				w.pass(0)
				foreign := &placement.ApprovalRequest{ObjectMeta: w.meta("run-by-hand")}
				w.Put(foreign)
				w.state(state)
				bindings := maps.Clone(w.Bindings)
				w.edit(func(r *placement.StagedUpdateRun) {
					r.DeletionTimestamp = &metav1.Time{Time: w.Now}
					r.Finalizers = append(r.Finalizers, "example.com/other")
				})
				equal(t, "decision", w.pass(0), drive.Decision{})
				equal(t, "effects", w.ops, []string{"delete approval requests", "remove finalizer run"})
				equal(t, "finalizers", w.run().Finalizers, []string{"example.com/other"})
				equal(t, "4 without the label a request survives", len(w.Approvals), 1)
				equal(t, "bindings are left alone", w.Bindings, bindings)
				equal(t, "nothing more to do", w.pass(0), drive.Decision{})
				equal(t, "nothing more to do", len(w.ops), 0)
			})
		})
	}
}

func TestDeleteErrors(t *testing.T) {
	for _, op := range []pass.Op{pass.OpDeleteApprovals, pass.OpRemoveFinalizer} {
		w := newWorld(t, "")
		w.start(placement.StateRun)
		w.pass(0)
		w.edit(func(r *placement.StagedUpdateRun) { r.DeletionTimestamp = &metav1.Time{Time: w.Now} })
		w.fault = func(e pass.Effect) (error, bool) {
			if e.Op == op {
				return errRead, false
			}
			return nil, false
		}
		equal(t, op.String(), fmt.Sprint(w.pass(0).Err), s+": cache is cold")
		w.fault = nil
		equal(t, "goes on", w.pass(0), drive.Decision{})
		equal(t, "gone", w.run() == nil, true)
	}
	w := newWorld(t, "")
	equal(t, "3.1/1 not found", w.pass(0), drive.Decision{})
}
