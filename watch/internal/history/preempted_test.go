package history

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// TestPreemptedOnceTheBindingsAreRead checks that a run whose binding was changed reads PREEMPTED
// as soon as its bindings are read, since their list is as new as the run, and not only when no
// binding can be on its way any more.
func TestPreemptedOnceTheBindingsAreRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t)
		since := time.Now().Add(-time.Minute)
		s.server.Put("clusterresourcebindings", map[string]any{
			"apiVersion": "placement.kubernetes-fleet.io/v1beta1", "kind": "ClusterResourceBinding",
			"metadata": map[string]any{"name": "web-c1", "generation": 2, "labels": map[string]any{"kubernetes-fleet.io/parent-CRP": "web"}},
			"spec":     map[string]any{"state": "Bound", "targetCluster": "c1", "resourceSnapshotName": "web-1-snapshot"},
			"status":   map[string]any{"conditions": []any{aCondition("RolloutStarted", "RolloutStarted", since)}},
		})
		run := anUpdatingRun("first", "web", "c1", since)
		run["status"].(map[string]any)["resourceSnapshotIndexUsed"] = "2"
		s.server.Put(runs, run)
		s.open()
		s.within(20*time.Second, "live", func(snap *engine.Snapshot) bool { return isLive(snap) && len(snap.Runs) == 1 })
		s.session.Want(engine.Focus{Run: s.last.Runs[0].ID})
		took := s.within(time.Minute, "the preemption", func(snap *engine.Snapshot) bool {
			v := find(snap, "first")
			return v != nil && v.Word == engine.WordPreempted
		})
		if took > aim {
			t.Errorf("PREEMPTED after %v, want %v at most", took, aim)
		}
	})
}
