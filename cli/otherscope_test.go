//go:build linux || darwin

package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestARunOfAnotherScopeIsNamed checks that a RUN that does not exist where it was looked for is followed by a hint that
// names the runs of that name in other namespaces and in the cluster scope, once if several hubs have them, for every command
// that reads a run; and that a cluster that is no hub is not taken for one without the run.
func TestARunOfAnotherScopeIsNamed(t *testing.T) {
	t.Parallel()
	d := tour(t)
	const list = "hint: list the runs with stagewatch get\n"
	for _, c := range []struct{ args, says string }{
		{"explain csur/storefront-r89", "cluster run \"storefront-r89\" not found\nhint: did you mean team-web/storefront-r89?\n"},
		{"explain team-payments/storefront-r89", "run \"storefront-r89\" not found in namespace \"team-payments\"\nhint: did you mean team-web/storefront-r89?\n"},
		{"get -n team-payments storefront-r89", "hint: did you mean team-web/storefront-r89, without --namespace?\n"},
		{"get -n team-web search-r12", "hint: did you mean csur/search-r12?\n"},
		{"get sur/search-r12 cluster-dns-r4", "hint: did you mean search-r12?\n"},
		{"get --namespaced-only search-r12", "hint: did you mean csur/search-r12, without --namespaced-only?\n"},
		{"timeline csur/storefront-r89", "hint: did you mean team-web/storefront-r89?\n"},
		{"plan -n team-web fraud-score-r10", "hint: did you mean team-payments/fraud-score-r10, without --namespace?\n"},
		{"stop -n team-web search-r12 --yes", "hint: did you mean csur/search-r12?\n"},
		{"wait -n team-web search-r12", "hint: did you mean csur/search-r12?\n"},
		{"get -w nope cluster-dns-r4", "run \"nope\" not found, neither as a cluster run nor in any namespace\n" + list},
		{"get -w -n team-web search-r12", "hint: did you mean csur/search-r12?\n"},
		{"clone -n team-web search-r12 --yes", "hint: did you mean csur/search-r12?\n"},
		{"wait --for delete search-r12 --context weu-canary-1", "error: context weu-canary-1: this cluster has no KubeFleet hub API\nhint: switch with --context NAME; stagewatch contexts lists those of the kubeconfig\n"},
		{"wait nope --context weu-canary-1", "error: context weu-canary-1: this cluster has no KubeFleet hub API\nhint: switch with --context NAME; stagewatch contexts lists those of the kubeconfig\n"},
		{"explain csur/storefront-r89 --context stagewatch-demo,stagewatch-demo-viewer", "hint: did you mean team-web/storefront-r89?\n"},
		{"get csur/storefront-r89 nope --context stagewatch-demo,stagewatch-demo-viewer", "hint: did you mean team-web/storefront-r89?\n"},
		{"wait -n team-web search-r12 --context stagewatch-demo,stagewatch-demo-viewer", "hint: did you mean csur/search-r12?\n"},
		{"plan nope --context stagewatch-demo,stagewatch-demo-viewer", list},
		{"explain csur/nope", list},
		{"explain nope", list},
		{"plan nope", list},
	} {
		t.Run(c.args, func(t *testing.T) {
			var errs bytes.Buffer
			cmd := exec.CommandContext(t.Context(), stagewatch(t), append(strings.Fields(c.args), "--kubeconfig", d.kubeconfig)...)
			cmd.Stderr, cmd.Env = &errs, append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())
			if err := cmd.Run(); cmd.ProcessState == nil {
				t.Fatal(err)
			}
			if code := cmd.ProcessState.ExitCode(); code != 6 || !strings.HasSuffix(errs.String(), c.says) {
				t.Errorf("exit code %d, says %q, want %q", code, errs.String(), c.says)
			}
		})
	}
}
