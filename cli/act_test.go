//go:build linux || darwin

package cli_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestActsWithoutAScreen does with commands what keys do, against the demo in
// another process.
func TestActsWithoutAScreen(t *testing.T) {
	t.Parallel()
	d := tour(t)
	newWitness(t, d.kubeconfig).eventually("/clusterstagedupdateruns/search-r12", "an initialized run", func(o *object) bool { return o.condition("Initialized") != nil })
	home := t.TempDir()
	protectedHome := filepath.Join(home, "protected")
	if err := os.MkdirAll(filepath.Join(protectedHome, "stagewatch"), 0o700); err != nil {
		t.Fatal(err)
	}
	conf := "contexts:\n  \"*viewer\": {readOnly: true}\n  \"*demo\": {protected: true}\n  stagewatch-demo: {alias: prod}\n"
	if err := os.WriteFile(filepath.Join(protectedHome, "stagewatch", "config.yaml"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	act := func(t *testing.T, code int, config string, args ...string) (out, errs string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, stagewatch(t), args...)
		cmd.Env = append(os.Environ(), "KUBECONFIG="+d.kubeconfig, "XDG_STATE_HOME="+home, "XDG_CONFIG_HOME="+config)
		var o, e strings.Builder
		cmd.Stdout, cmd.Stderr = &o, &e
		if err := cmd.Run(); cmd.ProcessState == nil {
			t.Fatal(err)
		}
		if got := cmd.ProcessState.ExitCode(); got != code {
			t.Errorf("%v: exit code %d, want %d; stderr %s", args, got, code, e.String())
		}
		return o.String(), e.String()
	}
	tests := []struct {
		name   string
		config string
		args   []string
		code   int
		says   string
	}{
		{"a name that no hub takes", home, []string{"clone", "search-r12", "--name", "Web_1", "--yes"}, 2, "invalid name"},
		{"a name that is too long", home, []string{"clone", "search-r12", "--name", strings.Repeat("a", 64), "--yes"}, 2, "64 characters"},
		{"an index that is none", home, []string{"clone", "search-r12", "--snapshot", "newst", "--yes"}, 2, "invalid snapshot index"},
		{"a state that is none", home, []string{"clone", "search-r12", "--state", "Stop", "--yes"}, 2, "use Initialize or Run"},
		{"a strategy that is not there", home, []string{"clone", "search-r12", "--strategy", "nosuch", "--yes"}, 6, "strategy nosuch not found"},
		{"a placement that is not there", home, []string{"clone", "search-r12", "--placement", "nosuch", "--yes"}, 6, "placement nosuch not found"},
		{"a snapshot that is not there", home, []string{"clone", "search-r12", "--snapshot", "999", "--yes"}, 6, "snapshot 999 not found"},
		{"no snapshot yet", home, []string{"clone", "billing-r1", "--snapshot", "same", "--yes"}, 6, "snapshot 1 not found"},
		{"a stage that is not there", home, []string{"approve", "search-r12", "nosuch", "--yes"}, 6, "stages: canary and prod"},
		{"a run of a namespace by its name alone", home, []string{"stop", "storefront-r89", "--yes"}, 6, `cluster run "storefront-r89" not found, and a namespaced run needs its namespace` + "\nhint: to write to the run in namespace team-web, name it as team-web/storefront-r89"},
		{"a run of a namespace where cluster runs may not be listed", home, []string{"stop", "ledger-r55", "--yes", "--context", "stagewatch-demo-tenant"}, 7, `cluster runs cannot be read: "ledger-r55" may be a cluster run too`},
		{"a cluster's run with a namespace", home, []string{"stop", "search-r12", "-n", "team-web", "--yes"}, 6, "run \"search-r12\" not found in namespace \"team-web\""},
		{"a context that is not there", home, []string{"stop", "search-r12", "--yes", "--context", "nosuch"}, 6, "no context"},
		{"a hub that is not there", home, []string{"stop", "search-r12", "--yes", "--server", deadAddress(t)}, 8, "unreachable"},
		{"a token that is wrong", home, []string{"stop", "search-r12", "--yes", "--user", "nosuch"}, 2, "does not exist"},
		{"started already", home, []string{"run", "search-r12", "--yes"}, 1, "its state is already Run"},
		{"not started", home, []string{"stop", "cluster-dns-r4", "--yes"}, 1, "it is not started"},
		{"a run that is not there", home, []string{"stop", "nosuch", "--yes"}, 6, "run \"nosuch\" not found"},
		{"too few arguments", home, []string{"approve", "search-r12"}, 2, "accepts 2 arguments, got 1\nusage: stagewatch approve RUN STAGE"},
		{"before and after", home, []string{"approve", "search-r12", "prod", "--before", "--after"}, 2, "cannot be used together"},
		{"not permitted", home, []string{"stop", "search-r12", "--yes", "--context", "stagewatch-demo-approver"}, 7, "may not patch clusterstagedupdateruns on this hub"},
		{"may see nothing", home, []string{"stop", "search-r12", "--yes", "--context", "stagewatch-demo-stranger"}, 7, "stranger"},
		{"nobody to ask", home, []string{"clone", "search-r12", "--name", "asked"}, 2, "stdin is not a terminal"},
		{"a dry run", home, []string{"clone", "search-r12", "--name", "dry", "--dry-run"}, 0, "server dry run passed"},
		{"a name that is taken", home, []string{"clone", "search-r12", "--name", "search-r12", "--yes"}, 1, "already"},
		{"read-only by configuration", protectedHome, []string{"clone", "search-r12", "--yes", "--context", "stagewatch-demo-viewer"}, 1, "read-only"},
		{"protected", protectedHome, []string{"clone", "search-r12", "--name", "protected", "--yes"}, 2, "requires --confirm-context"},
		{"protected, another context", protectedHome, []string{"clone", "search-r12", "--name", "protected", "--yes", "--confirm-context", "hub-dev"}, 2, "--confirm-context is hub-dev, but the context is stagewatch-demo"},
		{"another context confirmed where none needs it", home, []string{"stop", "search-r12", "--yes", "--confirm-context", "hub-dev"}, 2, "--confirm-context is hub-dev"},
		{"read-only by flag", home, []string{"stop", "search-r12", "--yes", "--read-only"}, 1, "--read-only is set"},
		{"read-only by a flag before the command", home, []string{"--read-only", "stop", "search-r12", "--dry-run"}, 1, "--read-only is set"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, errs := act(t, tt.code, tt.config, tt.args...)
			if !strings.Contains(errs, tt.says) || out != "" {
				t.Errorf("says %q and %q, want %q", out, errs, tt.says)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(home, "stagewatch", "audit.jsonl")); err == nil {
		t.Error("something was recorded although nothing was confirmed")
	}
	t.Run("protected, and its context confirmed", func(t *testing.T) {
		for _, name := range []string{"stagewatch-demo", "prod"} { // its alias
			_, errs := act(t, 0, protectedHome, "clone", "search-r12", "--name", "dry", "--dry-run", "--confirm-context", name)
			if !strings.Contains(errs, "stagewatch-demo (protected)") {
				t.Errorf("%s: says %q", name, errs)
			}
		}
	})
}

// TestFixAndRetryWithoutAScreen does the way of the guides with commands, in
// both scopes, and asks the hub after each step what it holds.
func TestFixAndRetryWithoutAScreen(t *testing.T) {
	t.Parallel()
	d := incidents(t)
	for _, sc := range []struct {
		name, ns, source, runs, approvals string
	}{
		{"cluster", "csur/", "csur/index-invalid-r2", "/clusterstagedupdateruns/", "/clusterapprovalrequests/"},
		{"namespace", "team-payments/", "team-payments/index-missing-r2", "/namespaces/team-payments/stagedupdateruns/", "/namespaces/team-payments/approvalrequests/"},
	} {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			w, home := newWitness(t, d.kubeconfig), t.TempDir()
			// Forty runs begin at once there: let the controller get through.
			w.within(3*patience, sc.runs+"preempted-r2", "a preempted run", func(o *object) bool { return o.condition("Succeeded") != nil })
			act := func(code int, says string, args ...string) {
				t.Helper()
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				cmd := exec.CommandContext(ctx, stagewatch(t), args...)
				cmd.Env = append(os.Environ(), "KUBECONFIG="+d.kubeconfig, "XDG_STATE_HOME="+home, "XDG_CONFIG_HOME="+home)
				all, err := cmd.CombinedOutput()
				if cmd.ProcessState == nil {
					t.Fatal(err)
				}
				if got := cmd.ProcessState.ExitCode(); got != code || !strings.Contains(string(all), says) {
					t.Fatalf("%v: exit code %d, want %d and %q:\n%s", args, got, code, says, all)
				}
			}
			old, run := sc.ns+"again", sc.ns+"retry"
			act(0, "again is created", "clone", sc.source, "--name", "again", "--strategy", "approve-prod", "--yes", "--note", "CHG-7")
			o := w.eventually(sc.runs+"again", "an initialized clone", func(o *object) bool { return o.condition("Initialized") != nil })
			if o.Spec.State != "Initialize" || o.Spec.Strategy != "approve-prod" || o.Spec.Index != "" || o.condition("Initialized").Status != "True" {
				t.Fatalf("the clone is %+v", o)
			}
			act(1, "run again already exists", "clone", old, "--name", "again", "--yes")
			act(0, "A deletion cannot be undone.", "clone", old, "--name", "retry", "--snapshot", "1", "--delete-old", "--dry-run")
			act(0, "again is requested", "clone", old, "--name", "retry", "--snapshot", "1", "--delete-old", "--yes")
			if o := w.eventually(sc.runs+"retry", "a clone of snapshot 1", func(*object) bool { return true }); o.Spec.Index != "1" || o.Spec.Strategy != "approve-prod" {
				t.Fatalf("the clone is %+v", o)
			}
			w.gone(sc.runs + "again")
			w.eventually(sc.runs+"retry", "an initialized clone", func(o *object) bool { return o.condition("Initialized") != nil })

			act(1, "it is not started", "stop", run, "--yes")
			act(0, "state is Run now", "run", run, "--yes")
			w.eventually(sc.approvals+"retry-before-prod", "a request", func(*object) bool { return true })
			act(1, "it waits for the approval before stage prod", "approve", run, "prod", "--after", "--yes")
			act(1, "cannot approve stage canary", "approve", run, "canary", "--yes")
			act(7, "viewer may not update", "approve", run, "prod", "--yes", "--context", "stagewatch-demo-viewer")

			act(0, "state is Stop now", "stop", run, "--yes")
			if o := w.eventually(sc.runs+"retry", "a stopped run", func(o *object) bool {
				c := o.condition("Progressing")
				return c != nil && c.Reason == "UpdateRunStopped"
			}); o.Spec.State != "Stop" {
				t.Errorf("the state is %s", o.Spec.State)
			}
			act(1, "already stopped", "stop", run, "--yes")
			act(0, "state is Run now", "run", run, "--yes")
			act(0, "is accepted by the controller", "approve", run, "prod", "--yes", "--note", "looked at it")
			o = w.eventually(sc.approvals+"retry-before-prod", "the acceptance", func(o *object) bool { return o.condition("ApprovalAccepted") != nil })
			if a := o.condition("Approved"); a == nil || a.ObservedGeneration != o.Metadata.Generation || !strings.Contains(a.Message, "admin") || !strings.Contains(a.Message, "looked at it") {
				t.Errorf("the approval is %+v", a)
			}
			w.eventually(sc.runs+"retry", "its end", func(o *object) bool {
				c := o.condition("Succeeded")
				return c != nil && c.Status == "True"
			})
			act(1, "the run is done", "stop", run, "--yes")
			act(0, "retry is requested", "delete", run, "--yes")
			w.gone(sc.runs + "retry")
			act(6, "not found", "delete", run, "--yes")

			raw, err := os.ReadFile(filepath.Join(home, "stagewatch", "audit.jsonl"))
			if err != nil || strings.Count(string(raw), `"result":"applied"`) != 8 || strings.Count(string(raw), "\n") != 16 || !strings.Contains(string(raw), "CHG-7") {
				t.Errorf("audit: %v\n%s", err, raw)
			}
			if w.token == "" || strings.Contains(string(raw), w.token) {
				t.Error("the token is in the audit")
			}
		})
	}
}
