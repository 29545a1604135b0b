package store

import (
	"context"
	"fmt"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
)

// Create creates an object and applies the answer.
func (t *Table[T]) Create(ctx context.Context, object *T) (*T, error) {
	whole, err := Encode(object)
	if err != nil {
		return nil, err
	}
	kind := t.kind.In(whole.GetNamespace())
	whole.SetGroupVersionKind(kind.GVK())
	delete(whole.Object, "status") // it has a subresource of its own
	made, err := Client(t.hub, kind, whole.GetNamespace()).Create(ctx, whole, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	return t.fold(made)
}

// Update replaces the object, or its status, by next, which must carry the
// resource version that it was made from; subresource is empty or status. If
// that is not the newest, the hub answers with a conflict. A request that would
// change nothing is not sent: an API server would not store anything.
func (t *Table[T]) Update(ctx context.Context, next *T, subresource string, opts metav1.UpdateOptions) (*T, error) {
	whole, changed, err := t.overlaid(ctx, next, subresource)
	if err != nil {
		return nil, err
	}
	if !changed {
		return decode[T](whole)
	}
	c := Client(t.hub, t.kind.In(whole.GetNamespace()), whole.GetNamespace())
	if subresource == "status" {
		whole, err = c.UpdateStatus(ctx, whole, opts)
	} else {
		whole, err = c.Update(ctx, whole, opts)
	}
	if err != nil {
		return nil, err
	}
	return t.fold(whole)
}

// overlaid returns the object of the hub that next was made from, with the changes
// of next applied; changed is false without changes.
func (t *Table[T]) overlaid(ctx context.Context, next *T, subresource string) (whole *unstructured.Unstructured, changed bool, err error) {
	if subresource == "status" {
		if held := t.unchanged(next); held != nil {
			return held, false, nil
		}
	}
	after, err := Encode(next)
	if err != nil {
		return nil, false, err
	}
	held, err := t.whole(ctx, after)
	if err != nil {
		return nil, false, err
	}
	base, err := decode[T](held)
	if err != nil {
		return nil, false, err
	}
	before, err := Encode(base)
	if err != nil {
		return nil, false, err
	}
	whole = held.DeepCopy()
	overlay(whole.Object, before.Object, after.Object)
	if subresource == "" {
		complete(whole.Object, after.Object)
	}
	whole.SetGroupVersionKind(held.GroupVersionKind())
	return whole, !reflect.DeepEqual(whole.Object, held.Object), nil
}

// unchanged returns the object of the hub if next equals the table's: most passes
// change nothing.
func (t *Table[T]) unchanged(next *T) *unstructured.Unstructured {
	object, ok := any(next).(metav1.Object)
	if !ok {
		return nil
	}
	t.mu.RLock()
	held := t.rows[Key{Namespace: object.GetNamespace(), Name: object.GetName()}]
	t.mu.RUnlock()
	if held.object == nil || !reflect.DeepEqual(held.object, next) {
		return nil
	}
	return held.whole
}

// whole returns the object of the hub with the name and the resource version of
// of.
func (t *Table[T]) whole(ctx context.Context, of *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	k := Key{Namespace: of.GetNamespace(), Name: of.GetName()}
	t.mu.RLock()
	held := t.rows[k].whole
	t.mu.RUnlock()
	if held != nil && held.GetResourceVersion() == of.GetResourceVersion() {
		return held, nil
	}
	kind := t.kind.In(k.Namespace)
	live, err := Client(t.hub, kind, k.Namespace).Get(ctx, k.Name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	if live.GetResourceVersion() != of.GetResourceVersion() {
		return nil, apierrors.NewConflict(kind.GVR.GroupResource(), k.Name,
			fmt.Errorf("resource version %s is not %s", of.GetResourceVersion(), live.GetResourceVersion()))
	}
	return live, nil
}

// Delete deletes an object; the table follows with the deletion event.
func (t *Table[T]) Delete(ctx context.Context, k Key, opts metav1.DeleteOptions) error {
	return Client(t.hub, t.kind.In(k.Namespace), k.Namespace).Delete(ctx, k.Name, opts)
}

// DeleteAll deletes the objects of a namespace that the selector matches, in one
// request.
func (t *Table[T]) DeleteAll(ctx context.Context, namespace string, selector labels.Selector) error {
	return Client(t.hub, t.kind.In(namespace), namespace).DeleteCollection(ctx,
		metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: selector.String()})
}

// Place creates an object with its status and returns it. An object that exists
// is returned unchanged.
func (t *Table[T]) Place(ctx context.Context, object *T) (*T, error) {
	made, err := t.Create(ctx, object)
	whole, encodeErr := Encode(object)
	if encodeErr != nil {
		return nil, encodeErr
	}
	k := Key{Namespace: whole.GetNamespace(), Name: whole.GetName()}
	switch {
	case apierrors.IsAlreadyExists(err):
		return t.Read(ctx, k)
	case err != nil:
		return nil, fmt.Errorf("create %s %s: %w", t.kind.In(k.Namespace).Kind, k, err)
	}
	status, found := whole.Object["status"].(map[string]any)
	if !found || len(status) == 0 {
		return made, nil
	}
	next, err := withStatus(made, status)
	if err != nil {
		return nil, err
	}
	made, err = t.Update(ctx, next, "status", metav1.UpdateOptions{})
	if err != nil {
		return nil, fmt.Errorf("write status of %s %s: %w", t.kind.In(k.Namespace).Kind, k, err)
	}
	return made, nil
}

// withStatus returns a copy of the object with another status.
func withStatus[T any](object *T, status map[string]any) (*T, error) {
	whole, err := Encode(object)
	if err != nil {
		return nil, err
	}
	whole.Object["status"] = status
	return decode[T](whole)
}
