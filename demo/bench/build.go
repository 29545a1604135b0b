package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// program is the package of stagewatch.
const program = "github.com/stagewatch/stagewatch"

// Build builds stagewatch as a release does, with the flags in .goreleaser.yaml, into a file. It
// needs the checkout and go.
func Build(ctx context.Context, file string) error {
	dir, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", program).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("%w\n%s", err, exit.Stderr)
	}
	if err != nil {
		return fmt.Errorf("find the source of stagewatch: %w", err)
	}
	config, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), ".goreleaser.yaml"))
	if err != nil {
		return fmt.Errorf("read the flags of a release: %w", err)
	}
	flags, err := releaseFlags(config)
	if err != nil {
		return fmt.Errorf("read the flags of a release: %w", err)
	}
	args := append(append([]string{"build"}, flags...), "-o", file, program)
	build := exec.CommandContext(ctx, "go", args...) //nolint:gosec // the flags of this repository
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build stagewatch: %w\n%s", err, out)
	}
	return nil
}

// releaseFlags returns the flags of go build in a configuration of GoReleaser, without those that
// are different in each release.
func releaseFlags(config []byte) ([]string, error) {
	var c struct {
		Builds []struct {
			Flags   []string `json:"flags"`
			GCFlags []string `json:"gcflags"`
			LDFlags []string `json:"ldflags"`
		} `json:"builds"`
	}
	if err := yaml.Unmarshal(config, &c); err != nil {
		return nil, err
	}
	if len(c.Builds) != 1 {
		return nil, fmt.Errorf("builds: got %d, want 1", len(c.Builds))
	}
	b := c.Builds[0]
	flags := b.Flags
	for _, f := range b.GCFlags {
		flags = append(flags, "-gcflags="+f)
	}
	var link []string
	for _, f := range b.LDFlags {
		if !strings.Contains(f, "{{") {
			link = append(link, f)
		}
	}
	return append(flags, "-ldflags="+strings.Join(link, " ")), nil
}
