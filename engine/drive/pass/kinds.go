package pass

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kind is one kind that a hub serves, in one version.
type Kind struct {
	schema.GroupVersionKind
	// Resource is the plural name in request paths.
	Resource   string
	Namespaced bool
	// Preferred says that the controller watches this version of the kind from
	// its start on: its group's preferred version, or the one that has it.
	// Others it watches once a placement has selected them, see NotSynced.
	Preferred bool
}

// GroupVersionResource is where the kind's objects are read.
func (k Kind) GroupVersionResource() schema.GroupVersionResource {
	return k.GroupVersion().WithResource(k.Resource)
}

// Propagation are the settings of the controller that limit what a placement
// may select (docs/kubefleet.md#new-snapshot, A to C). The zero value is
// upstream's default.
type Propagation struct {
	// SkipNamespaces are reserved beside those that always are.
	SkipNamespaces []string
	// Skip are kinds that are left out beside those that always are. An empty
	// version or kind stands for all of them.
	Skip []schema.GroupVersionKind
	// Allow, when not empty, replaces all rules about kinds: only these may be
	// selected.
	Allow []schema.GroupVersionKind
	// Workload says that the hub runs workloads, so that claims of volumes are
	// left out.
	Workload bool
}

// KindsOf makes the list of kinds from what discovery returned: served holds
// every version, preferred each kind in its preferred version (client-go's
// ServerGroupsAndResources and ServerPreferredResources).
func KindsOf(served, preferred []*metav1.APIResourceList) []Kind {
	read := map[schema.GroupVersionKind]bool{}
	for kind, resource := range resources(preferred) {
		if slices.Contains(resource.Verbs, "list") && slices.Contains(resource.Verbs, "watch") {
			read[kind] = true
		}
	}
	kinds := make([]Kind, 0, len(read))
	for kind, resource := range resources(served) {
		kinds = append(kinds, Kind{kind, resource.Name, resource.Namespaced, read[kind]})
	}
	return kinds
}

// resources yields the resources of discovery lists, without subresources.
func resources(lists []*metav1.APIResourceList) func(yield func(schema.GroupVersionKind, metav1.APIResource) bool) {
	return func(yield func(schema.GroupVersionKind, metav1.APIResource) bool) {
		for _, list := range lists {
			if list == nil {
				continue
			}
			gv, err := schema.ParseGroupVersion(list.GroupVersion)
			if err != nil {
				continue // A group version that cannot be parsed cannot be asked for either.
			}
			for _, r := range list.APIResources {
				if slices.Contains([]byte(r.Name), '/') {
					continue
				}
				if !yield(gv.WithKind(r.Kind), r) {
					return
				}
			}
		}
	}
}
