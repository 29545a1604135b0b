package watch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stagewatch/stagewatch/demo/hub"
)

// allowedRequests is all that may leave the program, to the letter: verb,
// resource and subresource, and whether it stores something. Everything else is
// a mistake, whichever test brings it about (docs/promises.md#i9).
var allowedRequests = map[string][]string{
	"get list watch": {
		"clusterstagedupdateruns", "stagedupdateruns", "clusterapprovalrequests", "approvalrequests",
		"clusterresourceplacements", "resourceplacements", "clusterresourcebindings", "resourcebindings",
		"memberclusters",
	},
	"get list": {
		"clusterstagedupdatestrategies", "stagedupdatestrategies",
		"clusterresourcesnapshots", "resourcesnapshots",
		"clusterschedulingpolicysnapshots", "schedulingpolicysnapshots",
		"clusterresourceoverridesnapshots", "resourceoverridesnapshots",
		"works", "events", "namespaces",
	},
	// Where a hub has pods at all: the controller's log
	// (docs/kubefleet.md#logs).
	"list": {"pods"},
	// A workload on the hub may have been changed since the snapshot of a run was created.
	"get": {"pods/log", "deployments", "statefulsets", "daemonsets"},
	// The reviews store nothing.
	"create": {"selfsubjectreviews", "selfsubjectaccessreviews"},
	// What the hub is asked about itself, by path.
	"get path": {"/apis/placement.kubernetes-fleet.io", "/apis/placement.kubernetes-fleet.io/", "/apis/cluster.kubernetes-fleet.io", "/apis/cluster.kubernetes-fleet.io/", "/members/", "/api", "/apis", "/version"},
	// What the placements of these tests select, for the plan of a run.
	"get selected": {"configmaps"},
	// The acts, and their rehearsals.
	"write": {"update clusterapprovalrequests/status", "update approvalrequests/status", "patch clusterstagedupdateruns", "patch stagedupdateruns", "create clusterstagedupdateruns", "create stagedupdateruns", "delete clusterstagedupdateruns", "delete stagedupdateruns"},
}

// onlyAllowed checks every request that sessions have sent to a hub.
func onlyAllowed(h *hub.Hub) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	all, err := h.Requests(ctx)
	if err != nil {
		return fmt.Errorf("read the hub's log: %w", err)
	}
	seen := map[string]bool{}
	var bad []error
	for _, r := range all {
		if r.User == elseUser || isAllowed(r) {
			continue
		}
		what := fmt.Sprintf("%s of %s %s/%s, dry run %v", r.Verb, r.User, r.Resource, r.Subresource, r.DryRun)
		if !seen[what] {
			seen[what] = true
			bad = append(bad, fmt.Errorf("not on the list of what may be sent: %s: %s", what, r.URI))
		}
	}
	return errors.Join(bad...)
}

func isAllowed(r hub.Request) bool {
	what := r.Resource
	if r.Subresource != "" {
		what += "/" + r.Subresource
	}
	if what == "" {
		path, _, _ := strings.Cut(r.URI, "?")
		return r.Verb == "get" && slices.ContainsFunc(allowedRequests["get path"], func(p string) bool {
			return path == p || strings.HasSuffix(p, "/") && strings.HasPrefix(path, p)
		})
	}
	for verbs, resources := range allowedRequests {
		if strings.Contains(" "+strings.TrimSuffix(verbs, " selected")+" ", " "+r.Verb+" ") && verbs != "write" && slices.Contains(resources, what) {
			return true
		}
	}
	return slices.Contains(allowedRequests["write"], r.Verb+" "+what)
}
