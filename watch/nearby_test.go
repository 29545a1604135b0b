package watch

import (
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/engine"
)

// A stuck run that is explained names a newer snapshot: snapshots are on no
// stream and are read for this run alone, without their manifests.
func TestExplainReadsWhatIsBesideTheRun(t *testing.T) {
	p := somebody(t, shared)
	p.make(aRun(t, "", "beside-r1", "beside", "Run", "UpdateRunStuck"))
	p.make(aBinding(t, "", "beside", "beside-a", "beside-r1"))
	p.make(fromYAML(t, `
apiVersion: %s
kind: ClusterResourceSnapshot
metadata:
  name: beside-9-snapshot
  labels: {kubernetes-fleet.io/parent-CRP: beside, kubernetes-fleet.io/resource-index: "9", kubernetes-fleet.io/is-latest-snapshot: "true"}
  annotations: {kubernetes-fleet.io/resource-hash: h, kubernetes-fleet.io/number-of-resource-snapshots: "1"}
spec: {selectedResources: [{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {v: "9"}}]}`, apiVersion))
	e, err := explainRun(t, hub.AdminUser, "", "beside-r1")
	if err != nil {
		t.Fatal(err)
	}
	if steps := engine.Join(e.Run.Why.Steps, "\n").String(); !strings.Contains(steps, "Clone onto snapshot 9 (C)") {
		t.Errorf("steps: %s", steps)
	}
	if e.Detail == nil || e.Detail.Reading || len(e.Detail.Gaps) > 0 {
		t.Errorf("not read: %+v", e.Detail)
	}
}

// What is beside a placement is read with metadata only, and what may not be
// read is a gap.
func TestNearby(t *testing.T) {
	p := somebody(t, shared)
	p.make(fromYAML(t, `
apiVersion: %s
kind: ClusterResourceSnapshot
metadata:
  name: near-3-snapshot
  labels: {kubernetes-fleet.io/parent-CRP: near, kubernetes-fleet.io/resource-index: "3"}
  annotations: {kubernetes-fleet.io/resource-hash: h}
spec: {selectedResources: [{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}]}`, apiVersion))
	place := engine.NewID(engine.KindClusterResourcePlacement, "", "near", "")
	for user, gaps := range map[string]int{hub.AdminUser: 0, hub.StrangerUser: 4} {
		h, err := newClient(shared.Config(user))
		if err != nil {
			t.Fatal(err)
		}
		defer h.close()
		n := h.nearby(t.Context(), place)
		if len(n.Gaps) != gaps {
			t.Errorf("%s: gaps %+v", user, n.Gaps)
		}
		rows, read := n.Snapshots()
		if gaps > 0 {
			if read {
				t.Errorf("%s read %+v", user, rows)
			}
			continue
		}
		if len(rows) != 1 || rows[0].Index != 3 || !rows[0].Whole() || len(n.Resources[0].Spec.SelectedResources) != 0 || n.PlacementRead || n.Strategies == nil {
			t.Errorf("%+v, snapshots %+v", n, rows)
		}
	}
}
