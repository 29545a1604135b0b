package drive_test

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/internal/rollout"
)

func TestClusterResult(t *testing.T) {
	type report struct {
		kind   string
		status metav1.ConditionStatus
		reason string
	}
	failing := "the cluster updating encountered an error at stage `a`, updateRun := `run`"
	for _, tc := range []struct {
		name    string
		reports []report
		old     bool // reported for an older generation
		mark    string
		err     string
	}{
		{"nothing reported", nil, false, ">", ""},
		{"Available", []report{{"Available", "True", "AllWorkAreAvailable"}}, false, "+", ""},
		{"Available, not trackable", []report{{"Available", "True", "NotAllWorkAreAvailabilityTrackable"}}, false, "+", ""},
		{"Available of an older generation", []report{{"Available", "True", "AllWorkAreAvailable"}}, true, ">", ""},
		{"DiffReported", []report{{"DiffReported", "True", "AllWorkHaveDiffReported"}}, false, "+", ""},
		{"Available beside a failure", []report{{"Applied", "False", "NotAllWorkHaveBeenApplied"}, {"Available", "True", "AllWorkAreAvailable"}}, false, "+", ""},
		{"Overridden False", []report{{"Overridden", "False", "OverriddenFailed"}}, false, ">", failing},
		{"WorkSynchronized False", []report{{"WorkSynchronized", "False", "SyncWorkFailed"}}, false, ">", failing},
		{"Applied in progress", []report{{"Applied", "False", "ApplyInProgress"}}, false, ">", failing},
		{"Available False", []report{{"Available", "False", "NotAllWorkAreAvailable"}}, false, ">", failing},
		{"Available False of an older generation", []report{{"Available", "False", "NotAllWorkAreAvailable"}}, true, ">", ""},
		{"DiffReported False", []report{{"DiffReported", "False", "DiffReportInProgress"}}, false, ">", failing},
		{"exempt Overridden", []report{{"Overridden", "False", "OverriddenPending"}}, false, ">", ""},
		{"exempt WorkSynchronized", []report{{"WorkSynchronized", "False", "WorkNotSynchronizedYet"}}, false, ">", ""},
		{"exempt Applied", []report{{"Applied", "False", "ApplyPending"}}, false, ">", ""},
		{"exempt Available", []report{{"Available", "False", "ResourceNotAvailableYet"}}, false, ">", ""},
		{"an exempt reason of another condition", []report{{"Applied", "False", "ResourceNotAvailableYet"}}, false, ">", failing},
		{"Unknown", []report{{"Available", "Unknown", "Maybe"}}, false, ">", ""},
	} {
		for _, state := range []placement.State{placement.StateRun, placement.StateStop} {
			t.Run("3.5 "+tc.name+" in "+string(state), func(t *testing.T) {
				rollout.BothScopes(t, func(t *testing.T, w *rollout.World) {
					w.Start(placement.StateRun)
					w.Pass(0)
					for _, r := range tc.reports {
						w.Report("a-1", r.kind, r.status, r.reason)
						if tc.old {
							w.EditBinding("a-1", func(b *placement.ResourceBinding) {
								meta.FindStatusCondition(b.Status.Conditions, r.kind).ObservedGeneration--
							})
						}
					}
					w.SetState(state)
					d := w.Pass(clusterCheck)
					got := ""
					if d.Err != nil {
						got = d.Err.Error()
					}
					rollout.Equal(t, "error", got, tc.err)
					rollout.Equal(t, "cluster", w.Clusters(0)[:4], "a-1"+tc.mark)
					rollout.Equal(t, "error is not stored", w.Condition("Succeeded"), "-")
				})
			})
		}
	}
}

func TestPreempted(t *testing.T) {
	for _, tc := range []struct {
		name string
		take func(*placement.ResourceBinding)
	}{
		{"another snapshot", func(b *placement.ResourceBinding) { b.Spec.ResourceSnapshotName = "web-0-snapshot" }},
		{"other overrides", func(b *placement.ResourceBinding) { b.Spec.ClusterResourceOverrideSnapshots = []string{"x"} }},
		{"other namespaced overrides", func(b *placement.ResourceBinding) {
			b.Spec.ResourceOverrideSnapshots = []placement.NamespacedName{{Name: "x"}}
		}},
		{"another apply strategy", func(b *placement.ResourceBinding) { b.Spec.ApplyStrategy.AllowCoOwnership = true }},
		{"generation changed", func(b *placement.ResourceBinding) { b.Generation++ }},
		{"rollout not started", func(b *placement.ResourceBinding) {
			rollout.SetCondition(&b.Status.Conditions, "RolloutStarted", "False")
		}},
		{"not bound", func(b *placement.ResourceBinding) { b.Spec.State = placement.BindingScheduled }},
	} {
		t.Run("3.5 preempted: "+tc.name, func(t *testing.T) {
			rollout.BothScopes(t, func(t *testing.T, w *rollout.World) {
				w.Start(placement.StateRun)
				w.Pass(0)
				w.Available("a-1") // does not help
				w.EditBinding("a-1", tc.take)
				taken := w.Binding("a-1")
				rollout.Equal(t, "decision", w.Pass(clusterCheck), drive.Decision{})
				text := rollout.Expand(w, u+": the binding of the updating cluster `a-1` in the stage `a` is not up-to-date with the desired status, please check the status of binding `OBJ/web-a-1` and see if there is a concurrent updateRun referencing the same placement and updating the same cluster")
				c := w.Stage(0).Clusters[0].Conditions
				rollout.Equal(t, "cluster", rollout.Condition(c, "Succeeded")+" "+meta.FindStatusCondition(c, "Succeeded").Message, "False/ClusterUpdatingFailed "+text)
				sc := w.Stage(0).Conditions
				rollout.Equal(t, "stage", rollout.Condition(sc, "Succeeded")+" "+meta.FindStatusCondition(sc, "Succeeded").Message, "False/StageUpdatingFailed "+a+": "+text)
				rollout.Equal(t, "stage", rollout.Condition(sc, "Progressing")+" "+meta.FindStatusCondition(sc, "Progressing").Message, "False/StageUpdatingFailed Stage update aborted due to a non-recoverable error")
				rollout.Equal(t, "ended", w.Stage(0).EndTime.Time.Equal(w.Now), true)
				rollout.Equal(t, "run", w.Condition("Succeeded")+" "+w.Message("Succeeded"), "False/UpdateRunFailed "+a+": "+text)
				rollout.Equal(t, "run", w.Condition("Progressing"), "False/UpdateRunFailed")
				rollout.Equal(t, "binding is left alone", w.Binding("a-1"), taken)
				rollout.Equal(t, "terminal", w.Pass(time.Hour), drive.Decision{})
				rollout.Equal(t, "terminal", len(w.Requests), 0)
			})
		})
	}
}

// TestOldLookAtABinding holds that a binding which the Input shows as it was
// before the run's own write does not end the run: it is looked at again.
func TestOldLookAtABinding(t *testing.T) {
	rollout.BothScopes(t, func(t *testing.T, w *rollout.World) {
		w.Start(placement.StateRun)
		before := w.Input(w.Key).Bindings
		w.Pass(0)
		old := func() drive.Decision {
			in := w.Input(w.Key)
			in.Bindings = before
			return drive.Reconcile(in, w.Timing, w.Now, w.Answer)
		}
		rollout.Equal(t, "not preempted", old(), later(clusterCheck))
		rollout.Equal(t, "clusters", w.Clusters(0), "a-1> a-2.")
		w.Available("a-1")
		old()
		rollout.Equal(t, "the newer look counts", w.Clusters(0), "a-1+ a-2>")

		w.SetState(placement.StateStop)
		rollout.Equal(t, "no success of before the start", old(), later(clusterCheck))
		rollout.Equal(t, "stopping", w.Clusters(0), "a-1+ a-2>")
		w.Fault = func(e pass.Effect) (error, bool) {
			if e.Op == pass.OpGetBinding {
				return rollout.ErrRead, false
			}
			return nil, false
		}
		rollout.Equal(t, "an error is retried in Stop", fmt.Sprint(old().Err), s+": cache is cold")
		w.SetState(placement.StateRun)
		rollout.Equal(t, "an error is retried in Run", fmt.Sprint(old().Err), s+": cache is cold")
		rollout.Equal(t, "run", w.Condition("Succeeded"), "-")
		w.Fault = nil
		w.Finish()
		rollout.Equal(t, "run", w.Condition("Succeeded"), "True/UpdateRunSucceeded")
	})
}

func TestStuck(t *testing.T) {
	for _, tc := range []struct {
		n    int
		want string
	}{
		{1, "c-0"}, {2, "c-0, c-1"}, {3, "c-0, c-1, c-2"}, {4, "c-0, c-1, c-2..."}, {7, "c-0, c-1, c-2..."},
	} {
		t.Run(fmt.Sprintf("3.5 stuck with %d", tc.n), func(t *testing.T) {
			w := limited(t, tc.n, "100%")
			rollout.Equal(t, "not yet at the mark", w.Pass(5*time.Minute), later(clusterCheck))
			rollout.Equal(t, "run", w.Condition("Progressing"), "True/UpdateRunProgressing")
			rollout.Equal(t, "decision", w.Pass(time.Second), later(clusterCheck))
			rollout.Equal(t, "run", w.Condition("Progressing")+" "+w.Message("Progressing"), "False/UpdateRunStuck The updateRun is stuck waiting for "+tc.want+" cluster(s) in stage c to finish updating, please check placement status for potential errors")
			rollout.Equal(t, "stage", rollout.Condition(w.Stage(0).Conditions, "Progressing"), "True/StageUpdatingStarted")
			since := meta.FindStatusCondition(w.Run().Status.Conditions, "Progressing").LastTransitionTime
			w.Pass(time.Minute)
			rollout.Equal(t, "3.4/1 stuck since", meta.FindStatusCondition(w.Run().Status.Conditions, "Progressing").LastTransitionTime, since)
		})
	}
}

func TestStuckRecovers(t *testing.T) {
	w := limited(t, 3, "2")
	w.Report("c-0", "Available", "False", "NotAllWorkAreAvailable")
	w.Available("c-1")
	w.Pass(clusterCheck)
	rollout.Equal(t, "backoff instead of polling", w.Last.Next, drive.Retry)
	w.Pass(6 * time.Minute)
	rollout.Equal(t, "run", w.Message("Progressing"), "The updateRun is stuck waiting for c-0, c-2 cluster(s) in stage c to finish updating, please check placement status for potential errors")
	w.Available("c-2")
	w.Pass(time.Second)
	rollout.Equal(t, "one is left", w.Message("Progressing"), "The updateRun is stuck waiting for c-0 cluster(s) in stage c to finish updating, please check placement status for potential errors")
	w.Available("c-0")
	rollout.Equal(t, "decision", w.Pass(time.Second), drive.Decision{Next: drive.Again})
	rollout.Equal(t, "run", w.Condition("Progressing"), "True/UpdateRunProgressing")
	rollout.Equal(t, "clusters", w.Clusters(0), "c-0+ c-1+ c-2+")
}

// TestStuckOfAFailingBinding checks when a failing binding makes a run stuck: in
// the first pass after the threshold, which comes with the backoff
// (docs/kubefleet.md#cluster-checks).
func TestStuckOfAFailingBinding(t *testing.T) {
	w := limited(t, 1, "1")
	w.Report("c-0", "Available", "False", "NotAllWorkAreAvailable")
	wait, _, _ := w.Last.Schedule(0, w.Timing)
	for range 60 {
		w.Pass(wait)
		if w.Condition("Progressing") == "False/UpdateRunStuck" {
			break
		}
		wait, _, _ = w.Last.Schedule(w.Failures-1, w.Timing)
	}
	rollout.Equal(t, "stuck after 15 s + 327.7 s", w.Now.Sub(rollout.Epoch).Round(100*time.Millisecond), 342700*time.Millisecond)
}
