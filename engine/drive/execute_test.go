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
)

const (
	clusterCheck = 15 * time.Second
	stageCheck   = 60 * time.Second
)

func later(d time.Duration) drive.Decision { return drive.Decision{Next: drive.After, Wait: d} }

// limited makes a world of one stage with n clusters c-0... and the given
// maxConcurrency, whose run has had its first pass.
func limited(t *testing.T, n int, limit string) *world {
	w := newWorld(t, "")
	clear(w.Bindings)
	for i := range n {
		w.join(fmt.Sprintf("c-%d", i), "c", i)
	}
	w.strategy(func(s *placement.UpdateStrategySpec) { s.Stages = []placement.StageConfig{stage("c", limit)} })
	w.start(placement.StateRun)
	w.pass(0)
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
			equal(t, "started", strings.Count(w.clusters(0), ">"), tc.want)
			equal(t, "no more later", w.pass(clusterCheck), later(clusterCheck))
			equal(t, "started", strings.Count(w.clusters(0), ">"), tc.want)
			w.available("c-0")
			w.pass(clusterCheck)
			equal(t, "a success frees its slot at once", strings.Count(w.clusters(0), ">"), min(tc.want, tc.n-1))
		})
	}
}

// TestStartCluster checks what a start writes for each state of the binding
// (docs/kubefleet.md#execute, row 5).
func TestStartCluster(t *testing.T) {
	synced := func(b *placement.ResourceBinding) { b.Spec.ResourceSnapshotName = "web-1-snapshot" }
	started := func(b *placement.ResourceBinding) {
		synced(b)
		mark(&b.Status.Conditions, "RolloutStarted", "True")
	}
	for _, tc := range []struct {
		name    string
		binding func(*placement.ResourceBinding)
		ops     []string
		mark    string
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
			bothScopes(t, func(t *testing.T, w *world) {
				w.start(placement.StateInitialize)
				w.pass(0)
				w.editBinding("a-1", tc.binding)
				w.state(placement.StateRun)
				equal(t, "decision", w.pass(0), later(clusterCheck))
				equal(t, "writes", w.ops, append(tc.ops, "write run status run"))
				equal(t, "clusters", w.clusters(0), "a-1"+tc.mark+" a-2.")
				equal(t, "stage", cond(w.stage(0).Conditions, "Progressing"), "True/StageUpdatingStarted")
				b := w.binding("a-1")
				equal(t, "state", b.Spec.State, placement.BindingBound)
				equal(t, "snapshot", b.Spec.ResourceSnapshotName, "web-1-snapshot")
				equal(t, "announced", meta.FindStatusCondition(b.Status.Conditions, "RolloutStarted").ObservedGeneration, b.Generation)
			})
		})
	}
}

func TestStartFailingCluster(t *testing.T) {
	w := newWorld(t, "")
	w.start(placement.StateInitialize)
	w.pass(0)
	w.editBinding("a-1", func(b *placement.ResourceBinding) {
		b.Spec.ResourceSnapshotName = "web-1-snapshot"
		mark(&b.Status.Conditions, "RolloutStarted", "True")
		mark(&b.Status.Conditions, "Available", "False")
	})
	w.state(placement.StateRun)
	equal(t, "decision", fmt.Sprint(w.pass(0).Err), "the cluster updating encountered an error at stage `a`, updateRun := `run`")
	equal(t, "stays unstarted", w.clusters(0), "a-1. a-2.")
}

func TestRolloutStarted(t *testing.T) {
	for _, index := range []string{"1", ""} {
		w := newWorld(t, "team")
		latest := w.snapshot(1)
		latest.Labels[fleet+"is-latest-snapshot"] = "true"
		latest.Annotations[fleet+"resource-hash"] = "83ff749c5d8eb5a0b62d714175bcbaef1409b371fc5a229a002db6fcc1f144e1"
		w.Put(latest)
		w.start(placement.StateRun)
		w.edit(func(r *placement.StagedUpdateRun) { r.Spec.ResourceSnapshotIndex = index })
		w.editBinding("a-1", func(b *placement.ResourceBinding) {
			b.Status.Conditions = append([]metav1.Condition{{Type: "RolloutStarted", Status: "True", ObservedGeneration: 1}}, b.Status.Conditions...)
		})
		w.pass(90 * time.Millisecond)
		conditions := w.binding("a-1").Status.Conditions
		last := conditions[len(conditions)-1]
		equal(t, "removed and added again", last, metav1.Condition{
			Type: "RolloutStarted", Status: "True", Reason: "RolloutStarted", ObservedGeneration: 2, LastTransitionTime: metav1.NewTime(epoch),
			Message: "Detected the new changes on the resources and started the rollout process, resourceSnapshotIndex: " + index + ", updateRun: run",
		})
		equal(t, "others are kept", conditions[0].Type, "Available")
	}
}

func TestStartWriteErrors(t *testing.T) {
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "bindings"}, "web-a-1", errRead)
	for _, tc := range []struct {
		name string
		op   pass.Op
		err  error
		want string
	}{
		{"spec", pass.OpUpdateBinding, errRead, s + ": cache is cold"},
		{"spec conflict", pass.OpUpdateBinding, conflict, e + ": Operation cannot be fulfilled on bindings \"web-a-1\": cache is cold"},
		{"status", pass.OpWriteBindingStatus, errRead, s + ": cache is cold"},
	} {
		t.Run("3.4/5 write error of "+tc.name, func(t *testing.T) {
			w := newWorld(t, "")
			w.start(placement.StateInitialize)
			w.pass(0)
			w.state(placement.StateRun)
			w.fault = func(e pass.Effect) (error, bool) {
				if e.Op == tc.op {
					return tc.err, false
				}
				return nil, false
			}
			d := w.pass(0)
			equal(t, "error", fmt.Sprint(d.Err), tc.want)
			equal(t, "status is written", w.ops[len(w.ops)-1], "write run status run")
			equal(t, "unstarted", w.clusters(0), "a-1. a-2.")
			equal(t, "run", w.cond("Progressing"), "True/UpdateRunProgressing")
			w.fault = nil
			w.pass(0)
			equal(t, "goes on", w.clusters(0), "a-1> a-2.")
		})
	}
}

func TestOneFailureDoesNotHoldUpOthers(t *testing.T) {
	w := limited(t, 4, "3")
	w.editBinding("c-0", func(b *placement.ResourceBinding) { b.Spec.ResourceSnapshotName = "web-0-snapshot"; b.Generation++ })
	delete(w.Bindings, types.NamespacedName{Name: "web-c-9"})
	w.report("c-1", "Available", "False", "NotAllWorkAreAvailable")
	w.available("c-2")
	equal(t, "decision", w.pass(clusterCheck), drive.Decision{})
	equal(t, "clusters", w.clusters(0), "c-0! c-1> c-2+ c-3>")
	want := "[" + a + ": " + u + ": the binding of the updating cluster `c-0` in the stage `c` is not up-to-date with the desired status, please check the status of binding `web-c-0` and see if there is a concurrent updateRun referencing the same placement and updating the same cluster, the cluster updating encountered an error at stage `c`, updateRun := `run`]"
	equal(t, "3.4/7 aggregate", w.message("Succeeded"), want)
	equal(t, "stage", meta.FindStatusCondition(w.stage(0).Conditions, "Succeeded").Message, want)
}

func TestAggregateMergesDuplicates(t *testing.T) {
	w := limited(t, 3, "3")
	for _, name := range []string{"c-0", "c-1"} {
		w.report(name, "Applied", "False", "NotAllWorkHaveBeenApplied")
	}
	equal(t, "3.4/7 duplicates", fmt.Sprint(w.pass(clusterCheck).Err), "the cluster updating encountered an error at stage `c`, updateRun := `run`")
	w.fault = func(e pass.Effect) (error, bool) { return fmt.Errorf("cannot %s", e.Op), false }
	w.state(placement.StateRun)
	equal(t, "status write error wins", fmt.Sprint(w.pass(clusterCheck).Err), s+": cannot write run status")
}

func TestFailedCluster(t *testing.T) {
	w := newWorld(t, "")
	w.start(placement.StateRun)
	w.pass(0)
	status(func(st *placement.UpdateRunStatus) {
		mark(&st.StagesStatus[0].Clusters[0].Conditions, "Succeeded", "False")
	})(w)
	w.pass(clusterCheck)
	equal(t, "3.4/5 Succeeded False", w.message("Succeeded"), a+": the cluster `a-1` in the stage a has failed")
}

func TestEmptyStage(t *testing.T) {
	w := newWorld(t, "")
	w.strategy(func(s *placement.UpdateStrategySpec) {
		empty := stage("none", "1")
		empty.BeforeStageTasks = []placement.StageTask{approval()}
		empty.AfterStageTasks = []placement.StageTask{timed(time.Hour), approval()}
		s.Stages = append([]placement.StageConfig{empty}, s.Stages...)
	})
	w.start(placement.StateRun)
	equal(t, "3.4/2 decision", w.pass(0), drive.Decision{Next: drive.Again})
	got := w.stage(0)
	now := metav1.NewTime(epoch)
	equal(t, "3.4/2 stage", *got, placement.StageStatus{
		StageName: "none", Clusters: []placement.ClusterStatus{}, StartTime: &now, EndTime: &now,
		BeforeStageTaskStatus: []placement.TaskStatus{{Type: "Approval", ApprovalRequestName: "run-before-none"}},
		AfterStageTaskStatus:  []placement.TaskStatus{{Type: "TimedWait"}, {Type: "Approval", ApprovalRequestName: "run-after-none"}},
		Conditions: []metav1.Condition{
			{Type: "Progressing", Status: "False", Reason: "StageUpdatingSkippedNoClusters", Message: "Stage skipped because it has no clusters", ObservedGeneration: 1, LastTransitionTime: now},
			{Type: "Succeeded", Status: "True", Reason: "StageUpdatingSkippedNoClusters", Message: "Stage skipped because it has no clusters", ObservedGeneration: 1, LastTransitionTime: now},
		},
	})
	equal(t, "4 no request for an empty stage", len(w.Approvals), 0)
	equal(t, "run", w.cond("Progressing"), "True/UpdateRunProgressing")
	w.pass(0)
	equal(t, "next stage", w.clusters(1), "a-1> a-2.")
}

func TestBeforeStageApproval(t *testing.T) {
	bothScopes(t, func(t *testing.T, w *world) {
		w.strategy(func(s *placement.UpdateStrategySpec) {
			s.Stages[0].BeforeStageTasks = []placement.StageTask{approval()}
		})
		w.start(placement.StateRun)
		equal(t, "3.4/3 decision", w.pass(0), later(stageCheck))
		equal(t, "run", w.cond("Progressing")+" "+w.message("Progressing"), "False/UpdateRunWaiting The updateRun is waiting for before-stage tasks in stage a to complete")
		c := meta.FindStatusCondition(w.stage(0).Conditions, "Progressing")
		equal(t, "stage", cond(w.stage(0).Conditions, "Progressing")+" "+c.Message, "False/StageUpdatingWaiting Not all before-stage tasks are completed, waiting for approval")
		equal(t, "not started", w.stage(0).StartTime == nil, true)
		equal(t, "clusters", w.clusters(0), "a-1. a-2.")
		first := w.run().Status.DeepCopy()
		equal(t, "pending", w.pass(stageCheck), later(stageCheck))
		equal(t, "3.4/1 lastTransitionTime stands", &w.run().Status, first)
		w.approve("run-before-a")
		equal(t, "granted", w.pass(time.Second), later(clusterCheck))
		equal(t, "run", w.cond("Progressing"), "True/UpdateRunProgressing")
		equal(t, "clusters", w.clusters(0), "a-1> a-2.")
		equal(t, "started", w.stage(0).StartTime.Time.Equal(epoch.Add(61*time.Second)), true)
	})
}

// throughStage brings the clusters of stage a to their end; the last pass is
// the one that sees the second available.
func throughStage(w *world) drive.Decision {
	w.pass(0)
	w.available("a-1")
	w.pass(clusterCheck)
	w.available("a-2")
	return w.pass(clusterCheck)
}

func TestAfterTasks(t *testing.T) {
	done := epoch.Add(2 * clusterCheck)
	for _, tc := range []struct {
		name  string
		tasks []placement.StageTask
		first drive.Decision
		mid   func(*world)
		wait  time.Duration
		then  drive.Decision
		task  string
	}{
		{"no tasks", nil, drive.Decision{Next: drive.Again}, nil, 0, later(clusterCheck), ""},
		{"timed wait", []placement.StageTask{timed(time.Minute)}, later(time.Minute), nil, time.Minute, drive.Decision{Next: drive.Again}, "True/AfterStageTaskWaitTimeElapsed"},
		{"timed wait, what is left", []placement.StageTask{timed(time.Minute)}, later(time.Minute), nil, 20 * time.Second, later(40 * time.Second), "-"},
		{"approval", []placement.StageTask{approval()}, later(stageCheck), func(w *world) { w.approve("run-after-a") }, time.Second, drive.Decision{Next: drive.Again}, "True/StageTaskApprovalRequestApproved"},
		{"approval pending", []placement.StageTask{approval()}, later(stageCheck), nil, time.Second, later(stageCheck), "-"},
		{"both, approval given", []placement.StageTask{timed(time.Minute), approval()}, later(time.Minute), func(w *world) { w.approve("run-after-a") }, time.Second, later(59 * time.Second), "-"},
		{"both, wait over", []placement.StageTask{approval(), timed(time.Minute)}, later(time.Minute), nil, time.Minute, later(stageCheck), "-"},
		{"both pass", []placement.StageTask{approval(), timed(time.Minute)}, later(time.Minute), func(w *world) { w.approve("run-after-a") }, time.Minute, drive.Decision{Next: drive.Again}, "True/StageTaskApprovalRequestApproved"},
	} {
		t.Run("3.4 completion "+tc.name, func(t *testing.T) {
			w := newWorld(t, "")
			w.strategy(func(s *placement.UpdateStrategySpec) { s.Stages[0].AfterStageTasks = tc.tasks })
			w.start(placement.StateRun)
			equal(t, "first", throughStage(w), tc.first)
			since := meta.FindStatusCondition(w.stage(0).Conditions, "Progressing").LastTransitionTime
			equal(t, "waiting since", since.Time.Equal(done), true)
			if tc.first.Next == drive.After {
				equal(t, "run", w.cond("Progressing")+" "+w.message("Progressing"), "False/UpdateRunWaiting The updateRun is waiting for after-stage tasks in stage a to complete")
				equal(t, "stage", cond(w.stage(0).Conditions, "Progressing"), "False/StageUpdatingWaiting")
			}
			if tc.mid != nil {
				tc.mid(w)
			}
			equal(t, "then", w.pass(tc.wait), tc.then)
			if tc.task != "" {
				st := w.stage(0).AfterStageTaskStatus[0].Conditions
				got := cond(st, "ApprovalRequestApproved")
				if tc.tasks[0].Type == placement.TaskTimedWait {
					got = cond(st, "WaitTimeElapsed")
				}
				equal(t, "task", got, tc.task)
			}
			if tc.then.Next == drive.Again {
				equal(t, "ended", w.stage(0).EndTime.Time.Equal(w.Now), true)
				equal(t, "stage", cond(w.stage(0).Conditions, "Progressing")+" "+cond(w.stage(0).Conditions, "Succeeded"), "False/StageUpdatingSucceeded True/StageUpdatingSucceeded")
				equal(t, "stage waiting since is kept", meta.FindStatusCondition(w.stage(0).Conditions, "Progressing").LastTransitionTime, since)
				equal(t, "run", w.cond("Progressing"), "True/UpdateRunProgressing")
			}
		})
	}
}

// TestRunLevelTransitionIsRewritten checks that each pass of a waiting run sets a
// new transition time (docs/kubefleet.md#quirks, 7.1).
func TestRunLevelTransitionIsRewritten(t *testing.T) {
	w := newWorld(t, "")
	w.strategy(func(s *placement.UpdateStrategySpec) { s.Stages[0].AfterStageTasks = []placement.StageTask{approval()} })
	w.start(placement.StateRun)
	throughStage(w)
	stage := meta.FindStatusCondition(w.stage(0).Conditions, "Progressing").LastTransitionTime
	w.pass(stageCheck)
	equal(t, "run", meta.FindStatusCondition(w.run().Status.Conditions, "Progressing").LastTransitionTime.Time.Equal(w.Now), true)
	equal(t, "stage", meta.FindStatusCondition(w.stage(0).Conditions, "Progressing").LastTransitionTime, stage)
}

func TestDuplicateStageNamesShareARequest(t *testing.T) {
	w := newWorld(t, "")
	w.strategy(func(s *placement.UpdateStrategySpec) {
		for i := range s.Stages {
			s.Stages[i].Name = "same"
			s.Stages[i].BeforeStageTasks = []placement.StageTask{approval()}
		}
	})
	w.start(placement.StateRun)
	w.pass(0)
	w.approve("run-before-same")
	throughStage(w)
	equal(t, "7.9 the second stage is granted too", w.pass(0), later(clusterCheck))
	equal(t, "clusters", w.clusters(1), "b-1> b-2. b-3.")
	equal(t, "requests", len(w.Approvals), 1)
}

func TestIndexNotRecorded(t *testing.T) {
	w := newWorld(t, "")
	w.start(placement.StateInitialize)
	w.pass(0)
	status(func(st *placement.UpdateRunStatus) { st.ResourceSnapshotIndexUsed = "" })(w)
	w.state(placement.StateRun)
	w.pass(0)
	equal(t, "7.14 resolves to 0", w.binding("a-1").Spec.ResourceSnapshotName, "web-0-snapshot")
}
