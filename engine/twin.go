package engine

import (
	"encoding/json"
	"fmt"
	"slices"
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
// the API (docs/kubefleet.md#approval).
const approvalReason = "approved"

// approveTwin returns the kubectl command that approves. A merge patch replaces
// the whole list of conditions, so it serves only where Approved is the only
// one; otherwise a JSON patch adds or replaces exactly that one
// (docs/kubefleet.md#approval).
func approveTwin(s *Snapshot, g *GateView, now time.Time) Text {
	cond := map[string]any{
		"type": placement.ApprovalApproved, "status": "True", "reason": approvalReason, "message": approvalReason,
		"lastTransitionTime": now.UTC().Format(time.RFC3339),
		"observedGeneration": g.Generation,
	}
	seen := g.request
	if g.Mergeable() {
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

// Mergeable reports whether a merge patch of the request's conditions, which
// replaces them all, would lose none but Approved (docs/kubefleet.md#approval).
func (g *GateView) Mergeable() bool {
	seen := g.request
	return seen != nil && (seen.conditions == 0 || seen.conditions == 1 && seen.approved == 0)
}

// Foreign reports whether a request of the gate's name exists that is for
// another run or stage.
func (g *GateView) Foreign() bool { return g.request != nil && g.request.foreign }

// compact writes JSON in one line.
func compact(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "" // strings, numbers, maps and slices always marshal
	}
	return string(b)
}

// kubectl returns a command line about what is shown.
func kubectl(s *Snapshot, id ID, args ...string) Text { return Kubectl(s.Hub, id.ns, args...) }

// Kubectl returns a command line for a shell, with the hub's kubeconfig,
// context and connection flags as they were named and, when it is not empty, a
// namespace; every word is quoted that needs it.
func Kubectl(hub Hub, namespace string, args ...string) Text {
	words := []string{"kubectl"}
	if f := hub.Kubeconfig.s; f != "" {
		words = append(words, "--kubeconfig", Quote(f))
	}
	if c := hub.Context.s; c != "" {
		words = append(words, "--context", Quote(c))
	}
	if f := hub.Flags.s; f != "" {
		words = append(words, f)
	}
	if namespace != "" {
		words = append(words, "-n", Quote(namespace))
	}
	for _, a := range args {
		words = append(words, Quote(a))
	}
	return Clean(strings.Join(words, " "))
}

// QuoteWords quotes words for a POSIX shell, for Hub.Flags.
func QuoteWords(words []string) Text {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = Quote(w)
	}
	return Clean(strings.Join(quoted, " "))
}

// Quote quotes a word for a POSIX shell.
func Quote(s string) string {
	plain := s != "" && s[0] != '-' || strings.HasPrefix(s, "--")
	for _, c := range s {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.ContainsRune("-_./:=@%+,", c):
		default:
			plain = false
		}
	}
	if plain || slices.Contains(shortFlags, s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// shortFlags are the only words beginning with one dash that are not data.
var shortFlags = []string{"-A", "-p", "-l", "-L", "-o", "-c", "-f", "-"}
