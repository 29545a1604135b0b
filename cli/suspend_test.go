//go:build linux || darwin

package cli_test

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A session leader (ssh -t, a container) has no shell that could continue it: the kernel
// ignores its SIGTSTP.
func TestASessionLeaderIsNotSuspended(t *testing.T) {
	t.Parallel()
	for name, suspend := range map[string]func(s *session){
		"ctrl-z":  func(s *session) { s.keys("\x1a") },
		"SIGTSTP": func(s *session) { s.signal(syscall.SIGTSTP) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startTroubled(t)
			suspend(s)
			s.see("cannot suspend")
			s.keys("q")
			if code := s.ended(patience); code != 0 {
				t.Errorf("exit code %d", code)
			}
			s.restored()
		})
	}
}

// Under a shell the screen leaves the terminal before the process stops, and draws itself
// again after it was continued, in the size that the terminal has then.
func TestSuspendAndContinue(t *testing.T) {
	t.Parallel()
	for name, suspend := range map[string]func(s *session, pid int){
		"ctrl-z":  func(s *session, _ int) { s.keys("\x1a") },
		"SIGTSTP": func(_ *session, pid int) { kill(t, pid, syscall.SIGTSTP) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, pid := startUnderShell(t)
			for range 2 {
				suspend(s, pid)
				s.see(`code 149 then \$`)
				s.restored()
				s.resize(100, 30)
				s.keys("clear; fg\n")
				s.see("ready 100x30")
				s.gone("then")
				if now := *termios(t, s.tty); now == s.before {
					t.Error("the screen did not take the terminal again")
				}
			}
			s.keys("q")
			s.see(`code 0 then \$`)
			s.restored()
		})
	}
}

// SIGSTOP cannot be handled: what the shell did to the terminal is repaired afterwards.
func TestContinuedAfterSIGSTOP(t *testing.T) {
	t.Parallel()
	s, pid := startUnderShell(t)
	kill(t, pid, syscall.SIGSTOP)
	s.see(`code 147 then \$`)
	s.keys("clear; fg\n")
	s.see("ready 120x40")
	s.gone("then")
	s.keys("q")
	s.see(`code 0 then \$`)
	s.restored()
}

func kill(t *testing.T, pid int, sig syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, sig); err != nil {
		t.Fatal(err)
	}
}

// startUnderShell starts the screen as a job of a shell with job control, and returns its
// process.
func startUnderShell(t *testing.T) (*session, int) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("needs bash and /proc")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, 120, 40, []string{asScreen + "=1", "SCREEN=" + self, "XDG_STATE_HOME=" + t.TempDir()},
		bash, "-c", "PS1='code $? then $ ' exec bash --norc --noediting -i 2>&1") // its prompt goes to stderr
	s.see(`code 0 then \$`)
	s.before = *termios(t, s.tty)
	s.keys("clear; \"$SCREEN\"\n")
	s.see("ready")
	children, err := os.ReadFile("/proc/" + strconv.Itoa(s.cmd.Process.Pid) + "/task/" + strconv.Itoa(s.cmd.Process.Pid) + "/children")
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.Fields(string(children))[0])
	if err != nil {
		t.Fatal(err)
	}
	return s, pid
}
