package drive_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/internal/rollout"
)

func TestDefaultTiming(t *testing.T) {
	rollout.Equal(t, "2 constants", pass.DefaultTiming(), pass.Timing{
		ClusterCheck: 15 * time.Second, StageCheck: time.Minute, StuckAfter: 5 * time.Minute,
		BackoffBase: 5 * time.Millisecond, BackoffMax: 1000 * time.Second,
	})
	rollout.Equal(t, "2 workers", pass.Workers, 1)
}

func TestBackoff(t *testing.T) {
	timing := pass.DefaultTiming()
	for failures, want := range map[int]time.Duration{
		0: 5 * time.Millisecond, 1: 10 * time.Millisecond, 10: 5120 * time.Millisecond,
		17: 655360 * time.Millisecond, 18: 1000 * time.Second, 1000: 1000 * time.Second,
	} {
		rollout.Equal(t, "3.1 backoff", drive.Backoff(failures, timing), want)
	}
}

func TestSchedule(t *testing.T) {
	timing := pass.DefaultTiming()
	for _, tc := range []struct {
		name        string
		decision    drive.Decision
		wait        time.Duration
		ResetStatus bool
		count       int
	}{
		{"done forgets", drive.Decision{}, 0, false, 0},
		{"after forgets", later(time.Minute), time.Minute, true, 0},
		{"again is rate-limited", drive.Decision{Next: drive.Again}, 40 * time.Millisecond, true, 4},
		{"error backs off", drive.Decision{Next: drive.Retry, Err: rollout.ErrRead}, 40 * time.Millisecond, true, 4},
	} {
		wait, again, count := tc.decision.Schedule(3, timing)
		rollout.Equal(t, "3.1 "+tc.name, []any{wait, again, count}, []any{tc.wait, tc.ResetStatus, tc.count})
	}
}

func TestOps(t *testing.T) {
	verbs := map[pass.Op]pass.Verb{
		pass.OpAddFinalizer: pass.Update, pass.OpWriteStatus: pass.UpdateStatus, pass.OpRemoveFinalizer: pass.Update,
		pass.OpUpdateBinding: pass.Update, pass.OpWriteBindingStatus: pass.UpdateStatus, pass.OpDeleteBinding: pass.Delete, pass.OpGetBinding: pass.Get,
		pass.OpCreateApproval: pass.Create, pass.OpGetApproval: pass.Get, pass.OpAcceptApproval: pass.UpdateStatus, pass.OpDeleteApprovals: pass.DeleteCollection,
		pass.OpGetObject: pass.Get, pass.OpListObjects: pass.List,
		pass.OpCreateSnapshot: pass.Create, pass.OpUpdateSnapshot: pass.Update, pass.OpDeleteSnapshot: pass.Delete,
	}
	seen := map[string]bool{}
	for op, verb := range verbs {
		rollout.Equal(t, op.String(), op.Verb(), verb)
		seen[op.String()] = true
	}
	rollout.Equal(t, "each has a name of its own", len(seen), len(verbs))
	rollout.Equal(t, "no operation", pass.Op(0).String()+", "+pass.Op(99).String(), "unknown operation, unknown operation")
}

// TestAnswersWithoutObject holds that an answerer that returns nothing where
// the stored object is needed is an error and not a crash.
func TestAnswersWithoutObject(t *testing.T) {
	for op, want := range map[pass.Op]string{
		pass.OpAddFinalizer:   "read the answer to add finalizer: unexpected <nil>",
		pass.OpWriteStatus:    "read the answer to write run status: unexpected <nil>",
		pass.OpUpdateBinding:  "read the answer to update binding: unexpected <nil>",
		pass.OpGetApproval:    "read the answer to get approval request: unexpected <nil>",
		pass.OpCreateSnapshot: "read the answer to create resource snapshot: unexpected <nil>",
		pass.OpUpdateSnapshot: "read the answer to update resource snapshot: unexpected <nil>",
	} {
		w := rollout.NewWithoutIndex(t, "", rollout.Term("", "v1", "Namespace", "none"))
		w.EditStrategy(func(s *placement.UpdateStrategySpec) {
			s.Stages[0].BeforeStageTasks = []placement.StageTask{rollout.Approval()}
		})
		latest := w.Snapshot(1)
		latest.Labels[rollout.LabelPrefix+"is-latest-snapshot"] = "true"
		if op == pass.OpUpdateBinding || op == pass.OpUpdateSnapshot {
			w.Put(latest)
		}
		w.Put(&placement.ApprovalRequest{ObjectMeta: w.Meta("run-before-a"), Spec: placement.ApprovalRequestSpec{ParentStageRollout: "run", TargetStage: "a"}})
		if op == pass.OpUpdateBinding {
			w.Approve("run-before-a")
		}
		w.Edit(func(r *placement.StagedUpdateRun) { r.Spec.State = placement.StateRun })
		d := drive.Reconcile(w.Input(w.Key), w.Timing, w.Now, func(e pass.Effect) (pass.Answer, error) {
			answer, err := w.Do(e)
			if e.Op == op {
				answer.Object = nil
			}
			return answer, err
		})
		if d.Err == nil || d.Err.Error() != want {
			t.Errorf("%s: got %v", op, d.Err)
		}
	}
}

func TestFinalizerErrorIsRetried(t *testing.T) {
	w := rollout.New(t, "")
	w.Start(placement.StateRun)
	w.Fault = func(pass.Effect) (error, bool) { return errors.New("gone"), false }
	rollout.Equal(t, "error", w.Pass(0).Err.Error(), s+": gone")
	rollout.Equal(t, "one request", len(w.Requests), 1)
}

func TestObservedGeneration(t *testing.T) {
	w := rollout.New(t, "")
	w.EditStrategy(func(s *placement.UpdateStrategySpec) {
		s.Stages[0].BeforeStageTasks = []placement.StageTask{rollout.Approval()}
		s.Stages[0].AfterStageTasks = []placement.StageTask{rollout.Approval()}
	})
	w.Join("x-1", "x", 1)
	w.Unschedule("x-1")
	w.Start(placement.StateInitialize)
	w.Pass(0)
	w.SetState(placement.StateRun)
	w.Finish()
	w.SetState(placement.StateStop)
	w.Pass(0)
	rollout.Equal(t, "3.9 a terminal run keeps the old one", generations(w), map[int64]int{2: 25})

	w = rollout.New(t, "")
	w.Start(placement.StateInitialize)
	w.Pass(0)
	rollout.Equal(t, "3.9 Initialize", generations(w), map[int64]int{1: 1})
	w.Edit(func(r *placement.StagedUpdateRun) { r.Generation = 5 })
	w.Pass(0)
	rollout.Equal(t, "3.9 nothing is persisted in Initialize", generations(w), map[int64]int{1: 1})
	w.SetState(placement.StateRun)
	w.Pass(0)
	rollout.Equal(t, "3.9 Run persists it", generations(w), map[int64]int{6: 4})

	w = rollout.New(t, "")
	clear(w.Strategies)
	w.Start(placement.StateInitialize)
	w.Pass(0)
	w.SetState(placement.StateRun)
	w.Pass(0)
	rollout.Equal(t, "3.9 an init-failed run keeps the old one", generations(w), map[int64]int{1: 1})
}

// TestGenerationOfTheFinalizer holds that a run which its first write gives a
// new generation, because it was made without an index (docs/kubefleet.md#run),
// goes on with that.
func TestGenerationOfTheFinalizer(t *testing.T) {
	rollout.BothScopes(t, func(t *testing.T, w *rollout.World) {
		w.Start(placement.StateInitialize)
		drive.Reconcile(w.Input(w.Key), w.Timing, w.Now, func(e pass.Effect) (pass.Answer, error) {
			answer, err := w.Do(e)
			if run, ok := answer.Object.(*placement.StagedUpdateRun); ok && e.Op == pass.OpAddFinalizer {
				w.Edit(func(r *placement.StagedUpdateRun) { r.Generation = 2 })
				run.Generation, run.ResourceVersion = 2, w.Run().ResourceVersion
			}
			return answer, err
		})
		rollout.Equal(t, "initialized", w.Condition("Initialized"), "True/UpdateRunInitializedSuccessfully")
		rollout.Equal(t, "generations", generations(w), map[int64]int{2: 1})
		w.SetState(placement.StateRun)
		w.Finish()
		rollout.Equal(t, "succeeded", w.Condition("Succeeded"), "True/UpdateRunSucceeded")
	})
}

// generations counts the observedGenerations of all conditions of the run.
func generations(w *rollout.World) map[int64]int {
	st, out := w.Run().Status, map[int64]int{}
	count := func(conditions []metav1.Condition) {
		for _, c := range conditions {
			out[c.ObservedGeneration]++
		}
	}
	count(st.Conditions)
	stages := st.StagesStatus
	if st.DeletionStageStatus != nil {
		stages = append(slices.Clone(stages), *st.DeletionStageStatus)
	}
	for _, s := range stages {
		count(s.Conditions)
		for _, task := range slices.Concat(s.BeforeStageTaskStatus, s.AfterStageTaskStatus) {
			count(task.Conditions)
		}
		for _, c := range s.Clusters {
			count(c.Conditions)
		}
	}
	return out
}

func TestConditionOrderAndTimes(t *testing.T) {
	w := rollout.New(t, "")
	w.Start(placement.StateRun)
	w.Pass(700 * time.Millisecond)
	w.Available("a-1", "a-2")
	w.Pass(clusterCheck)
	w.Available("a-2")
	w.Pass(clusterCheck)
	var types []string
	for _, c := range w.Stage(0).Conditions {
		types = append(types, c.Type)
	}
	rollout.Equal(t, "order", types, []string{"Progressing", "Succeeded"})
	rollout.Equal(t, "stored to the second", w.Stage(0).StartTime.Time, rollout.Epoch)
	started := meta.FindStatusCondition(w.Stage(0).Clusters[0].Conditions, "Started")
	rollout.Equal(t, "stored to the second", started.LastTransitionTime.Time, rollout.Epoch)
}

func TestNeedOf(t *testing.T) {
	w := rollout.New(t, "")
	w.Start(placement.StateInitialize)
	validate := pass.Need{Placement: true, PolicySnapshots: true, Bindings: true, Members: true}
	all := validate
	all.Strategy, all.ResourceSnapshots, all.Overrides = true, true, true
	rollout.Equal(t, "new", pass.NeedOf(w.Run()), all)
	w.Pass(0)
	rollout.Equal(t, "initialized", pass.NeedOf(w.Run()), validate)
	w.SetState(placement.StateRun)
	w.Finish()
	rollout.Equal(t, "finished", pass.NeedOf(w.Run()), pass.Need{})
	rollout.Equal(t, "gone", pass.NeedOf(nil), pass.Need{})
	w.Edit(func(r *placement.StagedUpdateRun) {
		r.Status = placement.UpdateRunStatus{}
		rollout.SetCondition(&r.Status.Conditions, "Initialized", "False")
	})
	rollout.Equal(t, "init failed", pass.NeedOf(w.Run()), pass.Need{})
	w.Edit(func(r *placement.StagedUpdateRun) {
		r.Status = placement.UpdateRunStatus{}
		r.DeletionTimestamp = &metav1.Time{Time: rollout.Epoch}
	})
	rollout.Equal(t, "deleting", pass.NeedOf(w.Run()), pass.Need{})
}
