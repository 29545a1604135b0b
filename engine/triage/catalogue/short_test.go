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
		engine.Cause("policy-changed"): "scheduling policy was changed",
		ClustersLeft.Cause:             ClustersLeft.Short,
		HeldWhileStopping.Cause:        "another run holds eu-1",
		ChangedWhileStopping.Cause:     "binding was changed on eu-1",
		SlowUnknown.Cause:              SlowUnknown.Short + " on eu-1",
	} {
		if got := Short(cause, path, false).String(); got != want {
			t.Errorf("%s: %q, want %q", cause, got, want)
		}
	}
	if got := Short(HeldWhileStopping.Cause, nil, false).String(); got != "another run holds a cluster" {
		t.Errorf("without a path: %q", got)
	}
}

// TestShortOfACauseThatTheMemberHas: a workload that is not available has a reason that only its
// pods tell; another cause leaves nothing open.
func TestShortOfACauseThatTheMemberHas(t *testing.T) {
	path := []engine.Hop{{Level: engine.Lit("cluster"), Name: engine.Lit("c3")}, {Level: engine.Lit("manifest"), Name: engine.Lit("Deployment web/web")}}
	for cause, want := range map[engine.Cause][2]string{
		WorkloadNotReady: {"Deployment is not ready on c3", "not ready, see pods on c3"},
		OwnedByOthers:    {"Deployment has another owner on c3", "Deployment has another owner on c3"},
	} {
		if read, unread := Short(cause, path, false).String(), Short(cause, path, true).String(); read != want[0] || unread != want[1] {
			t.Errorf("%s: %q, and unread %q", cause, read, unread)
		}
	}
}
