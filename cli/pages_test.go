//go:build linux || darwin

package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// without is the environment of a command on a demo, without the files of earlier sessions.
func without(t *testing.T, d *served) []string {
	return append(os.Environ(), "KUBECONFIG="+d.kubeconfig, "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
}

// outcome runs a command, and returns its exit code and what it prints.
func outcome(t *testing.T, env []string, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), stagewatch(t), args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, &stdout, &stderr
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// TestPageCommands prints every page of a run in every form, and checks that it is about
// that run.
func TestPageCommands(t *testing.T) {
	t.Parallel()
	d := tour(t)
	newWitness(t, d.kubeconfig).eventually("/clusterstagedupdateruns/search-r12", "a finished stage", func(o *object) bool { return o.finished(0) })
	env := without(t, d)
	for _, tt := range []struct {
		args string
		code int
		want string // on stdout; on stderr if code is not 0
	}{
		{"approvals", 0, "next one of each run"},
		{"approvals csur/search-r12", 0, "search-r12"},
		{"owners csur/search-r12", 0, "OWNERS"},
		{"timeline csur/search-r12", 0, "run created"},
		{"events csur/search-r12", 0, "See the timeline (stagewatch timeline)"},
		{"diff csur/search-r12", 0, "to 12 of search"},
		{"timeline csur/search-r12 -o markdown", 0, "run created"},
		{"logs csur/search-r12", 0, "UpdateRun reconciliation"},
		{"logs csur/search-r12 weu-canary-1", 0, `msg="GET /healthz"`},
		{"logs csur/search-r12 weu-canary-1 --member-context eus-prod-1", 1, "context eus-prod-1 is of member eus-prod-1, not of weu-canary-1"},
		{"logs csur/search-r12 weu-canary-1 no-such-pod", 1, "no-such-pod"},
		{"logs csur/search-r12 weu-canary-1 --previous", 2, "--container and --previous need a POD"},
		{"logs csur/search-r12 weu-canary-1 no-such-pod -f", 1, "no-such-pod"},
		{"logs csur/search-r12 -f -o json", 2, "--follow, --tail and --since print lines: -o json is not possible"},
		{"logs csur/search-r12 --tail -2", 2, "--tail must be -1 or more"},
		{"logs csur/search-r12 --since 0s", 2, "--since must be positive"},
		{"logs", 2, "accepts 1 to 3 arguments, got 0"},
		{"member csur/search-r12 weu-canary-1", 0, "DEPLOYMENT search/search"},
		{"member csur/search-r12 weu-canary-1 --member-context eus-prod-1", 1, "context eus-prod-1 is of member eus-prod-1, not of weu-canary-1"},
		{"member csur/search-r12 weu-canary-1 --member-context stagewatch-demo", 1, "context stagewatch-demo is not of member weu-canary-1: it is the hub itself"},
		{"member csur/search-r12 weu-canary-1 --member-context no-such-context", 1, "member weu-canary-1 was not read: "},
		{"member csur/search-r12 no-such-member", 6, "has no cluster \"no-such-member\""},
		{"owners", 2, "usage: stagewatch owners [flags] RUN"},
		{"events csur/search-r12 -o wide", 2, `invalid --output "wide"`},
		{"diff csur/no-such-run", 6, "not found"},
		{"timeline csur/search-r12 --context stagewatch-demo-tenant", 7, `User "tenant" cannot `},
	} {
		t.Run(tt.args, func(t *testing.T) {
			t.Parallel()
			code, out, errs := outcome(t, env, strings.Fields(tt.args)...)
			said := out
			if tt.code != 0 {
				said = errs
			}
			if code != tt.code || !strings.Contains(said, tt.want) {
				t.Errorf("exit code %d, want %d, with %q\n%s%s", code, tt.code, tt.want, out, errs)
			}
			if tt.code != 0 || strings.Contains(tt.args, " -o ") {
				return
			}
			if keyOfScreen.MatchString(out) {
				t.Errorf("names a key:\n%s", out)
			}
			var page struct {
				Context  string
				Sections []struct {
					Rows []struct{ Run *struct{ Name string } }
				}
			}
			code, out, errs = outcome(t, env, append(strings.Fields(tt.args), "-o", "json")...)
			if code != 0 || json.Unmarshal([]byte(out), &page) != nil || page.Context == "" || len(page.Sections) == 0 {
				t.Errorf("exit code %d, JSON:\n%s%s", code, out, errs)
			}
			for _, s := range page.Sections {
				for _, r := range s.Rows {
					if strings.HasPrefix(tt.args, "approvals csur/") && r.Run != nil && r.Run.Name != "search-r12" {
						t.Errorf("the approvals of one run have a row of %s", r.Run.Name)
					}
				}
			}
		})
	}
}
