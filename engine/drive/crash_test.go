package drive_test

import (
	"errors"
	"fmt"
	"testing"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// TestCrashBetweenAnyTwoRequests kills the engine before or after each request
// of a whole rollout, the snapshot it makes included, and lets a new one go on
// from where the objects stand.
func TestCrashBetweenAnyTwoRequests(t *testing.T) {
	build := func() *world {
		w := threeStages(t, "team")
		w.Kinds = known
		w.hold("- " + configMap + "one, namespace: team}}")
		w.snapshotNamed("web-1-snapshot").Labels[fleet+"is-latest-snapshot"] = "true"
		w.placement(func(p *placement.ResourcePlacement) {
			p.Spec.ResourceSelectors = []placement.ResourceSelectorTerm{term("", "v1", "ConfigMap", "")}
		})
		w.edit(func(r *placement.StagedUpdateRun) { r.Spec.ResourceSnapshotIndex = "" })
		return w
	}
	whole := build()
	total := 0
	whole.fault = func(pass.Effect) (error, bool) { total++; return nil, false }
	whole.finish()
	if total < 40 {
		t.Fatalf("a rollout of %d requests", total)
	}
	for _, applied := range []bool{false, true} {
		for at := range total {
			w := build()
			n, dead := 0, false
			w.fault = func(pass.Effect) (error, bool) {
				n++
				if dead = dead || n == at+1; dead {
					return errCrash, applied && n == at+1
				}
				return nil, false
			}
			for range 200 {
				if w.step(); dead {
					break
				}
			}
			w.fault = nil
			w.finish()
			name := fmt.Sprintf("crash at request %d, applied %t", at+1, applied)
			equal(t, name, w.cond("Succeeded"), "True/UpdateRunSucceeded")
			equal(t, name+": snapshots", w.snapshotNames(), whole.snapshotNames())
			equal(t, name+": used", w.run().Status.ResourceSnapshotIndexUsed, whole.run().Status.ResourceSnapshotIndexUsed)
			for _, b := range sortedBindings(w) {
				if b.Labels[fleet+"parent-CRP"] == "web" {
					equal(t, name+": binding", b.Spec.ResourceSnapshotName, "web-2-snapshot")
				}
			}
		}
	}
}

var errCrash = errors.New("crashed")
