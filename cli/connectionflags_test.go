//go:build linux || darwin

package cli_test

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// The command that is shown reaches the same hub as the same user, and carries
// no credential.
func TestKubectlCommandsCarryTheConnection(t *testing.T) {
	t.Parallel()
	d := tour(t)
	w := newWitness(t, d.kubeconfig)
	for _, tt := range []struct {
		name      string
		args      []string
		want, not string
	}{
		{"a file", []string{"--kubeconfig", d.kubeconfig}, "kubectl --kubeconfig " + d.kubeconfig + " --context stagewatch-demo delete ", "--as"},
		{
			"impersonation",
			[]string{"--kubeconfig", d.kubeconfig, "--as", "admin", "--as-group", "system:masters", "--as-group", "two words"},
			"--context stagewatch-demo --as admin --as-group system:masters --as-group 'two words' delete ", "--server",
		},
		{"a server and a token", []string{"--kubeconfig", d.kubeconfig, "-s", w.server, "--token", w.token}, "--server " + w.server + " delete ", w.token},
		{"a user", []string{"--kubeconfig", d.kubeconfig, "--user", "stagewatch-demo-admin"}, "--user stagewatch-demo-admin delete ", "--as"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			cmd := exec.CommandContext(t.Context(), stagewatch(t), append([]string{"delete", "search-r12", "--dry-run"}, tt.args...)...)
			cmd.Stdout, cmd.Stderr = &out, &errs
			if err := cmd.Run(); cmd.ProcessState == nil {
				t.Fatal(err)
			}
			got := out.String() + errs.String()
			if !strings.Contains(got, tt.want) || strings.Contains(got, tt.not) {
				t.Errorf("want %q and not %q, got:\n%s", tt.want, tt.not, got)
			}
		})
	}
}
