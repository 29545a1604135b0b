// Package identity decides whether a kubeconfig context leads to the member that it is used
// for.
package identity

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// Facts are the objects, read from the hub and through the context,
// that identify the member of the context. Strings are raw.
type Facts struct {
	// Member is the member's name, Hub the URL of the hub's API server, and Server that of
	// the context.
	Member, Hub, Server string
	// Works are the names of the Works in the member's namespace on the hub;
	// WorksWhy is why they are unknown.
	Works    []string
	WorksWhy engine.Text
	// Applied are the AppliedWorks found through the context; AppliedWhy is why
	// they are unknown.
	Applied    []AppliedWork
	AppliedWhy engine.Text
	// NoAppliedWorks is set when the context serves no such kind, and ServesHub when it
	// serves the API of a hub.
	NoAppliedWorks, ServesHub bool
	// Agent is the configuration of the member agent found through the context,
	// nil when there is none; AgentWhy is why it is unknown.
	Agent    *MemberAgent
	AgentWhy engine.Text
}

// AppliedWork is the spec of an AppliedWork. The member agent creates one for
// each Work that it applies.
type AppliedWork struct{ WorkName, WorkNamespace string }

// MemberAgent is the part of a member agent's configuration that names its
// member and its hub.
type MemberAgent struct{ Member, Hub string }

// Of decides whether a context belongs to the member of the facts.
//
// The member name in the agent's configuration has precedence over
// AppliedWorks, which remain when a cluster joins again under another name. A
// hub URL that differs proves nothing, since a hub has several addresses
// (docs/kubefleet.md#member-agent).
func Of(f Facts) engine.Identity {
	var why []engine.Text
	switch a := f.Agent; {
	case a == nil && !f.AgentWhy.IsZero():
		why = append(why, engine.Textf("member agent: %s", f.AgentWhy))
	case a == nil || a.Member == "":
	case a.Member != f.Member:
		return engine.Identity{Verdict: engine.Mismatch, Other: engine.Clean(a.Member), Why: engine.Textf("its member agent has MEMBER_CLUSTER_NAME %s", a.Member)}
	case sameServer(a.Hub, f.Hub):
		return engine.Identity{Verdict: engine.Verified, Why: engine.Textf("its member agent is configured for member %s of this hub", f.Member)}
	case a.Hub == "":
		why = append(why, engine.Lit("its member agent has no HUB_SERVER_URL"))
	default:
		why = append(why, engine.Textf("its member agent is configured for the hub URL %s", withoutLogin(a.Hub)))
	}

	namespace, others := placement.MemberNamespace(f.Member), map[string]int{}
	own := false
	for _, w := range f.Applied {
		if w.WorkNamespace == namespace {
			own = true
			if slices.Contains(f.Works, w.WorkName) {
				return engine.Identity{Verdict: engine.Verified, Why: engine.Textf("its AppliedWork %s is of Work %s/%s", w.WorkName, namespace, w.WorkName)}
			}
		} else if other, is := strings.CutPrefix(w.WorkNamespace, placement.MemberNamespace("")); is && other != "" {
			others[other]++
		}
	}
	// An agent that is configured for the member contradicts what is left of
	// another one.
	if !own && len(others) > 0 && (f.Agent == nil || f.Agent.Member == "") {
		names := slices.Sorted(maps.Keys(others))
		most := slices.MaxFunc(names, func(a, b string) int { return others[a] - others[b] })
		return engine.Identity{Verdict: engine.Mismatch, Other: engine.Clean(most), Why: engine.Textf("its AppliedWorks are of Works in %s", placement.MemberNamespace(most))}
	}
	agent := f.Agent != nil && f.Agent.Member != ""
	switch {
	case !agent && !own && f.AppliedWhy.IsZero() && f.AgentWhy.IsZero() && sameServer(f.Server, f.Hub):
		return engine.Identity{Verdict: engine.Mismatch, Why: engine.Lit("it is the hub itself, which has no member agent")}
	case f.NoAppliedWorks && f.ServesHub && !agent:
		return engine.Identity{Verdict: engine.Mismatch, Why: engine.Lit("it is a hub, and serves no AppliedWorks: no member agent is installed there")}
	case f.NoAppliedWorks: // its CRD may be missing although the cluster is the member
		why = append(why, engine.Lit("it serves no AppliedWorks"))
	case !f.AppliedWhy.IsZero():
		why = append(why, engine.Textf("AppliedWorks: %s", f.AppliedWhy))
	case own && !f.WorksWhy.IsZero():
		why = append(why, engine.Textf("Works of the hub: %s", f.WorksWhy))
	case own:
		why = append(why, engine.Lit("its AppliedWorks are of Works that this hub does not have"))
	case len(others) > 0:
		why = append(why, engine.Lit("its AppliedWorks are of another member"))
	default:
		why = append(why, engine.Lit("it has no AppliedWork"))
	}
	return engine.Identity{Why: engine.Join(why, "; ")}
}

// sameServer reports whether two URLs lead to the same API server.
func sameServer(a, b string) bool {
	x, y := serverOf(a), serverOf(b)
	return x != "" && x == y
}

// serverOf normalizes the URL of an API server: host in lower case, port and
// path; empty for what is no such URL.
func serverOf(s string) string {
	if !strings.Contains(s, "://") {
		s = "https://" + s
	}
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = "443"
		if u.Scheme == "http" {
			port = "80"
		}
	}
	return strings.ToLower(strings.TrimSuffix(u.Hostname(), ".")) + ":" + port + strings.TrimRight(u.Path, "/")
}

// withoutLogin takes a user and password out of a URL.
func withoutLogin(s string) engine.Text {
	u, err := url.Parse(s)
	if err != nil {
		return engine.Lit("(unreadable)")
	}
	u.User = nil
	return engine.Clean(u.String())
}
