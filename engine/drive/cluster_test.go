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
				bothScopes(t, func(t *testing.T, w *world) {
					w.start(placement.StateRun)
					w.pass(0)
					for _, r := range tc.reports {
						w.report("a-1", r.kind, r.status, r.reason)
						if tc.old {
							w.editBinding("a-1", func(b *placement.ResourceBinding) {
								meta.FindStatusCondition(b.Status.Conditions, r.kind).ObservedGeneration--
							})
						}
					}
					w.state(state)
					d := w.pass(clusterCheck)
					got := ""
					if d.Err != nil {
						got = d.Err.Error()
					}
					equal(t, "error", got, tc.err)
					equal(t, "cluster", w.clusters(0)[:4], "a-1"+tc.mark)
					equal(t, "error is not stored", w.cond("Succeeded"), "-")
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
			mark(&b.Status.Conditions, "RolloutStarted", "False")
		}},
		{"not bound", func(b *placement.ResourceBinding) { b.Spec.State = placement.BindingScheduled }},
	} {
		t.Run("3.5 preempted: "+tc.name, func(t *testing.T) {
			bothScopes(t, func(t *testing.T, w *world) {
				w.start(placement.StateRun)
				w.pass(0)
				w.available("a-1") // does not help
				w.editBinding("a-1", tc.take)
				taken := w.binding("a-1")
				equal(t, "decision", w.pass(clusterCheck), drive.Decision{})
				text := expand(w, u+": the binding of the updating cluster `a-1` in the stage `a` is not up-to-date with the desired status, please check the status of binding `OBJ/web-a-1` and see if there is a concurrent updateRun referencing the same placement and updating the same cluster")
				c := w.stage(0).Clusters[0].Conditions
				equal(t, "cluster", cond(c, "Succeeded")+" "+meta.FindStatusCondition(c, "Succeeded").Message, "False/ClusterUpdatingFailed "+text)
				sc := w.stage(0).Conditions
				equal(t, "stage", cond(sc, "Succeeded")+" "+meta.FindStatusCondition(sc, "Succeeded").Message, "False/StageUpdatingFailed "+a+": "+text)
				equal(t, "stage", cond(sc, "Progressing")+" "+meta.FindStatusCondition(sc, "Progressing").Message, "False/StageUpdatingFailed Stage update aborted due to a non-recoverable error")
				equal(t, "ended", w.stage(0).EndTime.Time.Equal(w.Now), true)
				equal(t, "run", w.cond("Succeeded")+" "+w.message("Succeeded"), "False/UpdateRunFailed "+a+": "+text)
				equal(t, "run", w.cond("Progressing"), "False/UpdateRunFailed")
				equal(t, "binding is left alone", w.binding("a-1"), taken)
				equal(t, "terminal", w.pass(time.Hour), drive.Decision{})
				equal(t, "terminal", len(w.ops), 0)
			})
		})
	}
}

// TestOldLookAtABinding holds that a binding which the Input shows as it was
// before the run's own write does not end the run: it is looked at again.
func TestOldLookAtABinding(t *testing.T) {
	bothScopes(t, func(t *testing.T, w *world) {
		w.start(placement.StateRun)
		before := w.Input(w.key).Bindings
		w.pass(0)
		old := func() drive.Decision {
			in := w.Input(w.key)
			in.Bindings = before
			return drive.Reconcile(in, w.timing, w.Now, w.do)
		}
		equal(t, "not preempted", old(), later(clusterCheck))
		equal(t, "clusters", w.clusters(0), "a-1> a-2.")
		w.available("a-1")
		old()
		equal(t, "the newer look counts", w.clusters(0), "a-1+ a-2>")

		w.state(placement.StateStop)
		equal(t, "no success of before the start", old(), later(clusterCheck))
		equal(t, "stopping", w.clusters(0), "a-1+ a-2>")
		w.fault = func(e pass.Effect) (error, bool) {
			if e.Op == pass.OpGetBinding {
				return errRead, false
			}
			return nil, false
		}
		equal(t, "an error is retried in Stop", fmt.Sprint(old().Err), s+": cache is cold")
		w.state(placement.StateRun)
		equal(t, "an error is retried in Run", fmt.Sprint(old().Err), s+": cache is cold")
		equal(t, "run", w.cond("Succeeded"), "-")
		w.fault = nil
		w.finish()
		equal(t, "run", w.cond("Succeeded"), "True/UpdateRunSucceeded")
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
			equal(t, "not yet at the mark", w.pass(5*time.Minute), later(clusterCheck))
			equal(t, "run", w.cond("Progressing"), "True/UpdateRunProgressing")
			equal(t, "decision", w.pass(time.Second), later(clusterCheck))
			equal(t, "run", w.cond("Progressing")+" "+w.message("Progressing"), "False/UpdateRunStuck The updateRun is stuck waiting for "+tc.want+" cluster(s) in stage c to finish updating, please check placement status for potential errors")
			equal(t, "stage", cond(w.stage(0).Conditions, "Progressing"), "True/StageUpdatingStarted")
			since := meta.FindStatusCondition(w.run().Status.Conditions, "Progressing").LastTransitionTime
			w.pass(time.Minute)
			equal(t, "3.4/1 stuck since", meta.FindStatusCondition(w.run().Status.Conditions, "Progressing").LastTransitionTime, since)
		})
	}
}

func TestStuckRecovers(t *testing.T) {
	w := limited(t, 3, "2")
	w.report("c-0", "Available", "False", "NotAllWorkAreAvailable")
	w.available("c-1")
	w.pass(clusterCheck)
	equal(t, "backoff instead of polling", w.last.Next, drive.Retry)
	w.pass(6 * time.Minute)
	equal(t, "run", w.message("Progressing"), "The updateRun is stuck waiting for c-0, c-2 cluster(s) in stage c to finish updating, please check placement status for potential errors")
	w.available("c-2")
	w.pass(time.Second)
	equal(t, "one is left", w.message("Progressing"), "The updateRun is stuck waiting for c-0 cluster(s) in stage c to finish updating, please check placement status for potential errors")
	w.available("c-0")
	equal(t, "decision", w.pass(time.Second), drive.Decision{Next: drive.Again})
	equal(t, "run", w.cond("Progressing"), "True/UpdateRunProgressing")
	equal(t, "clusters", w.clusters(0), "c-0+ c-1+ c-2+")
}

// TestStuckOfAFailingBinding checks when a failing binding makes a run stuck: in
// the first pass after the threshold, which comes with the backoff
// (docs/kubefleet.md#cluster-checks).
func TestStuckOfAFailingBinding(t *testing.T) {
	w := limited(t, 1, "1")
	w.report("c-0", "Available", "False", "NotAllWorkAreAvailable")
	wait, _, _ := w.last.Schedule(0, w.timing)
	for range 60 {
		w.pass(wait)
		if w.cond("Progressing") == "False/UpdateRunStuck" {
			break
		}
		wait, _, _ = w.last.Schedule(w.failures-1, w.timing)
	}
	equal(t, "stuck after 15 s + 327.7 s", w.Now.Sub(epoch).Round(100*time.Millisecond), 342700*time.Millisecond)
}
