package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stagewatch/stagewatch/demo/store"
)

// content creates what a placement selects: the objects that its newest
// snapshot was taken from. Without them a run that names no snapshot would
// roll out an empty one (docs/kubefleet.md#new-snapshot).
func (s *seed) content(ctx context.Context, p Placement) error {
	newest, err := manifests(p, p.Snapshots[len(p.Snapshots)-1])
	if err != nil {
		return err
	}
	for _, m := range newest {
		object := &unstructured.Unstructured{}
		if err := json.Unmarshal(m.Raw, &object.Object); err != nil {
			return fmt.Errorf("decode manifest of %s: %w", p.Key(), err)
		}
		if err := s.Create(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

func (s *seed) Create(ctx context.Context, object *unstructured.Unstructured) error {
	gvk := object.GroupVersionKind()
	kind := store.Kind{
		GVR:        schema.GroupVersionResource{Group: gvk.Group, Version: gvk.Version, Resource: strings.ToLower(gvk.Kind) + "s"},
		Kind:       gvk.Kind,
		Namespaced: object.GetNamespace() != "",
	}
	_, err := store.Client(s.world.Hub, kind, object.GetNamespace()).Create(ctx, object, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create %s %s: %w", gvk.Kind, object.GetName(), err)
	}
	return nil
}
