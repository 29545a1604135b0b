package fleet

import (
	"fmt"
	"hash/fnv"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// resource is a kind as it stands in a request's path and in an object.
type resource struct {
	gvr        schema.GroupVersionResource
	kind       string
	namespaced bool
}

func (r resource) gvk() schema.GroupVersionKind { return r.gvr.GroupVersion().WithKind(r.kind) }

// pair is a kind that exists in both scopes. The two have one shape, so that
// the Go type of the namespaced one serves both: with an empty namespace it is
// the cluster-scoped object.
type pair struct{ cluster, namespaced resource }

// in returns the kind of the objects in a namespace, or the cluster-scoped one
// when the namespace is empty.
func (p pair) in(namespace string) resource {
	if namespace == "" {
		return p.cluster
	}
	return p.namespaced
}

func (p pair) both() []resource { return []resource{p.cluster, p.namespaced} }

// kinds are the kinds that a fleet reads or writes.
type kinds struct {
	runs, strategies, approvals, placements, bindings  pair
	resourceSnapshots, policySnapshots                 pair
	members, works, clusterOverrides, overrides, space resource
}

func hubKinds() kinds {
	of := func(kind, plural string, namespaced bool) resource {
		return resource{gvr: placement.GroupVersion.WithResource(plural), kind: kind, namespaced: namespaced}
	}
	both := func(clusterKind, clusterPlural, kind, plural string) pair {
		return pair{cluster: of(clusterKind, clusterPlural, false), namespaced: of(kind, plural, true)}
	}
	return kinds{
		runs: both(placement.KindClusterStagedUpdateRun, placement.ResourceClusterStagedUpdateRuns,
			placement.KindStagedUpdateRun, placement.ResourceStagedUpdateRuns),
		strategies: both(placement.KindClusterStagedUpdateStrategy, placement.ResourceClusterStagedUpdateStrategies,
			placement.KindStagedUpdateStrategy, placement.ResourceStagedUpdateStrategies),
		approvals: both(placement.KindClusterApprovalRequest, placement.ResourceClusterApprovalRequests,
			placement.KindApprovalRequest, placement.ResourceApprovalRequests),
		placements: both(placement.KindClusterResourcePlacement, placement.ResourceClusterResourcePlacements,
			placement.KindResourcePlacement, placement.ResourceResourcePlacements),
		bindings: both(placement.KindClusterResourceBinding, placement.ResourceClusterResourceBindings,
			placement.KindResourceBinding, placement.ResourceResourceBindings),
		resourceSnapshots: both(placement.KindClusterResourceSnapshot, placement.ResourceClusterResourceSnapshots,
			placement.KindResourceSnapshot, placement.ResourceResourceSnapshots),
		policySnapshots: both(placement.KindClusterSchedulingPolicySnapshot, placement.ResourceClusterSchedulingPolicySnapshots,
			placement.KindSchedulingPolicySnapshot, placement.ResourceSchedulingPolicySnapshots),
		members: resource{gvr: cluster.GroupVersion.WithResource(cluster.ResourceMemberClusters), kind: cluster.KindMemberCluster},
		works:   of(placement.KindWork, placement.ResourceWorks, true),
		clusterOverrides: of(placement.KindClusterResourceOverrideSnapshot,
			placement.ResourceClusterResourceOverrideSnapshots, false),
		overrides: of(placement.KindResourceOverrideSnapshot, placement.ResourceResourceOverrideSnapshots, true),
		space:     resource{gvr: schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, kind: "Namespace"},
	}
}

// addressable reports whether an object can have the name at all. Clients refuse
// to ask for others, which is no answer; that there is no such object is one.
func addressable(name string) bool {
	return name != "" && len(rest.IsValidPathSegmentName(name)) == 0
}

// nameSuffix returns a stable suffix for a generated name.
func nameSuffix(parts ...string) string {
	hash := fnv.New32a()
	for _, part := range parts {
		hash.Write([]byte(part + "/"))
	}
	return fmt.Sprintf("%08x", hash.Sum32())
}

func client(hub dynamic.Interface, kind resource, namespace string) dynamic.ResourceInterface {
	if kind.namespaced {
		return hub.Resource(kind.gvr).Namespace(namespace)
	}
	return hub.Resource(kind.gvr)
}
