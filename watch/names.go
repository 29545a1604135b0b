package watch

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
)

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
	r := h.Set(http.MethodGet, resource, namespace, "").MaxRetries(0).SetHeader("Accept", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io")
	if of == NamesOfSnapshots {
		r = r.Param("labelSelector", placement.LabelParentPlacement+"="+placementName)
	}
	raw, err := h.Do(ctx, r)
	if err != nil {
		return nil, servedError(h, err)
	}
	var list metav1.PartialObjectMetadataList
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("read %s: %w: %w", resource, client.ErrNotJSON, err)
	}
	var names []engine.Text
	for i := range list.Items {
		name := list.Items[i].Name
		if of == NamesOfSnapshots {
			name = list.Items[i].Labels[placement.LabelResourceIndex]
		}
		// Large snapshots have several objects of one index.
		if n := engine.Clean(name); name != "" && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names, nil
}

// Namespaces reads the names of the namespaces of a hub.
func Namespaces(ctx context.Context, cfg Config) ([]engine.Text, error) {
	h, err := client.NewKnown(cfg.hub(), cfg.REST, cfg.Known)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	var list metav1.PartialObjectMetadataList
	if err := fetchInto(ctx, h, &list, "/api/v1/namespaces"); err != nil {
		return nil, servedError(h, err)
	}
	names := make([]engine.Text, len(list.Items))
	for i := range list.Items {
		names[i] = engine.Clean(list.Items[i].Name)
	}
	return names, nil
}
