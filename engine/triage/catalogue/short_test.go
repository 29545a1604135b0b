package catalogue

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

// TestShortNamesTheClusterOfItsCause: what ended a run for its placement is not said to be on
// the cluster that is left.
func TestShortNamesTheClusterOfItsCause(t *testing.T) {
	path := []engine.Hop{{Level: engine.Lit("cluster"), Name: engine.Lit("eu-1")}}
	for cause, want := range map[engine.Cause]string{
		engine.NewCause("policy-changed"): "scheduling policy was changed",
		HeldWhileStopping.Cause:           "another run holds eu-1",
		SlowUnknown.Cause:                 SlowUnknown.Short + " on eu-1",
	} {
		if got := Short(cause, path).String(); got != want {
			t.Errorf("%s: %q, want %q", cause, got, want)
		}
	}
	if got := Short(HeldWhileStopping.Cause, nil).String(); got != "another run holds a cluster" {
		t.Errorf("without a path: %q", got)
	}
}
