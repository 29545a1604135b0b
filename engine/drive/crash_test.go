package drive_test

import (
	"errors"
	"fmt"
	"testing"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/internal/rollout"
)

// TestCrashBetweenAnyTwoRequests kills the engine before or after each request
// of a whole rollout, the snapshot it makes included, and lets a new one go on
// from where the objects stand.
func TestCrashBetweenAnyTwoRequests(t *testing.T) {
	build := func() *rollout.World {
		w := threeStages(t, "team")
		w.Kinds = rollout.Kinds
		w.AddObjects("- " + rollout.ConfigMap + "one, namespace: team}}")
		w.SnapshotNamed("web-1-snapshot").Labels[rollout.LabelPrefix+"is-latest-snapshot"] = "true"
		w.EditPlacement(func(p *placement.ResourcePlacement) {
			p.Spec.ResourceSelectors = []placement.ResourceSelectorTerm{rollout.Term("", "v1", "ConfigMap", "")}
		})
		w.Edit(func(r *placement.StagedUpdateRun) { r.Spec.ResourceSnapshotIndex = "" })
		return w
	}
	whole := build()
	total := 0
	whole.Fault = func(pass.Effect) (error, bool) { total++; return nil, false }
	whole.Finish()
	if total < 40 {
		t.Fatalf("a rollout of %d requests", total)
	}
	for _, applied := range []bool{false, true} {
		for at := range total {
			w := build()
			n, dead := 0, false
			w.Fault = func(pass.Effect) (error, bool) {
				n++
				if dead = dead || n == at+1; dead {
					return errCrash, applied && n == at+1
				}
				return nil, false
			}
			for range 200 {
				if w.Step(); dead {
					break
				}
			}
			w.Fault = nil
			w.Finish()
			name := fmt.Sprintf("crash at request %d, applied %t", at+1, applied)
			rollout.Equal(t, name, w.Condition("Succeeded"), "True/UpdateRunSucceeded")
			rollout.Equal(t, name+": snapshots", w.SnapshotNames(), whole.SnapshotNames())
			rollout.Equal(t, name+": used", w.Run().Status.ResourceSnapshotIndexUsed, whole.Run().Status.ResourceSnapshotIndexUsed)
			for _, b := range sortedBindings(w) {
				if b.Labels[rollout.LabelPrefix+"parent-CRP"] == "web" {
					rollout.Equal(t, name+": binding", b.Spec.ResourceSnapshotName, "web-2-snapshot")
				}
			}
		}
	}
}

var errCrash = errors.New("crashed")
