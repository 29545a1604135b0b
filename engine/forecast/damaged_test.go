package forecast_test

import (
	"testing"

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
