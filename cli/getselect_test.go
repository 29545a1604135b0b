//go:build linux || darwin

package cli_test

import (
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/watch/faults"
)

// selects selects the lists by the labels of a person, not those of bindings by their placement.
func selects(r *http.Request) bool { return r.URL.Query().Get("labelSelector") == "!nosuch" }

// TestGetWatchSelectsOnEachHub follows the selected rows of two hubs, one of which rejects the
// selector at first: stderr names it, the rows of the other are listed, and its own as soon as it
// selects them. If it does not in the end, the exit code is 8.
func TestGetWatchSelectsOnEachHub(t *testing.T) {
	t.Parallel()
	proxy, kubeconfig := behindFaults(t, newWitness(t, tour(t).kubeconfig), nil)
	proxy.Set(faults.Rule{Kind: faults.Status, Code: http.StatusBadRequest, Of: selects})
	cmd := exec.CommandContext(t.Context(), stagewatch(t), "get", "-w", "-o", "json", "-l", "!nosuch", "--context", "history,stagewatch-demo")
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig+":"+tour(t).kubeconfig, "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
	out, errs := &watched{}, &watched{}
	cmd.Stdout, cmd.Stderr = out, errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	errs.see(t, "hub history: cannot evaluate the selector: the API server rejects the selector: ")
	out.see(t, `"change":"added","run":{"hub":"stagewatch-demo"`)
	if strings.Contains(out.String(), `"hub":"history"`) {
		t.Error("rows are listed that the hub did not select")
	}
	proxy.Set()
	errs.see(t, "hub history: the rows are selected again\n")
	out.see(t, `"change":"added","run":{"hub":"history"`)
	proxy.Set(faults.Rule{Kind: faults.Status, Code: http.StatusForbidden, Of: selects})
	errs.see(t, "hub history: cannot evaluate the selector: not permitted: ")
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exit.Unreachable || !strings.Contains(errs.String(), "error: hub history has not been read since ") {
		t.Errorf("%v, want exit code %d; stderr: %s", err, exit.Unreachable, errs)
	}
}

// TestGetWatchRejectedSelector: a selector that every hub rejects is a usage error, as without
// --watch.
func TestGetWatchRejectedSelector(t *testing.T) {
	t.Parallel()
	env := append(os.Environ(), "KUBECONFIG="+tour(t).kubeconfig, "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
	for _, context := range []string{"stagewatch-demo", "stagewatch-demo,stagewatch-demo-viewer"} {
		code, out, errs := outcome(t, env, "get", "-w", "--field-selector", "spec.state=Run", "--context", context)
		if code != exit.Usage || out != "" || !strings.Contains(errs, "error: field label not supported: spec.state\n") {
			t.Errorf("%s: exit code %d, %q, %q", context, code, out, errs)
		}
	}
}
