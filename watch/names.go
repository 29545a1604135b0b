package watch

import (
	"context"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/rest"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
)

// metadataAccept asks for the metadata of the objects of a list.
const metadataAccept = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"

// Names says which names a hub is asked for.
type Names uint8

// The names of Named.
const (
	NamesOfPlacements Names = iota
	NamesOfStrategies
	// NamesOfSnapshots are the indices of the resource snapshots of a placement.
	NamesOfSnapshots
)

// Named reads names of the hub in a namespace, the cluster scope for the empty one; placement
// is that of the snapshots.
func Named(ctx context.Context, cfg Config, of Names, namespace, placementName string) ([]engine.Text, error) {
	h, err := client.NewKnown(cfg.hub(), cfg.REST, cfg.Known)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	if err := h.Discover(ctx); err != nil {
		return nil, servedError(h, err)
	}
	scoped := func(cluster, namespaced string) string {
		if namespace == "" {
			return cluster
		}
		return namespaced
	}
	resource := scoped(engine.KindClusterResourcePlacement.Plural(), engine.KindResourcePlacement.Plural())
	switch of {
	case NamesOfPlacements:
	case NamesOfStrategies:
		resource = scoped(placement.ResourceClusterStagedUpdateStrategies, placement.ResourceStagedUpdateStrategies)
	case NamesOfSnapshots:
		if placementName == "" {
			return nil, nil
		}
		resource = scoped(engine.KindClusterResourceSnapshot.Plural(), engine.KindResourceSnapshot.Plural())
	}
	r := h.Set(http.MethodGet, resource, namespace, "").SetHeader("Accept", metadataAccept)
	if of == NamesOfSnapshots {
		r = r.Param("labelSelector", placement.LabelParentPlacement+"="+placementName)
	}
	return listNames(ctx, h, r, func(m *metav1.PartialObjectMetadata) string {
		if of == NamesOfSnapshots {
			return m.Labels[placement.LabelResourceIndex]
		}
		return m.Name
	})
}

// RunsNamed returns the runs of a hub that have a name, in the cluster scope and in all namespaces. Those that cannot be read
// are left out.
func RunsNamed(ctx context.Context, cfg Config, name string) []engine.ID {
	h, err := client.NewKnown(cfg.hub(), cfg.REST, cfg.Known)
	if err != nil {
		return nil
	}
	defer h.Close()
	if h.Discover(ctx) != nil {
		return nil
	}
	var ids []engine.ID
	for _, kind := range []engine.Kind{engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun} {
		var list metav1.PartialObjectMetadataList
		r := h.At(http.MethodGet, kind, "", "").SetHeader("Accept", metadataAccept).Param("fieldSelector", fields.OneTermEqualSelector("metadata.name", name).String())
		if fetchInto(ctx, h, r, &list) != nil {
			continue
		}
		for i := range list.Items {
			m := &list.Items[i]
			ids = append(ids, h.Name().ID(kind, m.Namespace, m.Name, string(m.UID)))
		}
	}
	return ids
}

// Namespaces reads the names of the namespaces of a hub.
func Namespaces(ctx context.Context, cfg Config) ([]engine.Text, error) {
	h, err := client.NewKnown(cfg.hub(), cfg.REST, cfg.Known)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	return namespacesOf(ctx, h)
}

func namespacesOf(ctx context.Context, h *client.Client) ([]engine.Text, error) {
	return listNames(ctx, h, pathOf(h, "/api/v1/namespaces"), func(m *metav1.PartialObjectMetadata) string { return m.Name })
}

// listNames reads a list of objects and returns the name that each has, once.
func listNames(ctx context.Context, h *client.Client, r *rest.Request, name func(*metav1.PartialObjectMetadata) string) ([]engine.Text, error) {
	var list metav1.PartialObjectMetadataList
	if err := fetchInto(ctx, h, r, &list); err != nil {
		return nil, servedError(h, err)
	}
	return namesOf(list.Items, name), nil
}

// namesOf returns the name that each object has, once: a large snapshot has several objects of one
// index.
func namesOf(items []metav1.PartialObjectMetadata, name func(*metav1.PartialObjectMetadata) string) []engine.Text {
	names, seen := make([]engine.Text, 0, len(items)), make(map[string]bool, len(items))
	for i := range items {
		if n := name(&items[i]); n != "" && !seen[n] {
			seen[n] = true
			names = append(names, engine.Clean(n))
		}
	}
	return names
}
