//go:build linux || darwin

package cli_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestGetWatch follows the tour: each run is listed once, then its changes are printed until
// SIGTERM ends the command with 0, or nobody reads it any more.
func TestGetWatch(t *testing.T) {
	t.Parallel()
	env := append(os.Environ(), "KUBECONFIG="+tour(t).kubeconfig, "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
	cmd := exec.CommandContext(t.Context(), stagewatch(t), "get", "-w", "-o", "json")
	cmd.Env = env
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	deadline := time.AfterFunc(3*patience, func() { cmd.Process.Kill() })
	defer deadline.Stop()
	listed, changed := map[string]bool{}, ""
	for lines := bufio.NewScanner(out); changed == "" && lines.Scan(); {
		var c struct {
			At     time.Time
			Change string
			Run    struct{ Kind, Namespace, Name, State string }
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil || c.At.IsZero() || c.Run.State == "" {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		id := c.Run.Kind + "/" + c.Run.Namespace + "/" + c.Run.Name
		switch {
		case c.Change == "added" && listed[id]:
			t.Errorf("%s is listed twice", id)
		case c.Change == "added":
			listed[id] = true
		case !listed[id]:
			t.Errorf("%s is %s before it is listed", id, c.Change)
		default:
			changed = id
		}
	}
	if len(listed) < 3 || changed == "" {
		t.Errorf("%d runs listed, change of %q; stderr %s", len(listed), changed, errs.String())
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
	// The reader ends after the first line.
	piped := exec.CommandContext(t.Context(), "sh", "-c", `{ "$0" get -w; echo "code $?" >&2; } | head -n 1`, stagewatch(t))
	piped.Env = env
	var said strings.Builder
	piped.Stderr = &said
	first, err := piped.Output()
	if err != nil || !strings.HasPrefix(string(first), "TIME") || !strings.HasSuffix(said.String(), "code 0\n") || strings.Contains(said.String(), "error") {
		t.Errorf("read by head: %q, %v, stderr %q", first, err, &said)
	}
}
