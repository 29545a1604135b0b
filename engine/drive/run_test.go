package drive_test

import (
	"slices"
	"testing"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive"
)

func TestHealthyRun(t *testing.T) {
	bothScopes(t, func(t *testing.T, w *world) {
		w.start(placement.StateRun)
		equal(t, "decision", w.pass(0), drive.Decision{Next: drive.After, Wait: 15 * time.Second})
		equal(t, "first pass", w.ops, []string{"add finalizer run", "write run status run", "update binding web-a-1", "write binding status web-a-1", "write run status run"})
		equal(t, "stage a", w.clusters(0), "a-1> a-2.")
		equal(t, "binding", w.binding("a-1").Spec.ResourceSnapshotName, "web-1-snapshot")
		equal(t, "run", w.cond("Progressing"), "True/UpdateRunProgressing")
		w.available("a-1")
		w.pass(15 * time.Second)
		equal(t, "stage a", w.clusters(0), "a-1+ a-2>")
		w.available("a-2")
		equal(t, "decision", w.pass(15*time.Second), drive.Decision{Next: drive.Again})
		equal(t, "stage a", cond(w.stage(0).Conditions, "Succeeded"), "True/StageUpdatingSucceeded")
		w.pass(0)
		equal(t, "stage b", w.clusters(1), "b-1> b-2. b-3.")
		w.available("b-1")
		w.pass(15 * time.Second)
		w.finish()
		equal(t, "stage b", w.clusters(1), "b-1+ b-2+ b-3+")
		equal(t, "succeeded", w.cond("Succeeded")+" "+w.message("Succeeded"), "True/UpdateRunSucceeded All stages are completed successfully")
		equal(t, "progressing", w.cond("Progressing")+" "+w.message("Progressing"), "False/UpdateRunSucceeded All stages are completed")
		equal(t, "deletion", cond(w.run().Status.DeletionStageStatus.Conditions, "Succeeded"), "True/StageUpdatingSucceeded")
		equal(t, "ended", stagesEnded(w), true)
		w.state(placement.StateStop)
		equal(t, "terminal", w.pass(time.Second), drive.Decision{})
		equal(t, "terminal", len(w.ops), 0)
	})
}

func stagesEnded(w *world) bool {
	return !slices.ContainsFunc(w.run().Status.StagesStatus, func(s placement.StageStatus) bool { return s.EndTime == nil })
}
