package triage

import (
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// Once the manifest is fixed on the hub, the next step is a new run that takes a new snapshot,
// not another fix.
func TestTheManifestOnTheHubWasChangedSince(t *testing.T) {
	const bad = "shop/front:3!"
	pods := deployment(world.MemberPod{Name: "front-new", Phase: "Pending", Reason: "InvalidImageName", Message: "couldn't parse", Container: "app", Image: bad})
	const changed = "Deployment web/front was changed on the hub at 10:03:00 UTC, after snapshot 3 was created"
	for _, tt := range []struct {
		name       string
		pods       bool
		manifest   *world.HubManifest
		overridden bool
		first, has string
	}{
		{name: "not read", pods: true, first: "Fix image name " + bad},
		{name: "as it was", pods: true, manifest: &world.HubManifest{Images: []string{bad}}, first: "Fix image name " + bad},
		{name: "another change", pods: true, manifest: &world.HubManifest{Images: []string{bad}}, first: "Fix image name " + bad},
		{name: "fixed", pods: true, manifest: &world.HubManifest{Images: []string{"shop/front:4"}}, first: "Create a new run (stagewatch clone) without an index: " + changed + ", and has image shop/front:4 now."},
		{name: "fixed, beside an override", pods: true, overridden: true, manifest: &world.HubManifest{Images: []string{"shop/front:4"}}, first: changed + ": if that is the fix", has: "Fix image name " + bad},
		{name: "deleted", pods: true, manifest: &world.HubManifest{Missing: true}, first: "Deployment web/front no longer exists on the hub: a new run (stagewatch clone) without an index deletes it", has: "Fix image name"},
		{name: "the pods are not read", manifest: &world.HubManifest{Images: []string{"shop/front:4"}}, first: "Look at the workload's pods", has: changed + ": if that is the fix, create a new run (stagewatch clone) without an index."},
	} {
		w, run, now := notReady(t)
		w.Focus.Run = run
		if tt.overridden {
			for i := range w.Runs[run].Status.StagesStatus {
				for j := range w.Runs[run].Status.StagesStatus[i].Clusters {
					w.Runs[run].Status.StagesStatus[i].Clusters[j].ClusterResourceOverrideSnapshots = []string{"limits-0"}
				}
			}
			for _, of := range w.Bindings {
				for _, b := range of {
					b.Overrides = []string{"limits-0"}
				}
			}
		}
		if tt.pods {
			w.Report(&world.MemberReport{Run: run, Member: "prod-2", Context: "aks prod-2", Identity: verified(), Workloads: []world.MemberWorkload{pods}, At: now})
		}
		place := engine.PlacementKey(run, "shop")
		of := engine.HubReadOf{Member: run.Beside(engine.KindUnknown, "web", "deployments/front", ""), What: engine.ReadManifest}
		created := moment(t, "10:00:00")
		near := &world.Nearby{Placement: place, Resources: []placement.ResourceSnapshot{{ObjectMeta: metav1.ObjectMeta{
			Name: "shop-3-snapshot", CreationTimestamp: metav1.NewTime(created), Annotations: map[string]string{placement.AnnotationResourceHash: "h"},
			Labels: map[string]string{placement.LabelResourceIndex: "3", placement.LabelIsLatestSnapshot: "true"},
		}}}}
		if tt.manifest != nil {
			tt.manifest.Changed = created.Add(3 * time.Minute)
			if tt.name == "as it was" {
				tt.manifest.Changed = created.Add(-time.Minute)
			}
			near.Answers = map[engine.HubReadOf]*world.HubAnswer{of: {Manifest: tt.manifest}}
		}
		w.Nearby = map[engine.ID]*world.Nearby{place: near}
		snap, _ := observe.Observe(nil, w, world.Changed{}, now)
		d := &snap.Find(run).Why
		if !slices.Contains(d.HubReads, of) {
			t.Errorf("%s: the manifest is not read: %v", tt.name, d.HubReads)
		}
		if len(d.Steps) == 0 || !strings.HasPrefix(d.Steps[0].String(), tt.first) || !strings.Contains(engine.Join(d.Steps, "\n").String(), tt.has) {
			t.Errorf("%s: %v", tt.name, d.Steps)
		}
		// A snapshot newer than that of the run, which may have the same fault.
		near.Resources[0].Labels[placement.LabelResourceIndex], near.Resources[0].Name = "4", "shop-4-snapshot"
		meta.SetStatusCondition(&w.Runs[run].Status.Conditions, metav1.Condition{Type: placement.RunProgressing, Status: metav1.ConditionFalse, Reason: placement.ReasonRunStuck, Message: "The updateRun is stuck waiting for prod-2 cluster(s) in stage prod to finish updating, please check placement status for potential errors", ObservedGeneration: w.Runs[run].Generation})
		snap, _ = observe.Observe(nil, w, world.Changed{}, now)
		d = &snap.Find(run).Why
		steps := engine.Join(d.Steps, "\n").String()
		takesHub := tt.manifest != nil && tt.name != "as it was" && tt.name != "another change" && !tt.manifest.Missing
		if offers := strings.Contains(steps, "with snapshot 4 if it has the fix (created 10:00:00 UTC, not checked for it)") || strings.Contains(steps, "with snapshot 4, which may have the fix (created 10:00:00 UTC, not checked for it)"); offers == takesHub {
			t.Errorf("%s: offers snapshot 4: %t: %s", tt.name, offers, steps)
		}
	}
}
