package cli

import (
	"slices"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

// Contexts that were a hub come first, then those called so; the present one and
// those that the kubeconfig no longer has are left out.
func TestContextsThatLookLikeHubs(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for _, n := range []string{"gone", "weu", "weu", "prod-Hub"} {
		rememberHub(n)
	}
	if got := knownHubs(); !slices.Equal(got, []string{"prod-Hub", "weu", "gone"}) {
		t.Fatalf("remembered %v", got)
	}
	got := hubsAmong([]string{"member-1", "a-hub", "weu", "prod-Hub", "my-Fleet", "here-hub"}, knownHubs(), "here-hub")
	want := []engine.Text{engine.Clean("prod-Hub"), engine.Clean("weu"), engine.Clean("a-hub"), engine.Clean("my-Fleet")}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
