//go:build linux || darwin

package cli_test

import (
	"bytes"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/stagewatch/stagewatch/cli"
	"github.com/stagewatch/stagewatch/cli/exit"
)

// inDemo are the names of the tour for those of the examples.
var inDemo = strings.NewReplacer(
	"hub-prod", "stagewatch-demo", "hub-a,hub-b", "stagewatch-demo,stagewatch-demo-viewer", "hub-*", "stagewatch-*",
	"approve web-r5", "approve payments-api-r18", "web-r5", "search-r12", "web-r6", "cluster-dns-r4", "web-r4", "metrics-gateway-r14",
	"shop", "team-payments", "pay-r2", "payouts-r21", "--placement pay ", "--placement payouts ", "--placement web ", "--placement search ",
	"slow --snapshot 4", "two-rings --snapshot 11", "slow", "one-by-one", "aks-eu-1", "weu-canary-1", "eu-1", "weu-canary-1", "team=web", "team=search",
)

// example is a command line in the help of a command.
var example = regexp.MustCompile(`\bstagewatch ?((?:'[^']*'|"[^"]*"|[^|&>)'"])*)`)

// words splits a command line as a shell does.
func words(line string) (out []string) {
	for _, word := range regexp.MustCompile(`(?:'[^']*'|"[^"]*"|[^\s'"])+`).FindAllString(line, -1) {
		out = append(out, regexp.MustCompile(`'[^']*'|"[^"]*"`).ReplaceAllStringFunc(word, func(quoted string) string { return quoted[1 : len(quoted)-1] }))
	}
	return out
}

// TestExamples runs the examples in the help of every command on the tour. A command that
// writes gets --dry-run.
func TestExamples(t *testing.T) {
	t.Parallel()
	d := tour(t)
	w := newWitness(t, d.kubeconfig)
	w.eventually("/clusterstagedupdateruns/search-r12", "a finished stage", func(o *object) bool { return o.finished(0) })
	w.within(2*patience, "/clusterstagedupdateruns/metrics-gateway-r14", "a finished run", func(o *object) bool { return o.condition("Succeeded") != nil })
	for _, run := range []string{"/clusterstagedupdateruns/payments-api-r18", "/namespaces/team-payments/stagedupdateruns/payouts-r21"} {
		w.within(2*patience, run, "an approval that is open", func(o *object) bool {
			c := o.condition("Progressing")
			return c != nil && c.Reason == "UpdateRunWaiting" && len(o.Status.Stages) > 0
		})
	}
	env := without(t, d)
	writes := []string{"approve", "run", "stop", "clone", "delete"}
	var check func(*cobra.Command)
	check = func(cmd *cobra.Command) {
		lines := strings.Split(strings.Trim(cmd.Example, "\n"), "\n")
		if len(lines) < 2 {
			t.Errorf("the help of %q has fewer than two examples", cmd.CommandPath())
			return
		}
		for _, line := range lines {
			line, _, _ = strings.Cut(strings.TrimSpace(line), "   ")
			t.Run(line, func(t *testing.T) {
				t.Parallel()
				m := example.FindStringSubmatch(line)
				if m == nil {
					t.Fatal("no command line")
				}
				args, codes := words(inDemo.Replace(m[1])), []int{exit.OK}
				switch {
				case slices.Contains(writes, cmd.Name()):
					args = append(args, "--dry-run")
				case cmd.Name() == "wait":
					args, codes = append(args, "--timeout", "1s"), []int{exit.OK, exit.Stuck, exit.Timeout}
				case slices.Contains(args, "--watch-only") || slices.Contains(args, "-w"):
					interruptAtFirstLine(t, env, args)
					return
				case slices.Contains(args, "-f"): // TestLogsFollow follows
					args = slices.DeleteFunc(args, func(arg string) bool { return arg == "-f" })
				case slices.Contains(args, "./config.yaml"):
					return // TestConfigCommand checks a file
				}
				if code, out, errs := outcome(t, env, args...); !slices.Contains(codes, code) || out+errs == "" {
					t.Errorf("%q: exit code %d\n%s%s", args, code, out, errs)
				}
			})
		}
		for _, sub := range cmd.Commands() {
			check(sub)
		}
	}
	check(cli.Command())
}

// interruptAtFirstLine ends a command that runs until ctrl-c when it has printed something.
func interruptAtFirstLine(t *testing.T, env, args []string) {
	t.Helper()
	var errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), stagewatch(t), args...)
	cmd.Env, cmd.Stderr = env, &errs
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if n, err := out.Read(make([]byte, 1<<16)); n == 0 {
		t.Errorf("printed nothing: %v", err)
	}
	if err := out.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%q: %v\n%s", args, err, &errs)
	}
}
