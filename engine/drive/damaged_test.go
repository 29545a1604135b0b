package drive_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/internal/rollout"
)

// TestRulesOfDamagedObjects holds that a pass completes whatever fields are damaged,
// leaves what it reads alone, and never changes a run that has ended.
func TestRulesOfDamagedObjects(t *testing.T) {
	for seed := range uint64(600) {
		w, in := rollout.Damaged(t, seed)
		was := in.Run.DeepCopy()
		var written *placement.StagedUpdateRun
		drive.Reconcile(in, pass.DefaultTiming(), w.Now, func(e pass.Effect) (pass.Answer, error) {
			if o, ok := e.Object.(*placement.StagedUpdateRun); ok && e.Op.Verb() == pass.UpdateStatus {
				written = o.DeepCopy()
			}
			return w.Do(e)
		})
		rollout.Equal(t, "the run is left alone", in.Run, was)
		if meta.IsStatusConditionTrue(was.Status.Conditions, placement.RunSucceeded) && written != nil &&
			!meta.IsStatusConditionTrue(written.Status.Conditions, placement.RunSucceeded) {
			t.Errorf("seed %d: a run that had succeeded no longer has", seed)
		}
		if t.Failed() {
			t.FailNow()
		}
	}
}
