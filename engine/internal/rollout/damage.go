package rollout

import (
	"math/rand/v2"
	"testing"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/internal/corrupt"
)

// Damaged returns a hub on which a run has had up to eleven passes, and the input of
// its next pass with fields damaged at random.
func Damaged(t testing.TB, seed uint64) (*World, pass.Input) {
	r := rand.New(rand.NewPCG(seed, 5))
	w := New(t, []string{"", "team"}[r.IntN(2)])
	w.Kinds = Kinds
	w.Start([]placement.State{placement.StateInitialize, placement.StateRun, placement.StateStop}[r.IntN(3)])
	for range r.IntN(12) {
		w.Pass(15 * time.Second)
	}
	in := w.Input(w.Key)
	damage(r, &in)
	return w, in
}

// damage changes fields of what a pass reads at random; it replaces the objects in in
// and leaves those of the hub alone.
func damage(r *rand.Rand, in *pass.Input) {
	in.Run = in.Run.DeepCopy()
	const p = 0.05
	corrupt.Objects(r, p, &in.Run.Status)
	for i, o := range in.Bindings {
		in.Bindings[i] = o.DeepCopy()
		corrupt.Objects(r, p, in.Bindings[i])
	}
	for i, o := range in.Members {
		in.Members[i] = o.DeepCopy()
		corrupt.Objects(r, p, in.Members[i])
	}
	for i, o := range in.ResourceSnapshots {
		in.ResourceSnapshots[i] = o.DeepCopy()
		corrupt.Objects(r, p, in.ResourceSnapshots[i])
	}
	for i, o := range in.PolicySnapshots {
		in.PolicySnapshots[i] = o.DeepCopy()
		corrupt.Objects(r, p, in.PolicySnapshots[i])
	}
	if o := in.Placement; o != nil {
		in.Placement = o.DeepCopy()
		corrupt.Objects(r, p, in.Placement)
	}
	if o := in.Strategy; o != nil {
		in.Strategy = o.DeepCopy()
		corrupt.Objects(r, p, in.Strategy)
	}
}
