//go:build linux || darwin

package cli_test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/cli/exit"
)

// TestLogsFollow follows the log of a pod of the demo: lines come as they are written, and ctrl-c
// ends it with the exit code of kubectl.
func TestLogsFollow(t *testing.T) {
	t.Parallel()
	d := tour(t)
	newWitness(t, d.kubeconfig).eventually("/clusterstagedupdateruns/search-r12", "a finished stage", func(o *object) bool { return o.finished(0) })
	for began := time.Now(); ; { // until its first lines are older than those that are asked for
		code, out, errs := outcome(t, without(t, d), "logs", "csur/search-r12", "weu-canary-1")
		if strings.Contains(out, "request=4") {
			break
		}
		if time.Since(began) > patience {
			t.Fatalf("the log has too few lines: exit code %d\n%s%s", code, out, errs)
		}
	}
	for _, tt := range []struct{ args, want string }{
		{"logs csur/search-r12 weu-canary-1 --tail 1", `level=info msg="GET /healthz"`},
		{"logs csur/search-r12 weu-canary-1 --since 4s", `level=info msg="GET /healthz"`},
		{"logs csur/search-r12 --since 1h --tail -1", "I"},
	} {
		code, out, errs := outcome(t, without(t, d), strings.Fields(tt.args)...)
		if code != 0 || !strings.HasPrefix(out, tt.want) || strings.Contains(tt.args, "--tail 1") && strings.Count(out, "\n") != 1 {
			t.Errorf("%s: exit code %d\n%s%s", tt.args, code, out, errs)
		}
	}
	cmd := exec.CommandContext(t.Context(), stagewatch(t), "logs", "csur/search-r12", "weu-canary-1", "--follow", "--tail", "0")
	cmd.Env = without(t, d)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for range 2 {
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), `level=info msg="GET /healthz"`) {
			t.Errorf("line %q", lines.Text())
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		continue
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exit.Interrupted || !strings.Contains(errs.String(), "note: log of pod search/search-") || !strings.HasSuffix(errs.String(), "error: interrupted\n") {
		t.Errorf("%v, stderr:\n%s", err, &errs)
	}
}
