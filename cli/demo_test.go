//go:build linux || darwin

package cli_test

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stagewatch/stagewatch/cli/exit"
)

// The demo is one process that shows the screen and leaves nothing behind.
func TestTheDemoShowsTheScreenAndLeavesNothing(t *testing.T) {
	withoutRace(t)
	t.Parallel()
	cases := []struct {
		name string
		args []string
		end  func(s *session)
		code int
	}{
		{name: "quit", end: func(s *session) { s.keys("q") }, code: exit.OK},
		{name: "SIGTERM", args: []string{"--scenario", "healthy"}, end: func(s *session) { s.signal(syscall.SIGTERM) }, code: exit.Interrupted},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			s := start(t, 120, 36, []string{"TMPDIR=" + dir}, built(t, buildDemo), c.args...)
			s.see(`demo: starting`)
			s.see(`live +\d+s`)
			s.see(`checkout-r`)
			s.keys("j")
			s.keys("\r")
			s.see(`Runs ›`)
			s.keys("q")
			s.gone(`Runs ›`)
			c.end(s)
			if code := s.ended(patience); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			s.restored()
			if s.stderr.Len() > 0 {
				t.Errorf("stderr: %s", s.stderr.String())
			}
			left, err := filepath.Glob(filepath.Join(dir, "*"))
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// The scenario scale has as many runs as asked for; those that have not finished make
// progress.
func TestTheDemoShowsAHubOfASize(t *testing.T) {
	withoutRace(t)
	t.Parallel()
	s := start(t, 120, 36, []string{"TMPDIR=" + t.TempDir()}, built(t, buildDemo), "--scenario", "scale", "--runs", "4", "--clusters", "30", "--finished", "2")
	s.see(`4 runs`)
	s.see(`DONE +bench-0003 .* 30/30`)
	s.see(`bench-0000 .* 2/30`)
	s.see(`bench-0001 .* 2/30`)
	s.keys("q")
	if code := s.ended(patience); code != exit.OK || s.stderr.Len() > 0 {
		t.Errorf("exit code %d, stderr %q", code, s.stderr.String())
	}
	out, err := exec.CommandContext(t.Context(), built(t, buildDemo), "--runs", "4").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "--runs needs --scenario scale") {
		t.Errorf("a size of another scenario: %q, %v", out, err)
	}
}

// Without a terminal nothing is started, and the way without a screen is named.
func TestTheDemoNeedsATerminal(t *testing.T) {
	withoutRace(t)
	t.Parallel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), built(t, buildDemo))
	cmd.Stdout, cmd.Stderr = &out, &errs
	var ended *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &ended) || ended.ExitCode() != exit.Usage {
		t.Errorf("ended with %v", err)
	}
	if out.Len() > 0 || !strings.Contains(errs.String(), "must be a terminal") || !strings.Contains(errs.String(), "--serve") {
		t.Errorf("stdout %q, stderr %q", &out, &errs)
	}
}
