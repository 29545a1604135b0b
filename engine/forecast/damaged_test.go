package forecast_test

import (
	"strings"
	"testing"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/forecast"
	"github.com/stagewatch/stagewatch/engine/internal/rollout"
)

// TestPlanAndEstimateOfDamagedObjects holds that both complete whatever fields are
// damaged, and leave what they read alone.
func TestPlanAndEstimateOfDamagedObjects(t *testing.T) {
	for seed := range uint64(600) {
		w, in := rollout.Damaged(t, seed)
		was := in.Run.DeepCopy()
		if p := forecast.Plan(in, nil, w.Now, w.Do); len(p.Stages) > 0 && p.Run.IsZero() {
			t.Errorf("seed %d: the plan has stages and no run", seed)
		}
		f := forecast.Estimate(in, forecast.Request{Timing: pass.DefaultTiming(), Now: w.Now, AssumeApprovals: true, Read: w.Do})
		if e := f.Finish; !e.IsZero() && (e.Earliest.After(e.Likely) || e.Likely.After(e.Latest) || e.Earliest.Before(w.Now)) {
			t.Errorf("seed %d: at %s the estimate is %s, %s to %s", seed, w.Now, e.Likely, e.Earliest, e.Latest)
		}
		rollout.Equal(t, "the run is left alone", in.Run, was)
		if t.Failed() {
			t.FailNow()
		}
	}
}

// TestDeletionStageThatContradictsItsBinding holds that an estimate of a run which the
// controller fails in its deletion stage ends with that message.
func TestDeletionStageThatContradictsItsBinding(t *testing.T) {
	for _, tt := range rollout.Contradictions {
		t.Run(tt.Name, func(t *testing.T) {
			rollout.BothScopes(t, func(t *testing.T, w *rollout.World) {
				w.Deleting()
				tt.Change(w)
				f := forecast.Estimate(w.Input(w.Key), forecast.Request{Timing: pass.DefaultTiming(), Now: w.Now})
				if got := f.Never.String(); !strings.HasPrefix(got, "the run will fail: ") || !strings.HasSuffix(got, tt.Message) {
					t.Errorf("no estimate: %s", got)
				}
				w.Pass(0)
				if got := w.Message(placement.RunSucceeded); !strings.HasSuffix(got, tt.Message) {
					t.Errorf("the controller says: %s", got)
				}
			})
		})
	}
}
