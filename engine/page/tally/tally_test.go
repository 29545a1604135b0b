package tally

import (
	"slices"
	"testing"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// A binding that is available needs no text: a hub has a hundred thousand of them.
func TestAnAvailableBindingAllocatesNothing(t *testing.T) {
	b := &placement.ResourceBinding{}
	b.Generation, b.Spec.State, b.Spec.ResourceSnapshotName = 1, placement.BindingBound, "web-3-snapshot"
	types := []string{placement.BindingRolloutStarted, placement.BindingOverridden, placement.BindingWorkSynchronized, placement.BindingApplied, placement.BindingAvailable}
	b.Status.Conditions = slices.Grow(b.Status.Conditions, len(types))[:len(types)]
	for i, typ := range types {
		c := &b.Status.Conditions[i]
		c.Type, c.Status, c.ObservedGeneration, c.Reason, c.Message = typ, "True", 1, typ, "The  message of\n"+typ
	}
	of := engine.NewID(engine.KindClusterResourcePlacement, "", "web", "")
	counts := New()
	if n := testing.AllocsPerRun(100, func() { counts.Add(of, b) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	if available := counts.groups[tallyKey{of, "web-3-snapshot"}].available; available != counts.Bindings() {
		t.Errorf("%d of %d bindings are available", available, counts.Bindings())
	}
}
