package fleet

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// key names an object within its table; the namespace is empty for
// cluster-scoped ones.
type key = types.NamespacedName

// row is one object: whole, as the hub sent it, and as the Go type that holds
// the part of it that fleets know. Both are never changed in place.
type row[T any] struct {
	whole   *unstructured.Unstructured
	object  *T
	version uint64
}

// table holds the objects of one kind, both scopes in one Go type, as last
// heard from the hub. What its owner writes is in it at once, so that nobody
// acts on a state that they themselves have changed.
//
// A table never writes a struct that is narrower than the object: changes are
// laid over the whole object.
type table[T any] struct {
	hub  dynamic.Interface
	kind pair

	mu        sync.RWMutex
	rows      map[key]row[T]
	byParent  map[key]map[key]bool
	parent    func(*T) string
	observers []func(before, after *T)
}

// newTable returns an empty table. parent, when not nil, names the placement
// that an object belongs to, and makes of possible.
func newTable[T any](hub dynamic.Interface, kind pair, parent func(*T) string) *table[T] {
	return &table[T]{
		hub: hub, kind: kind, parent: parent,
		rows: map[key]row[T]{}, byParent: map[key]map[key]bool{},
	}
}

// observe registers a function that is told of each change: before is nil for a
// new object, after is nil for one that is gone. It must not block. Not to be
// called once the table is being fed.
func (t *table[T]) observe(f func(before, after *T)) { t.observers = append(t.observers, f) }

// get returns an object, or nil.
func (t *table[T]) get(k key) *T {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.rows[k].object
}

// all returns every object that the filter lets pass, by namespace and name.
func (t *table[T]) all(keep func(*T) bool) []*T {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.pick(maps.Keys(t.rows), keep)
}

// of returns the objects of one placement by name.
func (t *table[T]) of(placement key) []*T {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.pick(maps.Keys(t.byParent[placement]), func(*T) bool { return true })
}

func (t *table[T]) pick(keys func(func(key) bool), keep func(*T) bool) []*T {
	var found []*T
	for _, k := range slices.SortedFunc(keys, compareKeys) {
		if object := t.rows[k].object; keep(object) {
			found = append(found, object)
		}
	}
	return found
}

func compareKeys(a, b key) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// fold takes in what the hub says an object is. News that are older than what
// the table holds are dropped.
func (t *table[T]) fold(whole *unstructured.Unstructured) (*T, error) {
	object, err := decode[T](whole)
	if err != nil {
		return nil, err
	}
	version, err := versionOf(whole)
	if err != nil {
		return nil, err
	}
	k := key{Namespace: whole.GetNamespace(), Name: whole.GetName()}
	t.mu.Lock()
	held, known := t.rows[k]
	if known && held.version >= version && held.whole.GetUID() == whole.GetUID() {
		t.mu.Unlock()
		return held.object, nil
	}
	t.rows[k] = row[T]{whole: whole, object: object, version: version}
	if t.parent != nil {
		t.link(k, held.object, object)
	}
	t.mu.Unlock()
	for _, f := range t.observers {
		f(held.object, object)
	}
	return object, nil
}

// forget drops an object that the hub says is gone, unless the table holds a
// newer one of the same name.
func (t *table[T]) forget(k key, uid types.UID) {
	t.mu.Lock()
	held, known := t.rows[k]
	if !known || (uid != "" && held.whole.GetUID() != uid) {
		t.mu.Unlock()
		return
	}
	delete(t.rows, k)
	if t.parent != nil {
		t.link(k, held.object, nil)
	}
	t.mu.Unlock()
	for _, f := range t.observers {
		f(held.object, nil)
	}
}

func (t *table[T]) link(k key, before, after *T) {
	if before != nil {
		parent := key{Namespace: k.Namespace, Name: t.parent(before)}
		delete(t.byParent[parent], k)
		if len(t.byParent[parent]) == 0 {
			delete(t.byParent, parent)
		}
	}
	if after != nil {
		parent := key{Namespace: k.Namespace, Name: t.parent(after)}
		if t.byParent[parent] == nil {
			t.byParent[parent] = map[key]bool{}
		}
		t.byParent[parent][k] = true
	}
}

// create makes an object and takes in what the hub made of it.
func (t *table[T]) create(ctx context.Context, object *T) (*T, error) {
	whole, err := encode(object)
	if err != nil {
		return nil, err
	}
	kind := t.kind.in(whole.GetNamespace())
	whole.SetGroupVersionKind(kind.gvk())
	delete(whole.Object, "status") // it has a subresource of its own
	made, err := client(t.hub, kind, whole.GetNamespace()).Create(ctx, whole, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	return t.fold(made)
}

// update writes what differs between base, which must be as the hub last
// returned it, and next, into the whole object; subresource is empty or status.
// A base that is not the newest gets the conflict that the hub would answer.
func (t *table[T]) update(ctx context.Context, base, next *T, subresource string, opts metav1.UpdateOptions) (*T, error) {
	whole, err := t.overlaid(ctx, base, next)
	if err != nil {
		return nil, err
	}
	c := client(t.hub, t.kind.in(whole.GetNamespace()), whole.GetNamespace())
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

func (t *table[T]) overlaid(ctx context.Context, base, next *T) (*unstructured.Unstructured, error) {
	before, err := encode(base)
	if err != nil {
		return nil, err
	}
	after, err := encode(next)
	if err != nil {
		return nil, err
	}
	whole, err := t.whole(ctx, before)
	if err != nil {
		return nil, err
	}
	whole = whole.DeepCopy()
	overlay(whole.Object, before.Object, after.Object)
	return whole, nil
}

// whole returns the object that base was decoded from.
func (t *table[T]) whole(ctx context.Context, base *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	k := key{Namespace: base.GetNamespace(), Name: base.GetName()}
	t.mu.RLock()
	held := t.rows[k].whole
	t.mu.RUnlock()
	if held != nil && held.GetResourceVersion() == base.GetResourceVersion() {
		return held, nil
	}
	kind := t.kind.in(k.Namespace)
	live, err := client(t.hub, kind, k.Namespace).Get(ctx, k.Name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	if live.GetResourceVersion() != base.GetResourceVersion() {
		return nil, apierrors.NewConflict(kind.gvr.GroupResource(), k.Name,
			fmt.Errorf("resource version %s is not %s", base.GetResourceVersion(), live.GetResourceVersion()))
	}
	return live, nil
}

// delete asks the hub to delete an object.
func (t *table[T]) delete(ctx context.Context, k key, opts metav1.DeleteOptions) error {
	return client(t.hub, t.kind.in(k.Namespace), k.Namespace).Delete(ctx, k.Name, opts)
}

// read gets an object from the hub itself and takes it in.
func (t *table[T]) read(ctx context.Context, k key) (*T, error) {
	whole, err := client(t.hub, t.kind.in(k.Namespace), k.Namespace).Get(ctx, k.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		t.forget(k, "")
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	return t.fold(whole)
}

// readAll lists objects from the hub itself and takes them in.
func (t *table[T]) readAll(ctx context.Context, namespace, selector string) error {
	list, err := client(t.hub, t.kind.in(namespace), namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return err
	}
	for i := range list.Items {
		if _, err := t.fold(&list.Items[i]); err != nil {
			return err
		}
	}
	return nil
}

func client(hub dynamic.Interface, kind resource, namespace string) dynamic.ResourceInterface {
	if kind.namespaced {
		return hub.Resource(kind.gvr).Namespace(namespace)
	}
	return hub.Resource(kind.gvr)
}

func decode[T any](whole *unstructured.Unstructured) (*T, error) {
	object := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(whole.Object, object); err != nil {
		return nil, fmt.Errorf("decode %s %s/%s: %w", whole.GetKind(), whole.GetNamespace(), whole.GetName(), err)
	}
	return object, nil
}

func encode(object any) (*unstructured.Unstructured, error) {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", object, err)
	}
	return &unstructured.Unstructured{Object: fields}, nil
}

// versionOf reads the resource version as the number that it is: hubs count
// all their changes with one counter.
func versionOf(whole *unstructured.Unstructured) (uint64, error) {
	version, err := strconv.ParseUint(whole.GetResourceVersion(), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read resource version of %s %s/%s: %w", whole.GetKind(), whole.GetNamespace(), whole.GetName(), err)
	}
	return version, nil
}
