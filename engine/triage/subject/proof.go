package subject

import (
	"slices"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
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
		Field(of, engine.Lit("spec.resourceSnapshotName"), engine.Textf("%s; this run rolls out snapshot %s", b.SnapshotName, want)),
		Field(of, engine.Lit("spec.state"), engine.Clean(b.State)),
	}
	if !slices.Equal(b.Overrides, cl.Overrides) {
		out = append(out, Field(of, engine.Lit("override snapshots"), engine.Textf("%s; this run has %s", overrideList(b.Overrides), overrideList(cl.Overrides))))
	}
	return out
}

// overrideList names override snapshots.
func overrideList(names []string) engine.Text {
	if len(names) == 0 {
		return engine.Lit("none")
	}
	return engine.Enumerate(engine.CleanAll(names), 3)
}
