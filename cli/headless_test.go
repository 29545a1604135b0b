//go:build linux || darwin

package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
)

// keyOfScreen matches a key in parentheses.
var keyOfScreen = regexp.MustCompile(`(?m)(?:^|\s)\((?:[A-Za-z=/?]|enter|esc|tab|ctrl-.)\)`)

// TestOutputWithoutAScreenNamesNoKey reads every run of the tour and of the incidents in
// every form: keys do nothing in a shell, so that the output names commands instead.
func TestOutputWithoutAScreenNamesNoKey(t *testing.T) {
	t.Parallel()
	for name, demo := range map[string]func(*testing.T) *served{"tour": tour, "incidents": incidents} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := append(os.Environ(), "KUBECONFIG="+demo(t).kubeconfig, "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
			var commands atomic.Int32
			check := func(t *testing.T, args ...string) string {
				cmd := exec.CommandContext(t.Context(), stagewatch(t), args...)
				cmd.Env = env
				var errs strings.Builder
				cmd.Stderr = &errs
				out, _ := cmd.Output() // a run that will fail, or that is stuck, ends plan or wait with an error
				if len(out) == 0 && errs.Len() == 0 {
					t.Errorf("%q prints nothing", args)
				}
				for line := range strings.Lines(string(out) + errs.String()) {
					if keyOfScreen.MatchString(line) {
						t.Errorf("%q names a key: %s", args, line)
					}
					if strings.Contains(line, "(stagewatch ") {
						commands.Add(1)
					}
				}
				return string(out)
			}
			t.Cleanup(func() {
				if commands.Load() == 0 {
					t.Error("no next step names a command")
				}
			})
			check(t, "-o", "wide")
			check(t, "-o", "markdown")
			var list struct {
				Runs []struct{ Kind, Namespace, Name, State string }
			}
			if err := json.Unmarshal([]byte(check(t, "-o", "json")), &list); err != nil || len(list.Runs) == 0 {
				t.Fatalf("list of %d runs: %v", len(list.Runs), err)
			}
			seen := map[string]bool{}
			for _, r := range list.Runs {
				// The list in JSON has the steps of every run: the other commands read one of each state.
				if r.State == "no-run" || seen[r.State+r.Kind] {
					continue
				}
				seen[r.State+r.Kind] = true
				run := "csur/" + r.Name
				if r.Namespace != "" {
					run = "sur/" + r.Namespace + "/" + r.Name
				}
				t.Run(run, func(t *testing.T) {
					t.Parallel()
					check(t, "explain", run)
					check(t, "explain", run, "-o", "json")
					check(t, "plan", run)
					check(t, "wait", run, "--timeout", "1s")
				})
			}
		})
	}
}
