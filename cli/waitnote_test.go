//go:build linux || darwin

package cli_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestWaitNotesOnlyWhatIsStillMissing: the pods that decide the answer are read at the end of
// a wait. A note that they are missing stands only where they are.
func TestWaitNotesOnlyWhatIsStillMissing(t *testing.T) {
	t.Parallel()
	d := tour(t)
	w := newWitness(t, d.kubeconfig)
	w.within(3*patience, "/clusterstagedupdateruns/search-r12", "a stuck run", func(o *object) bool {
		c := o.condition("Progressing")
		return c != nil && c.Reason == "UpdateRunStuck"
	})
	for queries, incomplete := range map[string]bool{"auto": false, "off": true} {
		cmd := exec.CommandContext(t.Context(), stagewatch(t), "wait", "csur/search-r12", "--member-queries", queries)
		cmd.Env = append(os.Environ(), "KUBECONFIG="+d.kubeconfig, "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
		out, err := cmd.CombinedOutput()
		if err == nil {
			t.Errorf("a stuck run ends the wait without an error:\n%s", out)
		}
		if got := strings.Contains(string(out), "was read without pods on weu-prod-3"); got != incomplete {
			t.Errorf("member queries %s: noted %t, want %t:\n%s", queries, got, incomplete, out)
		}
		if got := strings.Contains(string(out), "InvalidImageName"); got == incomplete {
			t.Errorf("member queries %s: names the cause of the pods %t, want %t:\n%s", queries, got, !incomplete, out)
		}
	}
}
