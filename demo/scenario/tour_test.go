package scenario

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/store"
)

// TestTour plays the tour once and then does to it what a visitor may do.
func TestTour(t *testing.T) {
	t.Parallel()
	f := play(t, tour())
	t.Run("reaches every state", func(t *testing.T) { tourReachesEveryState(t, lookAt(t, f.Hub())) })
	if t.Failed() {
		return
	}
	t.Run("stopped goes on", func(t *testing.T) {
		o := lookAt(t, f.Hub())
		o.setState("team-payments", "ledger-r55", placement.StateRun)
		o.awaitRun("team-payments", "ledger-r55", "Succeeded=True/UpdateRunSucceeded")
	})
	t.Run("approved goes on", func(t *testing.T) {
		o := lookAt(t, f.Hub())
		o.approve("", "payments-api-r18-before-prod")
		o.awaitRun("", "payments-api-r18", "Succeeded=True/UpdateRunSucceeded")
		request := live(t, o.Approvals, "", "payments-api-r18-before-prod")
		if !says(request.Status.Conditions, "ApprovalAccepted=True/ApprovalRequestApprovalAccepted") {
			t.Error("the request", describe(request.Status.Conditions))
		}
	})
	t.Run("approval without generation is repaired", func(t *testing.T) {
		o := lookAt(t, f.Hub())
		o.approve("", "identity-r24-before-prod")
		o.awaitRun("", "identity-r24", "Succeeded=True/UpdateRunSucceeded")
	})
	t.Run("stuck recovers when the member recovers", func(t *testing.T) {
		o := lookAt(t, f.Hub())
		f.Repair("eus-canary-1")
		o.awaitRun("team-search", "suggest-r13", "Succeeded=True/UpdateRunSucceeded")
		b := o.bindingsOf("team-search", "suggest")["eus-canary-1"]
		if len(b.Status.FailedPlacements) > 0 || !meta.IsStatusConditionTrue(b.Status.Conditions, placement.BindingAvailable) {
			t.Errorf("the binding %s, failed placements %v", describe(b.Status.Conditions), b.Status.FailedPlacements)
		}
	})
	t.Run("ready starts", func(t *testing.T) {
		o := lookAt(t, f.Hub())
		o.setState("team-payments", "fraud-score-r10", placement.StateRun)
		o.awaitRun("team-payments", "fraud-score-r10", "Progressing=False/UpdateRunWaiting")
	})
	t.Run("healthy runs follow each other and do not pile up", func(t *testing.T) {
		o := lookAt(t, f.Hub())
		var names []string
		await(t, "storefront-r91", func() string {
			names = nil
			list, err := store.Client(o.Hub, o.Kinds.Runs.Namespaced, "team-web").List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			latest := 0
			for _, item := range list.Items {
				number, ours := strings.CutPrefix(item.GetName(), "storefront-r")
				if !ours || item.GetDeletionTimestamp() != nil {
					continue
				}
				names = append(names, item.GetName())
				n, err := strconv.Atoi(number)
				if err != nil {
					t.Fatal(err)
				}
				latest = max(latest, n)
			}
			if latest >= 91 {
				return ""
			}
			return fmt.Sprint("there are ", names)
		})
		if len(names) > 2 {
			t.Errorf("runs of storefront: %v, want the newest and at most one before it", names)
		}
	})
}

func tourReachesEveryState(t *testing.T, o outside) {
	stageSays := func(run *placement.StagedUpdateRun, stage int, want string) bool {
		return len(run.Status.StagesStatus) > stage && says(run.Status.StagesStatus[stage].Conditions, want)
	}
	for _, tt := range []struct {
		state, namespace, run string
		want                  func(*placement.StagedUpdateRun) bool
	}{
		{"before-stage approval", "", "payments-api-r18", waits("before-stage tasks in stage prod")},
		{"before-stage approval", "team-web", "catalog-r7", waits("before-stage tasks in stage prod")},
		{"after-stage approval", "", "ingress-gateway-r6", waits("after-stage tasks in stage canary")},
		{"timed wait", "", "cert-manager-r3", waits("after-stage tasks in stage canary")},
		{"timed wait", "team-search", "ranker-r2", waits("after-stage tasks in stage canary")},
		{"stuck", "", "search-r12", has("Progressing=False/UpdateRunStuck")},
		{"stuck", "team-search", "suggest-r13", has("Progressing=False/UpdateRunStuck")},
		{"preempted", "", "telemetry-agent-r9", func(r *placement.StagedUpdateRun) bool {
			failed := meta.FindStatusCondition(r.Status.Conditions, placement.RunSucceeded)
			return failed != nil && failed.Status == metav1.ConditionFalse &&
				strings.Contains(failed.Message, "is not up-to-date with the desired status")
		}},
		{"init failed", "", "billing-r1", func(r *placement.StagedUpdateRun) bool {
			failed := meta.FindStatusCondition(r.Status.Conditions, placement.RunInitialized)
			return failed != nil && failed.Status == metav1.ConditionFalse &&
				strings.HasSuffix(failed.Message, "no resourceSnapshots with index `1` found for placement `/billing`")
		}},
		{"not accepted", "", "identity-r24", waits("before-stage tasks in stage prod")},
		{"not accepted", "team-payments", "payouts-r21", waits("before-stage tasks in stage prod")},
		{"stopped", "", "edge-cache-r9", has("Progressing=False/UpdateRunStopped")},
		{"stopped", "team-payments", "ledger-r55", has("Progressing=False/UpdateRunStopped")},
		{"ready", "", "cluster-dns-r4", has("Initialized=True/UpdateRunInitializedSuccessfully")},
		{"ready", "team-payments", "fraud-score-r10", has("Initialized=True/UpdateRunInitializedSuccessfully")},
		{"done, with a deletion stage", "", "metrics-gateway-r14", func(r *placement.StagedUpdateRun) bool {
			return has("Succeeded=True/UpdateRunSucceeded")(r) && len(r.Status.DeletionStageStatus.Clusters) == 1
		}},
		{"deleting", "", "image-resizer-r31", func(r *placement.StagedUpdateRun) bool {
			d := r.Status.DeletionStageStatus
			return d != nil && len(d.Clusters) == 1 && says(d.Conditions, "Progressing=True/StageUpdatingStarted") &&
				says(d.Clusters[0].Conditions, "Started=True/ClusterUpdatingStarted")
		}},
		{"healthy, with half a stage at once", "", "checkout-r42", func(r *placement.StagedUpdateRun) bool {
			return stageSays(r, 0, "Succeeded=True/StageUpdatingSucceeded") &&
				r.Status.StagedUpdateStrategySnapshot.Stages[2].MaxConcurrency.StrVal == "50%"
		}},
	} {
		t.Run(tt.state+" "+tt.run, func(t *testing.T) {
			await(t, tt.state, func() string {
				run := live(t, o.Runs, tt.namespace, tt.run)
				if tt.want(run) {
					return ""
				}
				return describe(run.Status.Conditions)
			})
		})
	}
	for _, name := range []string{"identity-r24-before-prod", "team-payments/payouts-r21-before-prod"} {
		t.Run("approved without generation "+name, func(t *testing.T) {
			namespace, name, found := strings.Cut(name, "/")
			if !found {
				namespace, name = "", namespace
			}
			await(t, "approved", func() string {
				request := live(t, o.Approvals, namespace, name)
				approved := meta.FindStatusCondition(request.Status.Conditions, placement.ApprovalApproved)
				if approved != nil && approved.ObservedGeneration == 0 && len(request.Status.Conditions) == 1 {
					return ""
				}
				return describe(request.Status.Conditions)
			})
		})
	}
	t.Run("placement without a run", func(t *testing.T) {
		p := live(t, o.Placements, "", "reporting")
		if p.Spec.Strategy.Type != placement.RolloutExternal {
			t.Errorf("strategy %q, want External", p.Spec.Strategy.Type)
		}
		await(t, "its status", func() string {
			p := live(t, o.Placements, "", "reporting")
			if p.Status.ObservedResourceIndex == "3" && says(p.Status.Conditions, "ClusterResourcePlacementAvailable=True/ResourceAvailable") {
				return ""
			}
			return describe(p.Status.Conditions)
		})
	})
	t.Run("the stuck cluster says why", func(t *testing.T) {
		run := o.run("", "search-r12")
		stuck := meta.FindStatusCondition(run.Status.Conditions, placement.RunProgressing).Message
		want := "The updateRun is stuck waiting for weu-prod-3 cluster(s) in stage prod to finish updating, " +
			"please check placement status for potential errors"
		if stuck != want {
			t.Errorf("message %q, want %q", stuck, want)
		}
		b := o.bindingsOf("", "search")["weu-prod-3"]
		if len(b.Status.FailedPlacements) != 1 || b.Status.FailedPlacements[0].Kind != "Deployment" ||
			b.Status.FailedPlacements[0].Condition.Reason != placement.ReasonManifestNotAvailableYet {
			t.Errorf("failed placements %+v, want the Deployment, not available yet", b.Status.FailedPlacements)
		}
		available := meta.FindStatusCondition(b.Status.Conditions, placement.BindingAvailable)
		if available == nil || available.Message != "Work object search-work is not yet available" {
			t.Errorf("the binding %s", describe(b.Status.Conditions))
		}
	})
	t.Run("the preempted run's cluster is with the other run", func(t *testing.T) {
		run := o.run("", "telemetry-agent-r9")
		taken := ""
		for _, stage := range run.Status.StagesStatus {
			for _, c := range stage.Clusters {
				if says(c.Conditions, "Succeeded=False/ClusterUpdatingFailed") {
					taken = c.ClusterName
				}
			}
		}
		b := o.bindingsOf("", "telemetry-agent")[taken]
		if b == nil {
			t.Fatalf("no binding for the failed cluster %q", taken)
		}
		started := meta.FindStatusCondition(b.Status.Conditions, placement.BindingRolloutStarted)
		want := "Detected the new changes on the resources and started the rollout process, " +
			"resourceSnapshotIndex: 8, updateRun: telemetry-agent-rollback"
		if started == nil || started.Message != want {
			t.Errorf("the binding %s, want %q", describe(b.Status.Conditions), want)
		}
	})
}

func has(want string) func(*placement.StagedUpdateRun) bool {
	return func(r *placement.StagedUpdateRun) bool { return says(r.Status.Conditions, want) }
}

func waits(what string) func(*placement.StagedUpdateRun) bool {
	return func(r *placement.StagedUpdateRun) bool {
		progressing := meta.FindStatusCondition(r.Status.Conditions, placement.RunProgressing)
		return progressing != nil && progressing.Status == metav1.ConditionFalse &&
			progressing.Message == "The updateRun is waiting for "+what+" to complete"
	}
}
