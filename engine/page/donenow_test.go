package page_test

import (
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

// TestADoneRunSaysWhatItsClustersHaveNow: a cluster that is not available any more is named,
// and a run that only reports differences has applied nothing.
func TestADoneRunSaysWhatItsClustersHaveNow(t *testing.T) {
	for _, tt := range []struct {
		available  metav1.ConditionStatus
		reports    bool
		what, next string
	}{
		{metav1.ConditionTrue, false, "2 clusters hold snapshot 3 now", "Nothing to do."},
		{metav1.ConditionFalse, false, " Not available there now: dev-1.", "Find out what fails on dev-1: "},
		{metav1.ConditionTrue, true, "Differences were reported on 2 clusters (1 differ); nothing was applied.", "Nothing to do."},
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
				b.Conditions = []metav1.Condition{situation.Is(placement.BindingAvailable, metav1.ConditionTrue, now)}
				if c == "dev-1" {
					b.Conditions[0].Status, b.Differing = tt.available, 1
				}
				w.Bindings[key][b.ID] = b
			}
			s, _ := observe.Observe(nil, w, world.Changed{}, now)
			v := s.Find(id)
			if !strings.Contains(v.Why.What.String(), tt.what) || !strings.HasPrefix(v.Why.Next.String(), tt.next) || v.NeedsAttention() {
				t.Errorf("%s, %v: %q, next %q", tt.available, tt.reports, v.Why.What, v.Why.Next)
			}
		}
	}
}
