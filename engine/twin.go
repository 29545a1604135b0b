package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// stateTwin returns the kubectl command that writes spec.state.
func stateTwin(s *Snapshot, run ID, state string) Text {
	return kubectl(s, run, "patch", run.kind.Plural(), run.name,
		"--type=merge", "-p", `{"spec":{"state":"`+state+`"}}`)
}

// approvalReason is the reason of the kubectl twin; it matches the pattern of
// the API (facts 4).
const approvalReason = "approved"

// approveTwin returns the kubectl command that approves. A merge patch replaces
// the whole list of conditions, so it serves only where Approved is the only
// one; otherwise a JSON patch adds or replaces exactly that one (facts 4).
func approveTwin(s *Snapshot, g *GateView, now time.Time) Text {
	cond := map[string]any{
		"type": placement.ApprovalApproved, "status": "True", "reason": approvalReason, "message": approvalReason,
		"lastTransitionTime": now.UTC().Format(time.RFC3339),
		"observedGeneration": g.Generation,
	}
	seen := g.request
	if seen.conditions == 0 || seen.conditions == 1 && seen.approved == 0 {
		return kubectl(s, g.Request, "patch", g.Request.kind.Plural(), g.Request.name,
			"--subresource=status", "--type=merge", "-p", compact(map[string]any{"status": map[string]any{"conditions": []any{cond}}}))
	}
	patch := []any{map[string]any{"op": "add", "path": "/status/conditions/-", "value": cond}}
	if seen.approved >= 0 {
		at := fmt.Sprintf("/status/conditions/%d", seen.approved)
		patch = []any{
			map[string]any{"op": "test", "path": at + "/type", "value": placement.ApprovalApproved},
			map[string]any{"op": "replace", "path": at, "value": cond},
		}
	}
	return kubectl(s, g.Request, "patch", g.Request.kind.Plural(), g.Request.name,
		"--subresource=status", "--type=json", "-p", compact(patch))
}

// compact writes JSON in one line.
func compact(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "" // strings, numbers, maps and slices always marshal
	}
	return string(b)
}

// kubectl returns a command line for a shell, with the context and namespace of
// what is shown, every word quoted that needs it.
func kubectl(s *Snapshot, id ID, args ...string) Text {
	words := []string{"kubectl"}
	if c := s.Hub.Context.s; c != "" {
		words = append(words, "--context", quote(c))
	}
	if id.ns != "" {
		words = append(words, "-n", quote(id.ns))
	}
	for _, a := range args {
		words = append(words, quote(a))
	}
	return Clean(strings.Join(words, " "))
}

// quote quotes a word for a POSIX shell.
func quote(s string) string {
	plain := s != "" && s[0] != '-' || strings.HasPrefix(s, "--")
	for _, c := range s {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.ContainsRune("-_./:=@%+,", c):
		default:
			plain = false
		}
	}
	if plain || s == "-p" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
