package act

import (
	"fmt"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/shell"
)

// stateCommand returns the kubectl command that writes spec.state.
func stateCommand(s *engine.Snapshot, run engine.ID, state string) engine.Text {
	return kubectl(s, run, "patch", run.Kind().Plural(), run.RawName(),
		"--type=merge", "-p", `{"spec":{"state":"`+state+`"}}`)
}

// approvalReason is the reason of the kubectl twin; it matches the pattern of
// the API (docs/kubefleet.md#approval).
const approvalReason = "approved"

// approveCommand returns the kubectl command that approves. A merge patch replaces
// the whole list of conditions, so it serves only where Approved is the only
// one; otherwise a JSON patch adds or replaces exactly that one
// (docs/kubefleet.md#approval).
func approveCommand(s *engine.Snapshot, g *engine.GateView, now time.Time) engine.Text {
	cond := map[string]any{
		"type": placement.ApprovalApproved, "status": "True", "reason": approvalReason, "message": approvalReason,
		"lastTransitionTime": now.UTC().Format(time.RFC3339),
		"observedGeneration": g.Generation,
	}
	seen := g.Seen
	if g.Mergeable() {
		return kubectl(s, g.Request, "patch", g.Request.Kind().Plural(), g.Request.RawName(),
			"--subresource=status", "--type=merge", "-p", shell.CompactJSON(map[string]any{"status": map[string]any{"conditions": []any{cond}}}))
	}
	patch := []any{map[string]any{"op": "add", "path": "/status/conditions/-", "value": cond}}
	if seen.Approved >= 0 {
		at := fmt.Sprintf("/status/conditions/%d", seen.Approved)
		patch = []any{
			map[string]any{"op": "test", "path": at + "/type", "value": placement.ApprovalApproved},
			map[string]any{"op": "replace", "path": at, "value": cond},
		}
	}
	return kubectl(s, g.Request, "patch", g.Request.Kind().Plural(), g.Request.RawName(),
		"--subresource=status", "--type=json", "-p", shell.CompactJSON(patch))
}

// kubectl returns a command line about what is shown.
func kubectl(s *engine.Snapshot, id engine.ID, args ...string) engine.Text {
	return shell.Kubectl(s.Hub, id.RawNamespace(), args...)
}
