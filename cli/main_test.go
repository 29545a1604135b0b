//go:build linux || darwin

package cli_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// asScreen makes the test binary show a screen instead of running tests.
const asScreen = "STAGEWATCH_TEST_SCREEN"

var scratch string

func TestMain(m *testing.M) {
	if os.Getenv(asScreen) != "" {
		os.Exit(showTroubled())
	}
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "stagewatch-cli-test-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		scratch = dir
		// The programs of the tests neither read nor write what the person who runs them has.
		state, config := filepath.Join(dir, "state"), filepath.Join(dir, "config")
		// Tests wait for programs and hubs for most of their time. Programs that end soon and
		// hubs need a third less of it if they collect garbage less often.
		flag.Parse()
		if err := errors.Join(flag.Set("test.parallel", "10"), os.Setenv("GOGC", "400"), os.Setenv("XDG_STATE_HOME", state), os.Setenv("XDG_CONFIG_HOME", config)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		code := m.Run()
		if err := stopDemos(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return code
	}())
}

// The programs are built once and only when a test needs them; the demo takes
// long to link.
var (
	buildStagewatch = sync.OnceValues(func() (string, error) { return build("stagewatch", "..") })
	buildDemo       = sync.OnceValues(func() (string, error) { return build("demo", "../demo") })
)

func build(name, pkg string) (string, error) {
	bin := filepath.Join(scratch, name)
	args := []string{"build", "-ldflags=-s -w", "-o", bin}
	if raceEnabled { // a race in the program under test ends it with a report on stderr
		args = append(args, "-race")
	}
	out, err := exec.Command("go", append(args, pkg)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	return bin, nil
}

func stagewatch(t *testing.T) string { return built(t, buildStagewatch) }

func built(t *testing.T, build func() (string, error)) string {
	t.Helper()
	bin, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}
