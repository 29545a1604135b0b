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
	w := newWitness(t, d.kubeconfig)
	home := t.TempDir()
	protectedHome := filepath.Join(home, "protected")
	if err := os.MkdirAll(filepath.Join(protectedHome, "stagewatch"), 0o700); err != nil {
		t.Fatal(err)
	}
	conf := "contexts:\n  \"*viewer\": {readOnly: true}\n  \"*demo\": {protected: true}\n"
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
		{"a run that is not there", home, []string{"stop", "nosuch", "--yes"}, 6, "there is no run nosuch"},
		{"too few arguments", home, []string{"approve", "search-r12"}, 2, "it is approve RUN STAGE, and got 1 argument"},
		{"before and after", home, []string{"approve", "search-r12", "prod", "--before", "--after"}, 2, "exclude each other"},
		{"not permitted", home, []string{"stop", "search-r12", "--yes", "--context", "stagewatch-demo-approver"}, 7, "approver may not patch clusterstagedupdateruns"},
		{"may see nothing", home, []string{"stop", "search-r12", "--yes", "--context", "stagewatch-demo-stranger"}, 7, "stranger"},
		{"nobody to ask", home, []string{"clone", "search-r12", "--name", "asked"}, 2, "stdin is no terminal"},
		{"a dry run", home, []string{"clone", "search-r12", "--name", "dry", "--dry-run"}, 0, "the hub would take it"},
		{"a name that is taken", home, []string{"clone", "search-r12", "--name", "search-r12", "--yes"}, 1, "already"},
		{"read-only by configuration", protectedHome, []string{"clone", "search-r12", "--yes", "--context", "stagewatch-demo-viewer"}, 1, "read-only"},
		{"protected", protectedHome, []string{"clone", "search-r12", "--name", "protected", "--yes"}, 2, "--yes is not enough"},
		{"protected, another context", protectedHome, []string{"clone", "search-r12", "--name", "protected", "--yes", "--confirm-context", "hub-dev"}, 2, "--yes is not enough"},
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
	t.Run("clone, and delete the clone", func(t *testing.T) {
		out, _ := act(t, 0, home, "clone", "search-r12", "--name", "fixed", "--yes", "--note", "CHG-7")
		if !strings.Contains(out, "fixed is created") {
			t.Errorf("says %q", out)
		}
		o := w.eventually("/clusterstagedupdateruns/fixed", "the clone", func(o *object) bool { return o.condition("Initialized") != nil })
		if o.Spec.State != "Initialize" {
			t.Errorf("state %q", o.Spec.State)
		}
		out, _ = act(t, 0, protectedHome, "delete", "fixed", "--yes", "--confirm-context", "stagewatch-demo")
		if !strings.Contains(out, "fixed is deleted") {
			t.Errorf("says %q", out)
		}
		raw, err := os.ReadFile(filepath.Join(home, "stagewatch", "audit.jsonl"))
		if err != nil || strings.Count(string(raw), "\n") != 4 || strings.Count(string(raw), `"result":"applied"`) != 2 || !strings.Contains(string(raw), "CHG-7") {
			t.Errorf("audit: %v\n%s", err, raw)
		}
		if w.token == "" || strings.Contains(string(raw), w.token) {
			t.Error("the token is in the audit")
		}
	})
}
