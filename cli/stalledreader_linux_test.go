package cli_test

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/stagewatch/stagewatch/cli/exit"
)

// TestAStalledReaderDoesNotKeepTheProgram ends a command whose output nobody reads any more: the
// signal must not wait for the reader (docs/promises.md#i14).
func TestAStalledReaderDoesNotKeepTheProgram(t *testing.T) {
	t.Parallel()
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, err := unix.FcntlInt(in.Fd(), unix.F_SETPIPE_SZ, 4096); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), stagewatch(t), "get", "-o", "json")
	cmd.Env = append(os.Environ(), "KUBECONFIG="+tour(t).kubeconfig, "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
	cmd.Stdout = in
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	if _, err := out.Read(make([]byte, 1)); err != nil { // the rest does not fit
		t.Fatal(err)
	}
	stuck := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exit.Interrupted {
		t.Errorf("%v, want exit code %d", err, exit.Interrupted)
	}
	stuck.Stop()
}
