//go:build linux || darwin

package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestCompletion completes what commands take from the hub of the tour.
func TestCompletion(t *testing.T) {
	t.Parallel()
	d := tour(t)
	newWitness(t, d.kubeconfig).eventually("/clusterstagedupdateruns/search-r12", "a finished stage", func(o *object) bool { return o.finished(0) })
	env := without(t, d)
	for _, tt := range []struct {
		args string // an empty word is written _
		want string // a line
		not  string // in no line
	}{
		{args: "approve search", want: "search-r12"},
		{args: "approve team-payments/", want: "team-payments/payouts-r21", not: "search-r12"},
		{args: "-n team-payments stop p", want: "payouts-r21", not: "payments-api"},
		{args: "approve search-r12 _", want: ":4", not: "canary"}, // done
		{args: "approve search-r12 canary _", want: ":4"},
		{args: "get search-r12 csur/search", want: "csur/search-r12"},
		{args: "wait search-r12 --until st", want: "stage="},
		{args: "wait search-r12 --until stage=", want: "stage=prod", not: "canary"},
		{args: "wait search-r12 --until _", want: "approval"},
		{args: "wait search-r12 --for _", want: "delete"},
		{args: "wait search-r12 --for condition=S", want: "condition=Succeeded", not: "Initialized"},
		{args: "wait search-r12 --for state=st", want: "state=stuck", not: "done"},
		{args: "plan --placement sea", want: "search", not: "billing"},
		{args: "plan --strategy _", want: "two-rings"},
		{args: "plan -n team-payments --placement _", want: "payouts", not: "search"},
		{args: "plan --placement search --snapshot 1", want: "12"},
		{args: "clone search-r12 --snapshot _", want: "11", not: "jsonpath"},
		{args: "clone search-r12 --snapshot n", want: "newest"},
		{args: "clone team-payments/payouts-r21 --strategy _", want: "one-by-one", not: "two-rings"},
		{args: "logs search-r12 weu-can", want: "weu-canary-1\tdone", not: "weu-prod"},
		{args: "logs search-r12 weu-canary-1 sea", want: "search-1qmllsm-2zhlk\tRunning"},
		{args: "logs search-r12 weu-canary-1 search-1qmllsm-2zhlk -c _", want: "search\tRunning"},
		{args: "member search-r12 weu-canary-1 --member-context weu-can", want: "weu-canary-1", not: "weu-prod"},
		{args: "get -n team-p", want: "team-payments", not: "search"},
		{args: "get --context stagewatch-demo,stagewatch-demo-v", want: "stagewatch-demo,stagewatch-demo-viewer", not: "-admin"},
		{args: "contexts weu-can", want: "weu-canary-1"},
		{args: "stop x --yes --confirm-context stagewatch-demo-v", want: "stagewatch-demo-viewer"},
		{args: "get -o jsonp", want: ":6"}, // no space follows
		{args: "version -o y", want: "yaml", not: "wide"},
		{args: "approve --context stagewatch-demo-stranger _", want: ":4", not: "search"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			words := append([]string{"__complete"}, strings.Fields(tt.args)...)
			if words[1] != "contexts" && words[1] != "version" { // these read no hub
				words = slices.Insert(words, 1, "--request-timeout=1m")
			}
			if last := len(words) - 1; words[last] == "_" {
				words[last] = ""
			}
			code, out, errs := outcome(t, env, words...)
			found := false
			for line := range strings.Lines(out) {
				line = strings.TrimSuffix(line, "\n")
				found = found || line == tt.want || strings.HasPrefix(line, tt.want+"\t")
				if tt.not != "" && strings.Contains(line, tt.not) {
					t.Errorf("offers %q", line)
				}
			}
			if code != 0 || !found || strings.Contains(errs, "error") {
				t.Errorf("exit code %d, no %q in\n%s%s", code, tt.want, out, errs)
			}
		})
	}
}

// TestCompletionOfApprove offers the stage whose approval is open or not accepted, and no other.
func TestCompletionOfApprove(t *testing.T) {
	t.Parallel()
	d := incidents(t)
	w := newWitness(t, d.kubeconfig)
	for _, tt := range []struct{ run, want string }{
		{"approval-after-stage-r2", "canary\tapproval after the stage"},
		{"csur/approval-before-stage-r2", "prod\tapproval before the stage"},
		{"csur/approval-not-accepted-r2", "prod\tapproval before the stage"},
		{"csur/timed-wait-r2", ""},
	} {
		w.eventually("/clusterstagedupdateruns/"+strings.TrimPrefix(tt.run, "csur/"), "a run that waits", func(o *object) bool {
			c := o.condition("Progressing")
			return c != nil && c.Reason == "UpdateRunWaiting"
		})
		code, out, errs := outcome(t, without(t, d), "__complete", "--request-timeout=1m", "approve", tt.run, "")
		want := ":4\n"
		if tt.want != "" {
			want = tt.want + "\n" + want
		}
		if code != 0 || out != want || strings.Contains(errs, "error") {
			t.Errorf("%s: exit code %d, %q, want %q\n%s", tt.run, code, out, want, errs)
		}
	}
}

// TestCompletionStartsNoLogin offers nothing, and reports nothing, where the login may ask a
// person or the hub does not answer.
func TestCompletionStartsNoLogin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	asked := filepath.Join(dir, "asked")
	plugin := filepath.Join(dir, "kubelogin")
	config := fmt.Sprintf(`apiVersion: v1
kind: Config
clusters:
- {name: silent, cluster: {insecure-skip-tls-verify: true, server: "https://%s"}}
users:
- {name: asks, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: %s, interactiveMode: IfAvailable}}}
- {name: token, user: {token: secret}}
contexts:
- {name: asking, context: {cluster: silent, user: asks}}
- {name: silent, context: {cluster: silent, user: token}}
`, silentServer(t), plugin)
	for path, text := range map[string]string{filepath.Join(dir, "config"): config, plugin: "#!/bin/sh\ntouch " + asked + "\nexit 1\n"} {
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	env := append(os.Environ(), "KUBECONFIG="+filepath.Join(dir, "config"), "XDG_STATE_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	for _, context := range []string{"asking", "silent"} {
		for _, args := range [][]string{{"approve", ""}, {"get", "-n", ""}, {"plan", "--strategy", ""}, {"logs", "web-r5", ""}, {"logs", "web-r5", "eu-1", ""}, {"logs", "web-r5", "eu-1", "web-0", "-c", ""}} {
			began := time.Now()
			code, out, errs := outcome(t, env, append([]string{"__complete", "--context", context}, args...)...)
			if code != 0 || out != ":4\n" || strings.TrimSpace(errs) != "Completion ended with directive: ShellCompDirectiveNoFileComp" {
				t.Errorf("%s %q: exit code %d\n%s%s", context, args, code, out, errs)
			}
			if took := time.Since(began); took > patience/2 {
				t.Errorf("%s %q took %s", context, args, took)
			}
		}
	}
	if _, err := os.Stat(asked); err == nil {
		t.Error("a login program was started")
	}
}

// TestCompletionOfSeveralHubs offers what the run in the arguments has on its hub, whichever of
// the hubs that is, although another does not answer and the login of a third may ask a person.
func TestCompletionOfSeveralHubs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	attended := filepath.Join(dir, "attended")
	if err := os.WriteFile(attended, []byte(`apiVersion: v1
kind: Config
clusters:
- {name: asking, cluster: {server: "https://127.0.0.1:1"}}
users:
- {name: asks, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: nosuch, interactiveMode: IfAvailable}}}
contexts:
- {name: hub-asking, context: {cluster: asking, user: asks}}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	newWitness(t, tour(t).kubeconfig).eventually("/clusterstagedupdateruns/search-r12", "a finished stage", func(o *object) bool { return o.finished(0) })
	env := append(os.Environ(), "KUBECONFIG="+twoHubs(t)+":"+attended, "XDG_STATE_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	for _, tt := range []struct {
		args, want string
		lines      int // 0 for any number
	}{
		{args: "approve search-r1", want: "search-r12"},
		{args: "wait search-r12 --until stage=pr", want: "stage=prod", lines: 1},
		{args: "logs search-r12 weu-canary-1", want: "weu-canary-1", lines: 1},
		{args: "clone search-r12 --snapshot n", want: "newest", lines: 1},
		{args: "clone search-r12 --snapshot 11", want: "11", lines: 1},
		{args: "clone team-payments/payouts-r21 --strategy one", want: "one-by-one", lines: 1},
		{args: "get -n team-pay", want: "team-payments", lines: 1},
	} {
		t.Run(tt.args, func(t *testing.T) {
			t.Parallel()
			words := strings.Fields(tt.args)
			words = append([]string{"__complete", words[0], "--request-timeout=1m", "--context", "hub-asking,hub-dead,hub-incidents,hub-tour"}, words[1:]...)
			if last := len(words) - 1; words[last] == "_" {
				words[last] = ""
			}
			code, out, errs := outcome(t, env, words...)
			lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
			offered := lines[:len(lines)-1]
			found := slices.ContainsFunc(offered, func(l string) bool { return l == tt.want || strings.HasPrefix(l, tt.want+"\t") })
			if code != 0 || !found || tt.lines > 0 && len(offered) != tt.lines || strings.Contains(errs, "error") {
				t.Errorf("exit code %d, want %q in\n%s%s", code, tt.want, out, errs)
			}
		})
	}
}
