//go:build linux || darwin

package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/cli/internal/statedir"
)

// runPlan runs the built program's plan, with what is in the state directory, and returns what it
// printed and its exit code.
func runPlan(t *testing.T, state string, args ...string) (out, errs string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), stagewatch(t), append([]string{"plan"}, args...)...)
	cmd.Stdout, cmd.Stderr, cmd.Env = &stdout, &stderr, append(os.Environ(), "XDG_STATE_HOME="+state)
	err := cmd.Run()
	var left *exec.ExitError
	if err != nil && !errors.As(err, &left) {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

func TestPlanOnTheTour(t *testing.T) {
	t.Parallel()
	d := tour(t)
	w := newWitness(t, d.kubeconfig)
	// A run that waits to be started is planned as it will run.
	w.eventually("/clusterstagedupdateruns/cluster-dns-r4", "an initialized run", func(o *object) bool {
		c := o.condition("Initialized")
		return c != nil && c.Status == "True"
	})
	w.eventually("/clusterstagedupdateruns/billing-r1", "a run that the hub has refused", func(o *object) bool {
		c := o.condition("Initialized")
		return c != nil && c.Status == "False"
	})
	imagined := []string{"--placement", "cluster-dns", "--strategy", "approve-prod"}
	state := t.TempDir() // a screen was open on the hub before
	if err := statedir.Dir(filepath.Join(state, "stagewatch")).RememberHub("stagewatch-demo", time.Now()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, context string
		args          []string
		code          int
		says          []string // in stdout, or in stderr when nothing is printed
	}{
		{name: "a run", args: []string{"cluster-dns-r4"}, says: []string{"cluster run cluster-dns-r4   plan by the controller's rules", "possible: 12 clusters", "STAGE 1/", "starts first", "FORECAST   "}},
		{name: "approvals assumed", args: []string{"cluster-dns-r4", "--assume-approvals"}, says: []string{"FORECAST   "}},
		{name: "failed", args: []string{"billing-r1"}, code: 1, says: []string{"failed; a new run with the same spec is blocked by 1 failed check"}},
		{name: "a run in a namespace", args: []string{"team-payments/fraud-score-r10"}, says: []string{"namespaced run team-payments/fraud-score-r10"}},
		{name: "found in its namespace", args: []string{"fraud-score-r10"}, says: []string{"namespaced run team-payments/fraud-score-r10"}},
		{name: "not in that namespace", args: []string{"-n", "team-web", "fraud-score-r10"}, code: 6, says: []string{"run \"fraud-score-r10\" not found in namespace \"team-web\""}},
		{name: "imagined", args: imagined, says: []string{"a cluster run that does not exist yet", "OTHER UNFINISHED RUNS   of this placement", "cluster-dns-r4"}},
		{name: "refused", args: append(imagined, "--snapshot", "77"), code: 1, says: []string{"blocked by 1 failed check", "no resourceSnapshots with index `77` found for placement `/cluster-dns`"}},
		{name: "viewer", context: "stagewatch-demo-viewer", args: []string{"cluster-dns-r4"}, says: []string{"possible: 12 clusters"}},
		{name: "stranger", context: "stagewatch-demo-stranger", args: []string{"cluster-dns-r4"}, code: 7, says: []string{"not permitted", "clusterstagedupdateruns"}},
		{name: "stranger, imagined", context: "stagewatch-demo-stranger", args: imagined, code: 7, says: []string{"NOT READ", "member clusters"}},
		{name: "no such run", args: []string{"nope"}, code: 6, says: []string{"run \"nope\" not found"}},
		{name: "a member", context: "weu-canary-1", args: []string{"cluster-dns-r4"}, code: 6, says: []string{"context weu-canary-1: this cluster has no KubeFleet hub API", "stagewatch-demo"}},
		{name: "no hub", args: []string{"cluster-dns-r4", "--server", "https://127.0.0.1:1"}, code: 8, says: []string{"connection refused"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append([]string{"--kubeconfig", d.kubeconfig}, c.args...)
			if c.context != "" {
				args = append(args, "--context", c.context)
			}
			begin := time.Now()
			out, errs, code := runPlan(t, state, args...)
			if took := time.Since(begin); took > 30*time.Second {
				t.Errorf("took %s", took)
			}
			if code != c.code {
				t.Fatalf("code %d, want %d\n%s\n%s", code, c.code, out, errs)
			}
			for _, want := range c.says {
				if !strings.Contains(out+errs, want) {
					t.Errorf("does not say %q:\n%s\n%s", want, out, errs)
				}
			}
			if code != 0 && errs == "" {
				t.Error("nothing on stderr")
			}
		})
	}
	t.Run("json", func(t *testing.T) {
		out, _, code := runPlan(t, state, append([]string{"--kubeconfig", d.kubeconfig, "-o", "json"}, imagined...)...)
		var got struct {
			Possible bool
			Run      struct{ Hypothetical bool }
			Stages   []struct {
				Clusters []struct{ Name, State string }
			}
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 {
			t.Fatalf("code %d, %v\n%s", code, err, out)
		}
		if !got.Possible || !got.Run.Hypothetical || len(got.Stages) == 0 || got.Stages[0].Clusters[0].State != "pending" {
			t.Errorf("got %+v", got)
		}
	})
}
