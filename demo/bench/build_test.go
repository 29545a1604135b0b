package bench

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestTheGateBuildsWithTheSameFlags compares releaseFlags with those of .ci/run.
func TestTheGateBuildsWithTheSameFlags(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("needs bash, as .ci/run does")
	}
	config, err := os.ReadFile("../../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want, err := releaseFlags(config)
	if err != nil {
		t.Fatal(err)
	}
	gate, err := os.ReadFile("../../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	_, function, found := strings.Cut(string(gate), "\nrelease_flags() {\n")
	function, _, ended := strings.Cut(function, "\n}\n")
	if !found || !ended {
		t.Fatal(".ci/run has no function release_flags")
	}
	read := exec.CommandContext(t.Context(), "bash", "-c", function) //nolint:gosec // of this repository
	read.Dir = "../.."
	got, err := read.Output()
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(strings.TrimSpace(string(got)), "\n"); !slices.Equal(lines, want) {
		t.Errorf(".ci/run builds with %q, a release with %q", lines, want)
	}
}

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
	if flags[0] != "-trimpath" || all < 0 || hot < all || flags[len(flags)-1] != "-ldflags=-s -w -funcalign=4" {
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
