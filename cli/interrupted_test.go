//go:build linux || darwin

package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/cli/exit"
)

// A command that is interrupted while a write has no answer records the outcome as unknown,
// and prints the command that shows it.
func TestInterruptedWriteIsUnknown(t *testing.T) {
	t.Parallel()
	d := tour(t)
	newWitness(t, d.kubeconfig).eventually("/clusterstagedupdateruns/search-r12", "an initialized run", func(o *object) bool { return o.condition("Initialized") != nil })
	for name, tt := range map[string]struct {
		args []string
		sig  os.Signal
		look string
	}{
		"stop":  {[]string{"stop", "search-r12"}, os.Interrupt, "get clusterstagedupdateruns search-r12 -o yaml"},
		"clone": {[]string{"clone", "search-r12", "--name", "search-lost"}, syscall.SIGTERM, "get clusterstagedupdateruns search-lost -o yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCheckpoint(t, d)
			c.holds = make(chan struct{})
			home := t.TempDir()
			cmd := exec.CommandContext(t.Context(), stagewatch(t), append(tt.args, "--yes")...)
			cmd.Env = append(os.Environ(), "KUBECONFIG="+c.kubeconfig, "XDG_STATE_HOME="+home, "XDG_CONFIG_HOME="+home)
			var errs strings.Builder
			cmd.Stderr = &errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			select {
			case <-c.holds:
			case <-time.After(patience):
				t.Fatal("no write was sent")
			}
			if err := cmd.Process.Signal(tt.sig); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // the exit code says how it ended
			if code := cmd.ProcessState.ExitCode(); code != 130 {
				t.Errorf("exit code %d", code)
			}
			if said := errs.String(); !strings.Contains(said, "outcome unknown") || !strings.Contains(said, tt.look) {
				t.Errorf("it says\n%s", said)
			}
			records, err := os.ReadFile(filepath.Join(home, "stagewatch", "audit.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			if lines := strings.Split(strings.TrimSpace(string(records)), "\n"); len(lines) != 2 || !strings.Contains(lines[0], `"result":"sending"`) || !strings.Contains(lines[1], `"result":"unknown"`) {
				t.Errorf("recorded\n%s", records)
			}
			if _, written := c.noted(); len(written) != 1 {
				t.Errorf("sent %q", written)
			}
		})
	}
}

// TestAScreenLeftDuringAWriteSaysSo checks that the screen does not end with 0 while the outcome of
// a write is not known, and that it is recorded and printed with the command that shows it; also
// if the terminal hangs.
func TestAScreenLeftDuringAWriteSaysSo(t *testing.T) {
	t.Parallel()
	d := tour(t)
	newWitness(t, d.kubeconfig).eventually("/clusterstagedupdateruns/search-r12", "an initialized run", func(o *object) bool { return o.condition("Initialized") != nil })
	for name, tt := range map[string]struct {
		end  func(s *session)
		code int
	}{
		"ctrl-c twice": {func(s *session) {
			s.keys("\x03")
			s.see(`once more`)
			s.keys("\x03")
		}, exit.Failed},
		"q twice": {func(s *session) {
			s.keys("\x1b")
			s.gone(`━ Stop search-r12 ━`)
			s.keys("q")
			s.see(`once more`)
			s.keys("q")
		}, exit.Failed},
		"SIGTERM": {func(s *session) { s.signal(syscall.SIGTERM) }, exit.Interrupted},
		"SIGTERM, the terminal hangs": {func(s *session) {
			s.stall()
			for n := range 20 { // each size is drawn
				s.ptySize(120+n, 30)
			}
			s.signal(syscall.SIGTERM)
		}, exit.Interrupted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCheckpoint(t, d)
			c.holds = make(chan struct{})
			home := t.TempDir()
			s := start(t, 120, 30, []string{"KUBECONFIG=" + c.kubeconfig, "XDG_STATE_HOME=" + home, "XDG_CONFIG_HOME=" + home}, stagewatch(t))
			s.see(`live +\d+s`)
			s.keys("/search-r12\r")
			s.see(`▌.* search-r12 `)
			s.keys("S")
			s.see(`server dry run passed`)
			settled(s)
			for sent, began := false, time.Now(); !sent; {
				s.keys("y") // again, if the machine stood still: the dialog counts the time in which the program ran
				select {
				case <-c.holds:
					sent = true
				case <-time.After(2 * time.Second):
					if time.Since(began) > patience {
						t.Fatalf("no write was sent:\n%s", s.screen())
					}
				}
			}
			tt.end(s)
			if code := s.ended(patience); code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			if said := s.stderr.String(); !strings.Contains(said, "outcome unknown") || !strings.Contains(said, "get clusterstagedupdateruns search-r12 -o yaml") {
				t.Errorf("it says\n%s", said)
			}
			records, err := os.ReadFile(filepath.Join(home, "stagewatch", "audit.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(string(records)), "\n")
			if len(lines) < 2 || !strings.Contains(lines[0], `"result":"sending"`) || !strings.Contains(lines[1], `"result":"unknown"`) {
				t.Errorf("recorded\n%s", records)
			}
			// The outcome of the one write may still become known before the process has ended: then it is recorded, too.
			if len(lines) > 3 || len(lines) == 3 && (strings.Contains(lines[2], `"result":"sending"`) || strings.Contains(lines[2], `"result":"unknown"`)) {
				t.Errorf("recorded\n%s", records)
			}
			if _, written := c.noted(); len(written) != 1 {
				t.Errorf("sent %q", written)
			}
		})
	}
}
