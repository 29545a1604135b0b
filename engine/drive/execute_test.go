package drive_test

import (
	"fmt"
	"strings"
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

const (
	clusterCheck = 15 * time.Second
	stageCheck   = 60 * time.Second
)

func later(d time.Duration) drive.Decision { return drive.Decision{Next: drive.After, Wait: d} }

// limited makes a world of one stage with n clusters c-0... and the given
// maxConcurrency, whose run has had its first pass.
func limited(t *testing.T, n int, limit string) *rollout.World {
	w := rollout.New(t, "")
	clear(w.Bindings)
	for i := range n {
		w.Join(fmt.Sprintf("c-%d", i), "c", i)
	}
	w.EditStrategy(func(s *placement.UpdateStrategySpec) { s.Stages = []placement.StageConfig{rollout.Stage("c", limit)} })
	w.Start(placement.StateRun)
	w.Pass(0)
	return w
}

func TestMaxConcurrency(t *testing.T) {
	for _, tc := range []struct {
		limit string
		n     int
		want  int
	}{
		{"1", 5, 1},
		{"3", 5, 3},
		{"9", 5, 5},
		{"50%", 5, 2},
		{"100%", 5, 5},
		{"39%", 5, 1},
		{"40%", 5, 2},
		{"1%", 5, 1},
	} {
		t.Run("3.4/4 "+tc.limit, func(t *testing.T) {
			w := limited(t, tc.n, tc.limit)
			rollout.Equal(t, "started", strings.Count(w.Clusters(0), ">"), tc.want)
			rollout.Equal(t, "no more later", w.Pass(clusterCheck), later(clusterCheck))
			rollout.Equal(t, "started", strings.Count(w.Clusters(0), ">"), tc.want)
			w.Available("c-0")
			w.Pass(clusterCheck)
			rollout.Equal(t, "a success frees its slot at once", strings.Count(w.Clusters(0), ">"), min(tc.want, tc.n-1))
		})
	}
}

// TestStartCluster checks what a start writes for each state of the binding
// (docs/kubefleet.md#execute, row 5).
func TestStartCluster(t *testing.T) {
	synced := func(b *placement.ResourceBinding) { b.Spec.ResourceSnapshotName = "web-1-snapshot" }
	started := func(b *placement.ResourceBinding) {
		synced(b)
		rollout.SetCondition(&b.Status.Conditions, "RolloutStarted", "True")
	}
	for _, tc := range []struct {
		name     string
		binding  func(*placement.ResourceBinding)
		Requests []string
		mark     string
	}{
		{"not in sync", func(*placement.ResourceBinding) {}, []string{"update binding web-a-1", "write binding status web-a-1"}, ">"},
		{"fresh", func(b *placement.ResourceBinding) {
			b.Spec.ResourceSnapshotName, b.Spec.State, b.Spec.ApplyStrategy = "", placement.BindingScheduled, nil
		}, []string{"update binding web-a-1", "write binding status web-a-1"}, ">"},
		{"other apply strategy", func(b *placement.ResourceBinding) { started(b); b.Spec.ApplyStrategy = nil }, []string{"update binding web-a-1", "write binding status web-a-1"}, ">"},
		{"other overrides", func(b *placement.ResourceBinding) {
			started(b)
			b.Spec.ClusterResourceOverrideSnapshots = []string{"x"}
		}, []string{"update binding web-a-1", "write binding status web-a-1"}, ">"},
		{"an empty list is not an absent one", func(b *placement.ResourceBinding) {
			started(b)
			b.Spec.ResourceOverrideSnapshots = []placement.NamespacedName{}
		}, []string{"update binding web-a-1", "write binding status web-a-1"}, ">"},
		{"in sync, not bound", func(b *placement.ResourceBinding) { started(b); b.Spec.State = placement.BindingScheduled }, []string{"update binding web-a-1", "write binding status web-a-1"}, ">"},
		{"in sync, not announced", synced, []string{"write binding status web-a-1"}, ">"},
		{"in sync, announced for an older generation", func(b *placement.ResourceBinding) { started(b); b.Generation = 2 }, []string{"write binding status web-a-1"}, ">"},
		{"all set and available", started, nil, "+"},
		{"all set, not available", func(b *placement.ResourceBinding) {
			started(b)
			meta.RemoveStatusCondition(&b.Status.Conditions, "Available")
		}, nil, ">"},
	} {
		t.Run("3.4/5 "+tc.name, func(t *testing.T) {
			rollout.BothScopes(t, func(t *testing.T, w *rollout.World) {
				w.Start(placement.StateInitialize)
				w.Pass(0)
				w.EditBinding("a-1", tc.binding)
				w.SetState(placement.StateRun)
				rollout.Equal(t, "decision", w.Pass(0), later(clusterCheck))
				rollout.Equal(t, "writes", w.Requests, append(tc.Requests, "write run status run"))
				rollout.Equal(t, "clusters", w.Clusters(0), "a-1"+tc.mark+" a-2.")
				rollout.Equal(t, "stage", rollout.Condition(w.Stage(0).Conditions, "Progressing"), "True/StageUpdatingStarted")
				b := w.Binding("a-1")
				rollout.Equal(t, "state", b.Spec.State, placement.BindingBound)
				rollout.Equal(t, "snapshot", b.Spec.ResourceSnapshotName, "web-1-snapshot")
				rollout.Equal(t, "announced", meta.FindStatusCondition(b.Status.Conditions, "RolloutStarted").ObservedGeneration, b.Generation)
			})
		})
	}
}

func TestStartFailingCluster(t *testing.T) {
	w := rollout.New(t, "")
	w.Start(placement.StateInitialize)
	w.Pass(0)
	w.EditBinding("a-1", func(b *placement.ResourceBinding) {
		b.Spec.ResourceSnapshotName = "web-1-snapshot"
		rollout.SetCondition(&b.Status.Conditions, "RolloutStarted", "True")
		rollout.SetCondition(&b.Status.Conditions, "Available", "False")
	})
	w.SetState(placement.StateRun)
	rollout.Equal(t, "decision", fmt.Sprint(w.Pass(0).Err), "the cluster updating encountered an error at stage `a`, updateRun := `run`")
	rollout.Equal(t, "stays unstarted", w.Clusters(0), "a-1. a-2.")
}

func TestRolloutStarted(t *testing.T) {
	for _, index := range []string{"1", ""} {
		w := rollout.New(t, "team")
		latest := w.Snapshot(1)
		latest.Labels[rollout.LabelPrefix+"is-latest-snapshot"] = "true"
		latest.Annotations[rollout.LabelPrefix+"resource-hash"] = "83ff749c5d8eb5a0b62d714175bcbaef1409b371fc5a229a002db6fcc1f144e1"
		w.Put(latest)
		w.Start(placement.StateRun)
		w.Edit(func(r *placement.StagedUpdateRun) { r.Spec.ResourceSnapshotIndex = index })
		w.EditBinding("a-1", func(b *placement.ResourceBinding) {
			b.Status.Conditions = append([]metav1.Condition{{Type: "RolloutStarted", Status: "True", ObservedGeneration: 1}}, b.Status.Conditions...)
		})
		w.Pass(90 * time.Millisecond)
		conditions := w.Binding("a-1").Status.Conditions
		last := conditions[len(conditions)-1]
		rollout.Equal(t, "removed and added again", last, metav1.Condition{
			Type: "RolloutStarted", Status: "True", Reason: "RolloutStarted", ObservedGeneration: 2, LastTransitionTime: metav1.NewTime(rollout.Epoch),
			Message: "Detected the new changes on the resources and started the rollout process, resourceSnapshotIndex: " + index + ", updateRun: run",
		})
		rollout.Equal(t, "others are kept", conditions[0].Type, "Available")
	}
}

func TestStartWriteErrors(t *testing.T) {
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "bindings"}, "web-a-1", rollout.ErrRead)
	for _, tc := range []struct {
		name string
		op   pass.Op
		err  error
		want string
	}{
		{"spec", pass.OpUpdateBinding, rollout.ErrRead, s + ": cache is cold"},
		{"spec conflict", pass.OpUpdateBinding, conflict, e + ": Operation cannot be fulfilled on bindings \"web-a-1\": cache is cold"},
		{"status", pass.OpWriteBindingStatus, rollout.ErrRead, s + ": cache is cold"},
	} {
		t.Run("3.4/5 write error of "+tc.name, func(t *testing.T) {
			w := rollout.New(t, "")
			w.Start(placement.StateInitialize)
			w.Pass(0)
			w.SetState(placement.StateRun)
			w.Fault = func(e pass.Effect) (error, bool) {
				if e.Op == tc.op {
					return tc.err, false
				}
				return nil, false
			}
			d := w.Pass(0)
			rollout.Equal(t, "error", fmt.Sprint(d.Err), tc.want)
			rollout.Equal(t, "status is written", w.Requests[len(w.Requests)-1], "write run status run")
			rollout.Equal(t, "unstarted", w.Clusters(0), "a-1. a-2.")
			rollout.Equal(t, "run", w.Condition("Progressing"), "True/UpdateRunProgressing")
			w.Fault = nil
			w.Pass(0)
			rollout.Equal(t, "goes on", w.Clusters(0), "a-1> a-2.")
		})
	}
}

func TestOneFailureDoesNotHoldUpOthers(t *testing.T) {
	w := limited(t, 4, "3")
	w.EditBinding("c-0", func(b *placement.ResourceBinding) { b.Spec.ResourceSnapshotName = "web-0-snapshot"; b.Generation++ })
	delete(w.Bindings, types.NamespacedName{Name: "web-c-9"})
	w.Report("c-1", "Available", "False", "NotAllWorkAreAvailable")
	w.Available("c-2")
	rollout.Equal(t, "decision", w.Pass(clusterCheck), drive.Decision{})
	rollout.Equal(t, "clusters", w.Clusters(0), "c-0! c-1> c-2+ c-3>")
	want := "[" + a + ": " + u + ": the binding of the updating cluster `c-0` in the stage `c` is not up-to-date with the desired status, please check the status of binding `web-c-0` and see if there is a concurrent updateRun referencing the same placement and updating the same cluster, the cluster updating encountered an error at stage `c`, updateRun := `run`]"
	rollout.Equal(t, "3.4/7 aggregate", w.Message("Succeeded"), want)
	rollout.Equal(t, "stage", meta.FindStatusCondition(w.Stage(0).Conditions, "Succeeded").Message, want)
}

func TestAggregateMergesDuplicates(t *testing.T) {
	w := limited(t, 3, "3")
	for _, name := range []string{"c-0", "c-1"} {
		w.Report(name, "Applied", "False", "NotAllWorkHaveBeenApplied")
	}
	rollout.Equal(t, "3.4/7 duplicates", fmt.Sprint(w.Pass(clusterCheck).Err), "the cluster updating encountered an error at stage `c`, updateRun := `run`")
	w.Fault = func(e pass.Effect) (error, bool) { return fmt.Errorf("cannot %s", e.Op), false }
	w.SetState(placement.StateRun)
	rollout.Equal(t, "status write error wins", fmt.Sprint(w.Pass(clusterCheck).Err), s+": cannot write run status")
}

func TestFailedCluster(t *testing.T) {
	w := rollout.New(t, "")
	w.Start(placement.StateRun)
	w.Pass(0)
	rollout.EditStatus(func(st *placement.UpdateRunStatus) {
		rollout.SetCondition(&st.StagesStatus[0].Clusters[0].Conditions, "Succeeded", "False")
	})(w)
	w.Pass(clusterCheck)
	rollout.Equal(t, "3.4/5 Succeeded False", w.Message("Succeeded"), a+": the cluster `a-1` in the stage a has failed")
}

func TestEmptyStage(t *testing.T) {
	w := rollout.New(t, "")
	w.EditStrategy(func(s *placement.UpdateStrategySpec) {
		empty := rollout.Stage("none", "1")
		empty.BeforeStageTasks = []placement.StageTask{rollout.Approval()}
		empty.AfterStageTasks = []placement.StageTask{rollout.TimedWait(time.Hour), rollout.Approval()}
		s.Stages = append([]placement.StageConfig{empty}, s.Stages...)
	})
	w.Start(placement.StateRun)
	rollout.Equal(t, "3.4/2 decision", w.Pass(0), drive.Decision{Next: drive.Again})
	got := w.Stage(0)
	now := metav1.NewTime(rollout.Epoch)
	rollout.Equal(t, "3.4/2 stage", *got, placement.StageStatus{
		StageName: "none", Clusters: []placement.ClusterStatus{}, StartTime: &now, EndTime: &now,
		BeforeStageTaskStatus: []placement.TaskStatus{{Type: "Approval", ApprovalRequestName: "run-before-none"}},
		AfterStageTaskStatus:  []placement.TaskStatus{{Type: "TimedWait"}, {Type: "Approval", ApprovalRequestName: "run-after-none"}},
		Conditions: []metav1.Condition{
			{Type: "Progressing", Status: "False", Reason: "StageUpdatingSkippedNoClusters", Message: "Stage skipped because it has no clusters", ObservedGeneration: 1, LastTransitionTime: now},
			{Type: "Succeeded", Status: "True", Reason: "StageUpdatingSkippedNoClusters", Message: "Stage skipped because it has no clusters", ObservedGeneration: 1, LastTransitionTime: now},
		},
	})
	rollout.Equal(t, "4 no request for an empty stage", len(w.Approvals), 0)
	rollout.Equal(t, "run", w.Condition("Progressing"), "True/UpdateRunProgressing")
	w.Pass(0)
	rollout.Equal(t, "next stage", w.Clusters(1), "a-1> a-2.")
}

func TestBeforeStageApproval(t *testing.T) {
	rollout.BothScopes(t, func(t *testing.T, w *rollout.World) {
		w.EditStrategy(func(s *placement.UpdateStrategySpec) {
			s.Stages[0].BeforeStageTasks = []placement.StageTask{rollout.Approval()}
		})
		w.Start(placement.StateRun)
		rollout.Equal(t, "3.4/3 decision", w.Pass(0), later(stageCheck))
		rollout.Equal(t, "run", w.Condition("Progressing")+" "+w.Message("Progressing"), "False/UpdateRunWaiting The updateRun is waiting for before-stage tasks in stage a to complete")
		c := meta.FindStatusCondition(w.Stage(0).Conditions, "Progressing")
		rollout.Equal(t, "stage", rollout.Condition(w.Stage(0).Conditions, "Progressing")+" "+c.Message, "False/StageUpdatingWaiting Not all before-stage tasks are completed, waiting for approval")
		rollout.Equal(t, "not started", w.Stage(0).StartTime == nil, true)
		rollout.Equal(t, "clusters", w.Clusters(0), "a-1. a-2.")
		first := w.Run().Status.DeepCopy()
		rollout.Equal(t, "pending", w.Pass(stageCheck), later(stageCheck))
		rollout.Equal(t, "3.4/1 lastTransitionTime stands", &w.Run().Status, first)
		w.Approve("run-before-a")
		rollout.Equal(t, "granted", w.Pass(time.Second), later(clusterCheck))
		rollout.Equal(t, "run", w.Condition("Progressing"), "True/UpdateRunProgressing")
		rollout.Equal(t, "clusters", w.Clusters(0), "a-1> a-2.")
		rollout.Equal(t, "started", w.Stage(0).StartTime.Time.Equal(rollout.Epoch.Add(61*time.Second)), true)
	})
}

// throughStage brings the clusters of stage a to their end; the last pass is
// the one that sees the second available.
func throughStage(w *rollout.World) drive.Decision {
	w.Pass(0)
	w.Available("a-1")
	w.Pass(clusterCheck)
	w.Available("a-2")
	return w.Pass(clusterCheck)
}

func TestAfterTasks(t *testing.T) {
	done := rollout.Epoch.Add(2 * clusterCheck)
	for _, tc := range []struct {
		name  string
		tasks []placement.StageTask
		first drive.Decision
		mid   func(*rollout.World)
		wait  time.Duration
		then  drive.Decision
		task  string
	}{
		{"no tasks", nil, drive.Decision{Next: drive.Again}, nil, 0, later(clusterCheck), ""},
		{"timed wait", []placement.StageTask{rollout.TimedWait(time.Minute)}, later(time.Minute), nil, time.Minute, drive.Decision{Next: drive.Again}, "True/AfterStageTaskWaitTimeElapsed"},
		{"timed wait, what is left", []placement.StageTask{rollout.TimedWait(time.Minute)}, later(time.Minute), nil, 20 * time.Second, later(40 * time.Second), "-"},
		{"approval", []placement.StageTask{rollout.Approval()}, later(stageCheck), func(w *rollout.World) { w.Approve("run-after-a") }, time.Second, drive.Decision{Next: drive.Again}, "True/StageTaskApprovalRequestApproved"},
		{"approval pending", []placement.StageTask{rollout.Approval()}, later(stageCheck), nil, time.Second, later(stageCheck), "-"},
		{"both, approval given", []placement.StageTask{rollout.TimedWait(time.Minute), rollout.Approval()}, later(time.Minute), func(w *rollout.World) { w.Approve("run-after-a") }, time.Second, later(59 * time.Second), "-"},
		{"both, wait over", []placement.StageTask{rollout.Approval(), rollout.TimedWait(time.Minute)}, later(time.Minute), nil, time.Minute, later(stageCheck), "-"},
		{"both pass", []placement.StageTask{rollout.Approval(), rollout.TimedWait(time.Minute)}, later(time.Minute), func(w *rollout.World) { w.Approve("run-after-a") }, time.Minute, drive.Decision{Next: drive.Again}, "True/StageTaskApprovalRequestApproved"},
	} {
		t.Run("3.4 completion "+tc.name, func(t *testing.T) {
			w := rollout.New(t, "")
			w.EditStrategy(func(s *placement.UpdateStrategySpec) { s.Stages[0].AfterStageTasks = tc.tasks })
			w.Start(placement.StateRun)
			rollout.Equal(t, "first", throughStage(w), tc.first)
			since := meta.FindStatusCondition(w.Stage(0).Conditions, "Progressing").LastTransitionTime
			rollout.Equal(t, "waiting since", since.Time.Equal(done), true)
			if tc.first.Next == drive.After {
				rollout.Equal(t, "run", w.Condition("Progressing")+" "+w.Message("Progressing"), "False/UpdateRunWaiting The updateRun is waiting for after-stage tasks in stage a to complete")
				rollout.Equal(t, "stage", rollout.Condition(w.Stage(0).Conditions, "Progressing"), "False/StageUpdatingWaiting")
			}
			if tc.mid != nil {
				tc.mid(w)
			}
			rollout.Equal(t, "then", w.Pass(tc.wait), tc.then)
			if tc.task != "" {
				st := w.Stage(0).AfterStageTaskStatus[0].Conditions
				got := rollout.Condition(st, "ApprovalRequestApproved")
				if tc.tasks[0].Type == placement.TaskTimedWait {
					got = rollout.Condition(st, "WaitTimeElapsed")
				}
				rollout.Equal(t, "task", got, tc.task)
			}
			if tc.then.Next == drive.Again {
				rollout.Equal(t, "ended", w.Stage(0).EndTime.Time.Equal(w.Now), true)
				rollout.Equal(t, "stage", rollout.Condition(w.Stage(0).Conditions, "Progressing")+" "+rollout.Condition(w.Stage(0).Conditions, "Succeeded"), "False/StageUpdatingSucceeded True/StageUpdatingSucceeded")
				rollout.Equal(t, "stage waiting since is kept", meta.FindStatusCondition(w.Stage(0).Conditions, "Progressing").LastTransitionTime, since)
				rollout.Equal(t, "run", w.Condition("Progressing"), "True/UpdateRunProgressing")
			}
		})
	}
}

// TestRunLevelTransitionIsRewritten checks that each pass of a waiting run sets a
// new transition time (docs/kubefleet.md#quirks, 7.1).
func TestRunLevelTransitionIsRewritten(t *testing.T) {
	w := rollout.New(t, "")
	w.EditStrategy(func(s *placement.UpdateStrategySpec) {
		s.Stages[0].AfterStageTasks = []placement.StageTask{rollout.Approval()}
	})
	w.Start(placement.StateRun)
	throughStage(w)
	stage := meta.FindStatusCondition(w.Stage(0).Conditions, "Progressing").LastTransitionTime
	w.Pass(stageCheck)
	rollout.Equal(t, "run", meta.FindStatusCondition(w.Run().Status.Conditions, "Progressing").LastTransitionTime.Time.Equal(w.Now), true)
	rollout.Equal(t, "stage", meta.FindStatusCondition(w.Stage(0).Conditions, "Progressing").LastTransitionTime, stage)
}

func TestDuplicateStageNamesShareARequest(t *testing.T) {
	w := rollout.New(t, "")
	w.EditStrategy(func(s *placement.UpdateStrategySpec) {
		for i := range s.Stages {
			s.Stages[i].Name = "same"
			s.Stages[i].BeforeStageTasks = []placement.StageTask{rollout.Approval()}
		}
	})
	w.Start(placement.StateRun)
	w.Pass(0)
	w.Approve("run-before-same")
	throughStage(w)
	rollout.Equal(t, "7.9 the second stage is granted too", w.Pass(0), later(clusterCheck))
	rollout.Equal(t, "clusters", w.Clusters(1), "b-1> b-2. b-3.")
	rollout.Equal(t, "requests", len(w.Approvals), 1)
}

func TestIndexNotRecorded(t *testing.T) {
	w := rollout.New(t, "")
	w.Start(placement.StateInitialize)
	w.Pass(0)
	rollout.EditStatus(func(st *placement.UpdateRunStatus) { st.ResourceSnapshotIndexUsed = "" })(w)
	w.SetState(placement.StateRun)
	w.Pass(0)
	rollout.Equal(t, "7.14 resolves to 0", w.Binding("a-1").Spec.ResourceSnapshotName, "web-0-snapshot")
}
