//go:build unix

package apart

import (
	"os/exec"
	"syscall"
)

// Set gives a program a session of its own: it has no terminal to ask on, and
// it is killed with all that it has started.
func Set(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
