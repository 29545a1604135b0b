package member

import (
	"context"
	"net/http"
	"sync"
	"time"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/identity"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/internal/task"
)

// AgentNamespace is where the upstream charts install the hub agent and the member
// agents.
const AgentNamespace = "fleet-system"

const (
	// identityDeadline bounds the reads that prove a member. What is left of
	// memberDeadline is for its workloads, which need no proof.
	identityDeadline = 2 * time.Second
	// verifiedFor is how long a proof counts, unverifiedFor any other verdict.
	verifiedFor, unverifiedFor = 10 * time.Minute, 30 * time.Second
	// identityLimit is how many objects of a kind are read for a proof.
	identityLimit = "500"
)

// Claim says which member a context is used for, on which hub.
type Claim struct {
	Member engine.ID
	// Hub is the URL of the hub's API server.
	Hub string
	// Works lists the names of the member's Works on the hub, or says why not.
	Works func(ctx context.Context, member string) ([]string, engine.Text)
}

// Identities remembers which contexts lead to which members, for a while.
type Identities struct {
	mu    sync.Mutex
	known map[identityKey]identityKnown
}

// identityKey is a context with the server that it leads to, since a kubeconfig
// changes, and the member that it is used for.
type identityKey struct{ context, server, member string }

type identityKnown struct {
	engine.Identity
	until time.Time
}

// Of returns the verdict on the context of a client, read now if no verdict is
// remembered.
func (i *Identities) Of(ctx context.Context, c *Client, name string, is Claim) engine.Identity {
	_, member, _ := is.Member.Raw()
	key, now := identityKey{name, c.Server(), member}, time.Now()
	i.mu.Lock()
	known, found := i.known[key]
	i.mu.Unlock()
	if found && now.Before(known.until) {
		return known.Identity
	}
	known = identityKnown{identity.Of(c.identityFacts(ctx, is)), now.Add(unverifiedFor)}
	if ctx.Err() != nil {
		return known.Identity // the page was left: that proves nothing
	}
	if known.Verdict == engine.Verified {
		known.until = now.Add(verifiedFor)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.known == nil {
		i.known = map[identityKey]identityKnown{}
	}
	i.known[key] = known
	return known.Identity
}

// identityFacts reads, all at once, the Works of the member on the hub, and the
// AppliedWorks and the agent's Deployment through the context.
func (h *Client) identityFacts(ctx context.Context, is Claim) identity.Facts {
	ctx, cancel := context.WithTimeout(ctx, identityDeadline)
	defer cancel()
	_, member, _ := is.Member.Raw()
	f := identity.Facts{Member: member, Hub: is.Hub, Server: h.Server()}
	limit := map[string]string{"limit": identityLimit}
	var reads task.Reads
	reads.Go(func() {
		var works []string
		works, f.WorksWhy = is.Works(ctx, member)
		f.Works = works
	})
	reads.Go(func() {
		var applied struct {
			Items []struct {
				Spec struct{ WorkName, WorkNamespace string } `json:"spec"`
			} `json:"items"`
		}
		err := h.get(ctx, &applied, "/apis/"+placement.GroupVersion.String(), "", "appliedworks", "", limit)
		if failure := h.Failure(err); failure.Kind == client.NotServed {
			f.NoAppliedWorks, f.ServesHub = true, h.servesHub(ctx)
		} else {
			f.AppliedWhy = failure.Err
		}
		for i := range applied.Items {
			f.Applied = append(f.Applied, identity.AppliedWork(applied.Items[i].Spec))
		}
	})
	reads.Go(func() {
		var deployments struct {
			Items []agentDeployment `json:"items"`
		}
		err := h.get(ctx, &deployments, "/apis/apps/v1", AgentNamespace, "deployments", "", limit)
		f.AgentWhy = h.Failure(err).Err
		for i := range deployments.Items {
			if a := deployments.Items[i].agent(); a != nil {
				f.Agent = a
				return
			}
		}
	})
	reads.Wait()
	return f
}

// servesHub reports whether the context serves the API group of a hub's members. Any user
// may read discovery.
func (h *Client) servesHub(ctx context.Context) bool {
	var group struct{ Name string }
	return h.fetch(ctx, h.Request(http.MethodGet).AbsPath("/apis/"+cluster.Group), &group) == nil && group.Name == cluster.Group
}

// agentDeployment is the part of a Deployment in which the upstream chart
// configures the member agent (charts/member-agent/templates/deployment.yaml).
type agentDeployment struct {
	Spec struct {
		Template struct {
			Spec struct {
				Containers []struct {
					Env []struct{ Name, Value string } `json:"env"`
				} `json:"containers"`
			} `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
}

// agent returns the member agent's configuration, nil for any other Deployment.
func (d *agentDeployment) agent() *identity.MemberAgent {
	for i := range d.Spec.Template.Spec.Containers {
		var a identity.MemberAgent
		for _, e := range d.Spec.Template.Spec.Containers[i].Env {
			switch e.Name {
			case "MEMBER_CLUSTER_NAME":
				a.Member = e.Value
			case "HUB_SERVER_URL":
				a.Hub = e.Value
			}
		}
		if a.Member != "" {
			return &a
		}
	}
	return nil
}
