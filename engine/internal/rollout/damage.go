package rollout

import (
	"math/rand/v2"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/internal/corrupt"
)

// Damaged returns a hub on which a run has had up to eleven passes, or is in a deletion
// stage that contradicts its binding, and the input of its next pass with fields damaged
// at random.
func Damaged(t testing.TB, seed uint64) (*World, pass.Input) {
	r := rand.New(rand.NewPCG(seed, 5))
	w := New(t, []string{"", "team"}[r.IntN(2)])
	w.Kinds = Kinds
	if r.IntN(4) == 0 {
		w.Deleting()
		Contradictions[r.IntN(len(Contradictions))].Change(w)
		in := w.Input(w.Key)
		damage(r, &in)
		return w, in
	}
	w.Start([]placement.State{placement.StateInitialize, placement.StateRun, placement.StateStop}[r.IntN(3)])
	for range r.IntN(12) {
		w.Pass(15 * time.Second)
	}
	in := w.Input(w.Key)
	damage(r, &in)
	return w, in
}

// Deleting brings a run to its deletion stage: the binding of b-3 is being deleted.
func (w *World) Deleting() {
	w.T.Helper()
	w.Unschedule("b-3")
	w.Start(placement.StateRun)
	for range 100 {
		if d := w.Run().Status.DeletionStageStatus; d != nil && d.StartTime != nil {
			return
		}
		w.Pass(time.Second)
		w.Available("a-1", "a-2", "b-1", "b-2")
	}
	w.T.Fatal("the deletion stage does not start")
}

// Contradictions are changes after Deleting for which the controller fails the run at its
// next check, with its message.
var Contradictions = []struct {
	Name, Message string
	Change        func(*World)
}{
	{
		"the binding is not being deleted", "the cluster `b-3` in the deleting stage is marked as deleting but its corresponding binding is not deleting",
		func(w *World) { w.EditBinding("b-3", undelete) },
	},
	{
		"the binding of a deleted cluster is there", "the deleted cluster `b-3` in the deleting stage still has a binding",
		func(w *World) {
			w.EditBinding("b-3", undelete)
			w.Edit(func(run *placement.StagedUpdateRun) {
				c := &run.Status.DeletionStageStatus.Clusters[0]
				meta.SetStatusCondition(&c.Conditions, metav1.Condition{Type: placement.ClusterSucceeded, Status: metav1.ConditionTrue, ObservedGeneration: run.Generation})
			})
		},
	},
	{
		"the cluster is not in the stage", "the cluster `b-3` to be deleted is not in the delete stage",
		func(w *World) {
			w.Edit(func(run *placement.StagedUpdateRun) { run.Status.DeletionStageStatus.Clusters = nil })
		},
	},
}

func undelete(b *placement.ResourceBinding) { b.DeletionTimestamp = nil }

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
