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
		at := time.Now().Add(-time.Minute).UTC().Format(time.RFC3339)
		condition := func(kind, reason string) map[string]any {
			return map[string]any{"type": kind, "status": "True", "reason": reason, "message": "m", "observedGeneration": 1, "lastTransitionTime": at}
		}
		s.server.Put("clusterresourcebindings", map[string]any{
			"apiVersion": "placement.kubernetes-fleet.io/v1beta1", "kind": "ClusterResourceBinding",
			"metadata": map[string]any{"name": "web-c1", "generation": 2, "labels": map[string]any{"kubernetes-fleet.io/parent-CRP": "web"}},
			"spec":     map[string]any{"state": "Bound", "targetCluster": "c1", "resourceSnapshotName": "web-1-snapshot"},
			"status":   map[string]any{"conditions": []any{condition("RolloutStarted", "RolloutStarted")}},
		})
		run := aRun("first", "web")
		status := run["status"].(map[string]any)
		status["resourceSnapshotIndexUsed"] = "2"
		status["conditions"] = append(status["conditions"].([]any), condition("Progressing", "UpdateRunProgressing"))
		status["stagesStatus"] = []any{map[string]any{
			"stageName": "prod", "startTime": at, "conditions": []any{condition("Progressing", "StageUpdatingStarted")},
			"clusters": []any{map[string]any{"clusterName": "c1", "conditions": []any{condition("Started", "ClusterUpdatingStarted")}}},
		}}
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
