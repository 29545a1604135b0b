package complete

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/stagewatch/stagewatch/cli/internal/job"
	"github.com/stagewatch/stagewatch/cli/internal/tty"
)

// TestAHubThatHangs checks how long a person waits for hubs of which one does not answer.
func TestAHubThatHangs(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	config := filepath.Join(t.TempDir(), "config")
	var contexts strings.Builder
	for _, name := range []string{"fast", "slow", "late", "hangs"} {
		fmt.Fprintf(&contexts, "- name: %s\n  context: {cluster: c, user: u}\n", name)
	}
	if err := os.WriteFile(config, []byte(`apiVersion: v1
kind: Config
clusters:
- name: c
  cluster: {server: "http://127.0.0.1:1"}
users:
- name: u
  user: {token: t}
contexts:
`+contexts.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		contexts, timeout string
		want              []string
		after             time.Duration
	}{
		{"fast", "", []string{"fast"}, 100 * time.Millisecond},
		{"hangs", "", nil, within},
		{"fast,hangs", "", []string{"fast"}, 100*time.Millisecond + more},
		{"fast,slow,hangs", "", []string{"fast", "slow"}, 100*time.Millisecond + more},
		{"slow,hangs", "", []string{"slow"}, 400*time.Millisecond + more},
		{"fast,late", "", []string{"fast"}, 100*time.Millisecond + more},
		{"fast,late", "0", []string{"fast"}, 100*time.Millisecond + more},
		{"fast,late", "1m", []string{"fast", "late"}, 3 * time.Second},
		{"fast,hangs", "10s", []string{"fast"}, 10 * time.Second},
	} {
		t.Run(tt.contexts+tt.timeout, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				complete := readEach(&job.Options{Kubeconfig: config, Color: tty.ColorAuto, StuckAfter: job.StuckAfterDefault, Overrides: clientcmd.ConfigOverrides{CurrentContext: tt.contexts, Timeout: tt.timeout}}, func(ctx context.Context, j *job.Job, _ []string, _ string) ([]string, error) {
					takes := map[string]time.Duration{"fast": 100 * time.Millisecond, "slow": 400 * time.Millisecond, "late": 3 * time.Second, "hangs": time.Hour}[j.Conn.Context]
					select {
					case <-time.After(takes):
						return []string{j.Conn.Context}, nil
					case <-ctx.Done():
						return nil, ctx.Err()
					}
				})
				cmd := &cobra.Command{}
				cmd.SetContext(t.Context())
				began := time.Now()
				got, _ := complete(cmd, nil, "")
				slices.Sort(got)
				if took := time.Since(began); !slices.Equal(got, tt.want) || took != tt.after {
					t.Errorf("%q after %v, want %q after %v", got, took, tt.want, tt.after)
				}
			})
		})
	}
}
