package drive_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/forecast"
	"github.com/stagewatch/stagewatch/engine/internal/odd"
)

// TestRulesOfOddObjects plays the rules over worlds in which every field may be
// damaged. No rule may break on them, a run that has ended never changes, and
// plan and forecast leave what they read alone.
func TestRulesOfOddObjects(t *testing.T) {
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 5))
		w := newWorld(t, []string{"", "team"}[r.IntN(2)])
		w.Kinds = known
		w.start([]placement.State{placement.StateInitialize, placement.StateRun, placement.StateStop}[r.IntN(3)])
		for range r.IntN(12) {
			w.pass(15 * time.Second)
		}
		in := w.Input(w.key)
		if in.Run == nil {
			continue
		}
		in.Run = in.Run.DeepCopy()
		damage(r, &in)
		was := in.Run.DeepCopy()
		if p := forecast.Plan(in, nil, w.Now, w.Do); len(p.Stages) > 0 && p.Run.IsZero() {
			t.Errorf("seed %d: the plan is of no run", seed)
		}
		f := forecast.Estimate(in, forecast.Request{Timing: pass.DefaultTiming(), Now: w.Now, AssumeApprovals: true, Read: w.Do})
		if e := f.Finish; !e.IsZero() && (e.Earliest.After(e.Likely) || e.Likely.After(e.Latest) || e.Earliest.Before(w.Now)) {
			t.Errorf("seed %d: at %s the run is done about %s, %s to %s", seed, w.Now, e.Likely, e.Earliest, e.Latest)
		}
		equal(t, "the run is left alone", in.Run, was)

		var written *placement.StagedUpdateRun
		drive.Reconcile(in, pass.DefaultTiming(), w.Now, func(e pass.Effect) (pass.Answer, error) {
			if o, ok := e.Object.(*placement.StagedUpdateRun); ok && e.Op.Verb() == pass.UpdateStatus {
				written = o.DeepCopy()
			}
			return w.Do(e)
		})
		equal(t, "the run is left alone", in.Run, was)
		if meta.IsStatusConditionTrue(was.Status.Conditions, placement.RunSucceeded) && written != nil &&
			!meta.IsStatusConditionTrue(written.Status.Conditions, placement.RunSucceeded) {
			t.Errorf("seed %d: a run that had succeeded no longer has", seed)
		}
		if t.Failed() {
			t.FailNow()
		}
	}
}

// damage makes what a pass reads odd.
func damage(r *rand.Rand, in *pass.Input) {
	const p = 0.05
	odd.Objects(r, p, &in.Run.Status)
	for i, o := range in.Bindings {
		in.Bindings[i] = o.DeepCopy()
		odd.Objects(r, p, in.Bindings[i])
	}
	for i, o := range in.Members {
		in.Members[i] = o.DeepCopy()
		odd.Objects(r, p, in.Members[i])
	}
	for i, o := range in.ResourceSnapshots {
		in.ResourceSnapshots[i] = o.DeepCopy()
		odd.Objects(r, p, in.ResourceSnapshots[i])
	}
	for i, o := range in.PolicySnapshots {
		in.PolicySnapshots[i] = o.DeepCopy()
		odd.Objects(r, p, in.PolicySnapshots[i])
	}
	if o := in.Placement; o != nil {
		in.Placement = o.DeepCopy()
		odd.Objects(r, p, in.Placement)
	}
	if o := in.Strategy; o != nil {
		in.Strategy = o.DeepCopy()
		odd.Objects(r, p, in.Strategy)
	}
}
