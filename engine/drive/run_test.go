package drive_test

import (
	"slices"
	"testing"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive"
	"github.com/stagewatch/stagewatch/engine/internal/rollout"
)

func TestHealthyRun(t *testing.T) {
	rollout.BothScopes(t, func(t *testing.T, w *rollout.World) {
		w.Start(placement.StateRun)
		rollout.Equal(t, "decision", w.Pass(0), drive.Decision{Next: drive.After, Wait: 15 * time.Second})
		rollout.Equal(t, "first pass", w.Requests, []string{"add finalizer run", "write run status run", "update binding web-a-1", "write binding status web-a-1", "write run status run"})
		rollout.Equal(t, "stage a", w.Clusters(0), "a-1> a-2.")
		rollout.Equal(t, "binding", w.Binding("a-1").Spec.ResourceSnapshotName, "web-1-snapshot")
		rollout.Equal(t, "run", w.Condition("Progressing"), "True/UpdateRunProgressing")
		w.Available("a-1")
		w.Pass(15 * time.Second)
		rollout.Equal(t, "stage a", w.Clusters(0), "a-1+ a-2>")
		w.Available("a-2")
		rollout.Equal(t, "decision", w.Pass(15*time.Second), drive.Decision{Next: drive.Again})
		rollout.Equal(t, "stage a", rollout.Condition(w.Stage(0).Conditions, "Succeeded"), "True/StageUpdatingSucceeded")
		w.Pass(0)
		rollout.Equal(t, "stage b", w.Clusters(1), "b-1> b-2. b-3.")
		w.Available("b-1")
		w.Pass(15 * time.Second)
		w.Finish()
		rollout.Equal(t, "stage b", w.Clusters(1), "b-1+ b-2+ b-3+")
		rollout.Equal(t, "succeeded", w.Condition("Succeeded")+" "+w.Message("Succeeded"), "True/UpdateRunSucceeded All stages are completed successfully")
		rollout.Equal(t, "progressing", w.Condition("Progressing")+" "+w.Message("Progressing"), "False/UpdateRunSucceeded All stages are completed")
		rollout.Equal(t, "deletion", rollout.Condition(w.Run().Status.DeletionStageStatus.Conditions, "Succeeded"), "True/StageUpdatingSucceeded")
		rollout.Equal(t, "ended", stagesEnded(w), true)
		w.SetState(placement.StateStop)
		rollout.Equal(t, "terminal", w.Pass(time.Second), drive.Decision{})
		rollout.Equal(t, "terminal", len(w.Requests), 0)
	})
}

func stagesEnded(w *rollout.World) bool {
	return !slices.ContainsFunc(w.Run().Status.StagesStatus, func(s placement.StageStatus) bool { return s.EndTime == nil })
}
