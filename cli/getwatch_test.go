//go:build linux || darwin

package cli_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// inTrouble are the runs of the tour that wait for a person. Their causes are read besides the
// runs.
var inTrouble = []string{"search-r12", "suggest-r13", "identity-r24", "telemetry-agent-r9", "billing-r1", "payments-api-r18", "cluster-dns-r4", "edge-cache-r9"}

// TestGetWatchTable checks that the table, which shows no causes, lists every run at once, and
// that named ones are listed.
func TestGetWatchTable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ args, want []string }{
		{nil, inTrouble}, {[]string{"search-r12", "csur/identity-r24"}, []string{"search-r12", "identity-r24"}},
	} {
		cmd := exec.CommandContext(t.Context(), stagewatch(t), append([]string{"get", "-w"}, tt.args...)...)
		cmd.Env = append(os.Environ(), "KUBECONFIG="+tour(t).kubeconfig, "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		deadline := time.AfterFunc(patience, func() { cmd.Process.Kill() })
		missing := slices.Clone(tt.want)
		for lines := bufio.NewScanner(out); len(missing) > 0 && lines.Scan(); {
			missing = slices.DeleteFunc(missing, func(name string) bool { return strings.Contains(lines.Text(), name+" ") })
		}
		deadline.Stop()
		if len(missing) > 0 {
			t.Errorf("get -w %q: %q are not listed", tt.args, missing)
		}
		cmd.Process.Kill()
		cmd.Wait()
	}
}

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
	missing := slices.Clone(inTrouble)
	for lines := bufio.NewScanner(out); (changed == "" || len(missing) > 0) && lines.Scan(); {
		var c struct {
			At     time.Time
			Change string
			Run    struct{ Kind, Namespace, Name, State string }
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil || c.At.IsZero() || c.Run.State == "" {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		id := c.Run.Kind + "/" + c.Run.Namespace + "/" + c.Run.Name
		missing = slices.DeleteFunc(missing, func(name string) bool { return name == c.Run.Name })
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
	if len(missing) > 0 || changed == "" {
		t.Errorf("%d runs listed, %q are not; change of %q; stderr %s", len(listed), missing, changed, errs.String())
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
