//go:build linux || darwin

package cli_test

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/cli/exit"
)

// TestWait waits for runs of the demo: each way in which a wait ends.
func TestWait(t *testing.T) {
	t.Parallel()
	d := incidents(t)
	w := newWitness(t, d.kubeconfig)
	w.within(3*patience, "/clusterstagedupdateruns/preempted-r2", "a preempted run", func(o *object) bool { return o.condition("Succeeded") != nil })
	wait := func(t *testing.T, code int, says string, args ...string) (out, errs string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
		defer cancel()
		var o, e bytes.Buffer
		cmd := exec.CommandContext(ctx, stagewatch(t), append([]string{"wait", "--kubeconfig", d.kubeconfig, "--stuck-after", "20s"}, args...)...)
		cmd.Stdout, cmd.Stderr = &o, &e
		if err := cmd.Run(); cmd.ProcessState == nil {
			t.Fatal(err)
		}
		if got := cmd.ProcessState.ExitCode(); got != code || !strings.Contains(o.String()+e.String(), says) {
			t.Errorf("exit code %d, want %d and %q:\n%s%s", got, code, says, &o, &e)
		}
		if code != 0 && o.Len() > 0 {
			t.Errorf("stdout: %s", &o)
		}
		return o.String(), e.String()
	}
	for _, c := range []struct {
		name string
		code int
		says string
		args []string
	}{
		{"preempted", exit.Failed, "preempted-r2 is preempted: ", []string{"csur/preempted-r2"}},
		{"stuck", exit.Stuck, "is stuck: ", []string{"csur/workload-not-ready-r2", "--fail-on", "stuck"}},
		{"approval", exit.Approval, "needs approval again: ", []string{"csur/approval-not-accepted-r2"}},
		{"stage that is not there", exit.NotFound, "has no stage nowhere", []string{"csur/approval-not-accepted-r2", "--until", "stage=nowhere"}},
		{"run that is not there", exit.NotFound, "run \"nowhere\" not found", []string{"nowhere"}},
		{"time is over", exit.Timeout, "timed out after 5s: approval-not-accepted-r2 needs approval again: ", []string{"csur/approval-not-accepted-r2", "--fail-on", "none", "--timeout", "5s"}},
		{"nobody there", exit.Unreachable, "", []string{"csur/preempted-r2", "--server", "https://127.0.0.1:1"}},
		{"wrong word", exit.Usage, "invalid --for \"soon\"", []string{"csur/preempted-r2", "--until", "soon"}},
		{"both flags", exit.Usage, "--for and --until cannot be used together", []string{"csur/preempted-r2", "--until", "done", "--for", "done"}},
		{"a condition", exit.OK, "preempted-r2 is preempted, ", []string{"csur/preempted-r2", "--for=condition=Succeeded=False"}},
		{"a condition that is another", exit.Failed, "preempted-r2 is preempted: ", []string{"csur/preempted-r2", "--for=condition=Succeeded"}},
		{"a JSONPath", exit.OK, "preempted-r2 is preempted, ", []string{"csur/preempted-r2", "--for=jsonpath={.spec.state}=Run"}},
		{"a JSONPath with another value", exit.Failed, "preempted-r2 is preempted: ", []string{"csur/preempted-r2", `--for=jsonpath={.status.conditions[?(@.type=="Succeeded")].status}=True`}},
		{"a state", exit.OK, "is preempted, ", []string{"csur/preempted-r2", "--for=state=failed,preempted"}},
		{"a deletion of what is not there", exit.OK, "run \"nowhere\" not found", []string{"nowhere", "--for", "delete"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wait(t, c.code, c.says, c.args...)
		})
	}
	t.Run("from a clone to its end", func(t *testing.T) {
		t.Parallel()
		act := func(args ...string) {
			t.Helper()
			if all, err := exec.CommandContext(t.Context(), stagewatch(t), append(args, "--kubeconfig", d.kubeconfig, "--yes")...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", args, err, all)
			}
		}
		const run = "team-payments/waited"
		act("clone", "team-payments/index-missing-r2", "--name", "waited", "--strategy", "approve-prod", "--snapshot", "1")
		w.eventually("/namespaces/team-payments/stagedupdateruns/waited", "an initialized clone", func(o *object) bool { return o.condition("Initialized") != nil })
		wait(t, exit.Stopped, run+" is ready to start", run)
		act("run", run)
		_, errs := wait(t, 0, run+" needs approval", run, "--until", "approval")
		if !strings.Contains(errs, "APPROVAL  2/2 prod") {
			t.Errorf("told on the way:\n%s", errs)
		}
		wait(t, 0, run+" needs approval", run, "--until", "stage=canary", "--quiet")
		act("approve", run, "prod")
		if out, errs := wait(t, 0, run+" is done, 2/2 clusters done", run, "-q"); errs != "" || strings.Count(out, "\n") != 1 {
			t.Errorf("out %q, errs %q", out, errs)
		}
		act("delete", run)
	})
}
