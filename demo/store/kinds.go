package store

import (
	"fmt"
	"hash/fnv"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// Kind is a kind as it stands in a request's path and in an object.
type Kind struct {
	GVR        schema.GroupVersionResource
	Kind       string
	Namespaced bool
}

// GVK returns group, version and kind.
func (r Kind) GVK() schema.GroupVersionKind { return r.GVR.GroupVersion().WithKind(r.Kind) }

// Pair is a kind that exists in both scopes. The two have one shape, so that
// the Go type of the namespaced one serves both: with an empty namespace it is
// the cluster-scoped object.
type Pair struct{ Cluster, Namespaced Kind }

// In returns the kind of the objects in a namespace, or the cluster-scoped one
// when the namespace is empty.
func (p Pair) In(namespace string) Kind {
	if namespace == "" {
		return p.Cluster
	}
	return p.Namespaced
}

func (p Pair) both() []Kind { return []Kind{p.Cluster, p.Namespaced} }

// kinds are the kinds that a fleet reads or writes.
type kinds struct {
	Runs, Strategies, Approvals, Placements, Bindings  Pair
	ResourceSnapshots, PolicySnapshots                 Pair
	Members, Works, clusterOverrides, overrides, Space Kind
}

func hubKinds() kinds {
	of := func(kind, plural string, namespaced bool) Kind {
		return Kind{GVR: placement.GroupVersion.WithResource(plural), Kind: kind, Namespaced: namespaced}
	}
	both := func(clusterKind, clusterPlural, kind, plural string) Pair {
		return Pair{Cluster: of(clusterKind, clusterPlural, false), Namespaced: of(kind, plural, true)}
	}
	return kinds{
		Runs: both(placement.KindClusterStagedUpdateRun, placement.ResourceClusterStagedUpdateRuns,
			placement.KindStagedUpdateRun, placement.ResourceStagedUpdateRuns),
		Strategies: both(placement.KindClusterStagedUpdateStrategy, placement.ResourceClusterStagedUpdateStrategies,
			placement.KindStagedUpdateStrategy, placement.ResourceStagedUpdateStrategies),
		Approvals: both(placement.KindClusterApprovalRequest, placement.ResourceClusterApprovalRequests,
			placement.KindApprovalRequest, placement.ResourceApprovalRequests),
		Placements: both(placement.KindClusterResourcePlacement, placement.ResourceClusterResourcePlacements,
			placement.KindResourcePlacement, placement.ResourceResourcePlacements),
		Bindings: both(placement.KindClusterResourceBinding, placement.ResourceClusterResourceBindings,
			placement.KindResourceBinding, placement.ResourceResourceBindings),
		ResourceSnapshots: both(placement.KindClusterResourceSnapshot, placement.ResourceClusterResourceSnapshots,
			placement.KindResourceSnapshot, placement.ResourceResourceSnapshots),
		PolicySnapshots: both(placement.KindClusterSchedulingPolicySnapshot, placement.ResourceClusterSchedulingPolicySnapshots,
			placement.KindSchedulingPolicySnapshot, placement.ResourceSchedulingPolicySnapshots),
		Members: Kind{GVR: cluster.GroupVersion.WithResource(cluster.ResourceMemberClusters), Kind: cluster.KindMemberCluster},
		Works:   of(placement.KindWork, placement.ResourceWorks, true),
		clusterOverrides: of(placement.KindClusterResourceOverrideSnapshot,
			placement.ResourceClusterResourceOverrideSnapshots, false),
		overrides: of(placement.KindResourceOverrideSnapshot, placement.ResourceResourceOverrideSnapshots, true),
		Space:     Kind{GVR: schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, Kind: "Namespace"},
	}
}

// Addressable reports whether an object can have the name at all. Clients refuse
// to ask for others, which is no answer; that there is no such object is one.
func Addressable(name string) bool {
	return name != "" && len(rest.IsValidPathSegmentName(name)) == 0
}

// NameSuffix returns a stable suffix for a generated name.
func NameSuffix(parts ...string) string {
	hash := fnv.New32a()
	for _, part := range parts {
		hash.Write([]byte(part + "/"))
	}
	return fmt.Sprintf("%08x", hash.Sum32())
}

// Client returns the client for the objects of a kind; the namespace of a
// cluster-scoped kind is ignored.
func Client(hub dynamic.Interface, kind Kind, namespace string) dynamic.ResourceInterface {
	if kind.Namespaced {
		return hub.Resource(kind.GVR).Namespace(namespace)
	}
	return hub.Resource(kind.GVR)
}
