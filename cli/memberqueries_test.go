//go:build linux || darwin

package cli_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMemberQueriesOfExplain explains and clones a crash loop with and without
// automatic member queries, by flag and by configuration.
func TestMemberQueriesOfExplain(t *testing.T) {
	t.Parallel()
	d := incidents(t)
	w := newWitness(t, d.kubeconfig)
	w.within(3*patience, "/clusterstagedupdateruns/crash-loop-r2", "a stuck run", func(o *object) bool {
		c := o.condition("Progressing")
		return c != nil && c.Reason == "UpdateRunStuck"
	})
	off := t.TempDir()
	if err := os.MkdirAll(filepath.Join(off, "stagewatch"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(off, "stagewatch", "config.yaml"), []byte("memberQueries: \"off\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	type diagnosis struct {
		Cause       string
		MemberQuery *struct {
			Member, Context, Verification, Summary, At string
			Verified                                   bool
		}
	}
	for _, tt := range []struct {
		name, config string
		args         []string
		reads        bool
	}{
		{"by default", t.TempDir(), nil, true},
		{"off by flag", t.TempDir(), []string{"--member-queries=off"}, false},
		{"off by configuration", off, nil, false},
		{"the flag outweighs the configuration", off, []string{"--member-queries=auto"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			cmd := exec.CommandContext(ctx, stagewatch(t), append([]string{"explain", "csur/crash-loop-r2", "-o", "json"}, tt.args...)...)
			cmd.Env = append(os.Environ(), "KUBECONFIG="+d.kubeconfig, "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+tt.config)
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				Run      diagnosis
				Clusters []diagnosis
				Missing  []struct{ Resource, Reason string }
			}
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatal(err)
			}
			cause := "workload-not-ready"
			if tt.reads {
				cause = "pod-crash-loop"
			}
			if got.Run.Cause != cause || len(got.Clusters) == 0 || got.Clusters[0].Cause != cause {
				t.Fatalf("cause %s, want %s: %s", got.Run.Cause, cause, out)
			}
			for _, of := range []diagnosis{got.Run, got.Clusters[0]} {
				r := of.MemberQuery
				if !tt.reads {
					if r != nil {
						t.Errorf("reads the member: %+v", r)
					}
					continue
				}
				if r == nil || r.Member != r.Context || !r.Verified || r.Verification == "" || !strings.Contains(r.Summary, "CrashLoopBackOff") || r.At == "" {
					t.Errorf("memberQuery %+v", r)
				}
			}
			// The dialog of a clone names the cause, read in the same way.
			cmd = exec.CommandContext(ctx, stagewatch(t), append([]string{"clone", "csur/crash-loop-r2", "--snapshot=same", "--dry-run"}, tt.args...)...)
			cmd.Env = append(os.Environ(), "KUBECONFIG="+d.kubeconfig, "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+tt.config)
			if says, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(says), "CrashLoopBackOff") != tt.reads {
				t.Errorf("clone: %v\n%s", err, says)
			}
			if why, _ := json.Marshal(got.Missing); strings.Contains(string(why), "automatic member queries are off") == tt.reads {
				t.Errorf("missing: %s", why)
			}
		})
	}
}
