package subject

import (
	"slices"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// TakenProof is what a binding says of its present owner.
func TakenProof(k *Subject) []engine.Evidence {
	cl := k.Cluster
	if cl == nil || cl.Binding == nil {
		return nil
	}
	b := cl.Binding
	of := Object(b.ID)
	want := engine.OrUnknown(k.View.Index)
	out := []engine.Evidence{
		BindingCondition(b, placement.BindingRolloutStarted),
		Field(of, engine.Lit("spec.resourceSnapshotName"), engine.Textf("%s; this run rolls out snapshot %s", orNone(b.SnapshotName), want)),
		Field(of, engine.Lit("spec.state"), engine.Clean(b.State)),
	}
	if !cl.Started.IsZero() && b.Created.After(cl.Started) {
		out = append(out, engine.Evidence{Object: of, Field: engine.Lit("metadata.creationTimestamp"), Value: engine.Textf("after the start of the cluster (%s)", k.Case.Clock(cl.Started)), Since: b.Created})
	}
	if !slices.Equal(b.Overrides, cl.Overrides) {
		out = append(out, Field(of, engine.Lit("override snapshots"), engine.Textf("%s; this run has %s", overrideList(b.Overrides), overrideList(cl.Overrides))))
	}
	return out
}

// Recreated reports whether the binding of a started cluster was deleted and created
// again: the scheduler creates it without a snapshot, and no run has updated it since.
func Recreated(b *world.Binding) bool {
	return b != nil && b.Deleting.IsZero() && b.State == string(placement.BindingScheduled) && b.SnapshotName == "" &&
		engine.ReadCondition(b.Conditions, placement.BindingRolloutStarted).Truth == engine.TruthAbsent
}

func orNone(name string) engine.Text {
	if name == "" {
		return engine.Lit("none")
	}
	return engine.Clean(name)
}

// overrideList names override snapshots.
func overrideList(names []string) engine.Text {
	if len(names) == 0 {
		return engine.Lit("none")
	}
	return engine.Enumerate(engine.CleanAll(names), 3)
}
