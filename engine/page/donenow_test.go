package page_test

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/triage"
	"github.com/stagewatch/stagewatch/engine/world"
)

// TestADoneRunSaysWhatItsClustersHaveNow: a cluster on which the snapshot is not available any
// more is named with what fails there, and a run that only reports differences has applied nothing.
func TestADoneRunSaysWhatItsClustersHaveNow(t *testing.T) {
	const fails = "Its resources are not available now on dev-1. "
	for _, tt := range []struct {
		name             string
		condition        string // of dev-1, below RolloutStarted
		status           metav1.ConditionStatus
		failed, differ   int
		reports          bool
		what, next, also string
	}{
		{name: "available", condition: placement.BindingAvailable, status: metav1.ConditionTrue, what: "The run rolled out snapshot 3: 2 clusters have it now", next: "Nothing to do."},
		{name: "not available", condition: placement.BindingAvailable, status: metav1.ConditionFalse, failed: 1, what: fails + "Deployment shop/web is not available on dev-1 (stage dev, since 10:30:00 UTC).", next: "Find out what fails on dev-1: ", also: "Available"},
		{name: "not applied any more", condition: placement.BindingApplied, status: metav1.ConditionFalse, failed: 1, what: fails + "Deployment shop/web is not available on dev-1 (stage dev, since 10:30:00 UTC).", next: "Find out what fails on dev-1: ", also: "Applied"},
		{name: "no Work", condition: placement.BindingWorkSynchronized, status: metav1.ConditionFalse, what: fails, next: "Find out what fails on dev-1: ", also: "WorkSynchronized"},
		{name: "compared", condition: placement.BindingDiffReported, status: metav1.ConditionTrue, reports: true, differ: 1, what: "Snapshot 3 is compared on 2 clusters (ReportDiff, nothing is applied): 1 differs, dev-1; no binding any more: prod-1", next: "Nothing to do."},
		{name: "compared, the same", condition: placement.BindingDiffReported, status: metav1.ConditionTrue, reports: true, what: "Snapshot 3 is compared on 2 clusters (ReportDiff, nothing is applied): none differs; no binding any more: prod-1", next: "Nothing to do."},
		{name: "not compared", condition: placement.BindingDiffReported, status: metav1.ConditionFalse, reports: true, what: "Snapshot 3 is compared on 2 clusters (ReportDiff, nothing is applied): 1 reports no differences now, dev-1; no binding any more: prod-1", next: "Nothing to do."},
	} {
		for _, ns := range []string{"", "shop"} {
			sit := situation.All(t)["done"]
			now := situation.Moment(t, sit.Now)
			var apply *placement.ApplyStrategy
			if tt.reports {
				apply = &placement.ApplyStrategy{Type: placement.ApplyReportDiff}
				sit.Run.Status.AppliedStrategy = apply
			}
			w, id := sit.World(t, ns)
			w.Triage = triage.Catalogue{}
			key := engine.PlacementKey(id, sit.Run.Spec.PlacementName)
			w.Covered[world.CoverBindings(key)] = engine.Coverage{State: engine.CoverComplete}
			w.Bindings[key] = map[engine.ID]*world.Binding{}
			for _, c := range []string{"dev-1", "dev-2"} {
				b := &world.Binding{
					ID: id.Beside(id.Kind().InScope(engine.KindClusterResourceBinding, engine.KindResourceBinding), ns, "shop-"+c, "u-"+c), Cluster: c, State: string(placement.BindingBound),
					SnapshotName: "shop-3-snapshot", Generation: 1, Apply: apply, ReportDiff: tt.reports,
				}
				b.Conditions = []metav1.Condition{situation.Is(placement.BindingRolloutStarted, metav1.ConditionTrue, now), situation.Is(placement.BindingAvailable, metav1.ConditionTrue, now)}
				if tt.reports {
					b.Conditions[1] = situation.Is(placement.BindingDiffReported, metav1.ConditionTrue, now)
				}
				if c == "dev-1" {
					b.Conditions[1] = situation.Is(tt.condition, tt.status, now)
					b.Differing, b.Failed = tt.differ, make([]placement.FailedResourcePlacement, tt.failed)
					for i := range b.Failed {
						b.Failed[i].Condition = metav1.Condition{Type: tt.condition, Status: tt.status, Reason: "ManifestNotAvailableYet", LastTransitionTime: metav1.NewTime(now)}
						b.Failed[i].ResourceIdentifier = placement.ResourceIdentifier{Group: "apps", Version: "v1", Kind: "Deployment", Name: "web", Namespace: "shop"}
					}
				}
				w.Bindings[key][b.ID] = b
			}
			s, _ := observe.Observe(nil, w, world.Changed{}, now)
			v := s.Find(id)
			if !strings.Contains(v.Why.What.String(), tt.what) || !strings.HasPrefix(v.Why.Next.String(), tt.next) || v.NeedsAttention() {
				t.Errorf("%s, %s: %q, next %q", tt.name, ns, v.Why.What, v.Why.Next)
			}
			if !slices.ContainsFunc(v.Why.Evidence, func(e engine.Evidence) bool { return strings.Contains(e.Field.String(), tt.also) }) {
				t.Errorf("%s, %s: no evidence of %q: %v", tt.name, ns, tt.also, v.Why.Evidence)
			}
		}
	}
}
