package bench

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestReleaseFlags reads the flags of a release: those of each package in their order, of which the
// last counts, and of the linker those that every release has.
func TestReleaseFlags(t *testing.T) {
	config, err := os.ReadFile("../../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	flags, err := releaseFlags(config)
	if err != nil {
		t.Fatal(err)
	}
	all, hot := slices.Index(flags, "-gcflags=all=-l"), slices.Index(flags, "-gcflags=runtime=")
	if flags[0] != "-trimpath" || all < 0 || hot < all || flags[len(flags)-1] != "-ldflags=-s -w -funcalign=16" {
		t.Errorf("got %q", flags)
	}
	for _, wrong := range []string{"builds: []", "builds: [{}, {}]", "builds: 1"} {
		if flags, err := releaseFlags([]byte(wrong)); err == nil {
			t.Errorf("%s: %q, want an error", wrong, flags)
		}
	}
	if f := strings.Join(flags, " "); strings.Contains(f, "{{") {
		t.Errorf("a template is left in %s", f)
	}
}
