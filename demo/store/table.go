package store

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
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// Key names an object within its table; the namespace is empty for
// cluster-scoped ones.
type Key = types.NamespacedName

// row is one object, as the hub sent it and as its Go type, which may have fewer
// fields. Neither is ever changed in place.
type row[T any] struct {
	whole   *unstructured.Unstructured
	object  *T
	version uint64
}

// Table holds the newest version of each object of one kind, both scopes in one Go
// type. The answer to a write is in the table before the write returns, so that a
// controller never acts on a state that it has changed itself.
//
// A write keeps the fields that the Go type lacks: only the changes are applied to
// the object of the hub.
type Table[T any] struct {
	hub  dynamic.Interface
	kind Pair

	mu   sync.RWMutex
	rows map[Key]row[T]
	// listed is true for each scope, cluster and namespaced, whose stream has
	// delivered its first list.
	listed [2]bool
	// gone is the version at which an object was deleted: the answer to an older
	// request may arrive after the stream's deletion event.
	gone      map[Key]uint64
	byParent  map[Key]map[Key]bool
	parent    func(*T) string
	observers []func(before, after *T)
}

// newTable returns an empty table. parent returns the placement of an object, for
// Of; it may be nil.
func newTable[T any](hub dynamic.Interface, kind Pair, parent func(*T) string) *Table[T] {
	return &Table[T]{
		hub: hub, kind: kind, parent: parent,
		rows: map[Key]row[T]{}, gone: map[Key]uint64{}, byParent: map[Key]map[Key]bool{},
	}
}

// Observe registers a function that is called at each change: before is nil for a
// new object, after is nil for a deleted one. It must not block. Call Observe
// before Follow.
func (t *Table[T]) Observe(f func(before, after *T)) { t.observers = append(t.observers, f) }

// Get returns an object, or nil.
func (t *Table[T]) Get(k Key) *T {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.rows[k].object
}

// All returns the objects for which keep is true, by namespace and name.
func (t *Table[T]) All(keep func(*T) bool) []*T {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.pick(maps.Keys(t.rows), keep)
}

// Named returns the cluster-scoped objects that have one of the names, by name.
func (t *Table[T]) Named(names []string) []*T {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	t.mu.RLock()
	defer t.mu.RUnlock()
	found := make([]*T, 0, len(names))
	for _, name := range names {
		if held, known := t.rows[Key{Name: name}]; known {
			found = append(found, held.object)
		}
	}
	return found
}

// Of returns the objects of one placement by name.
func (t *Table[T]) Of(placement Key) []*T {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.pick(maps.Keys(t.byParent[placement]), func(*T) bool { return true })
}

func (t *Table[T]) pick(keys func(func(Key) bool), keep func(*T) bool) []*T {
	var found []*T
	for _, k := range slices.SortedFunc(keys, compareKeys) {
		if object := t.rows[k].object; keep(object) {
			found = append(found, object)
		}
	}
	return found
}

func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// fold applies a version of an object. A version older than the one in the table, or
// than the deletion, is dropped.
func (t *Table[T]) fold(whole *unstructured.Unstructured) (*T, error) {
	version, err := versionOf(whole)
	if err != nil {
		return nil, err
	}
	k := Key{Namespace: whole.GetNamespace(), Name: whole.GetName()}
	t.mu.RLock()
	has := t.rows[k]
	t.mu.RUnlock()
	if has.object != nil && has.version == version {
		return has.object, nil
	}
	object, err := decode[T](whole)
	if err != nil {
		return nil, err
	}
	if whole.GetDeletionTimestamp() != nil && len(whole.GetFinalizers()) == 0 {
		// The answer to the request that removed the last finalizer.
		t.remove(k, whole.GetUID(), version)
		return object, nil
	}
	t.mu.Lock()
	held, known := t.rows[k]
	if t.gone[k] >= version || known && held.version >= version {
		t.mu.Unlock()
		return object, nil
	}
	delete(t.gone, k)
	t.rows[k] = row[T]{whole: whole, object: object, version: version}
	if t.parent != nil {
		t.link(k, held.object, object)
	}
	t.mu.Unlock()
	if known && held.whole.GetUID() != whole.GetUID() {
		t.notify(held.object, nil)
		held.object = nil
	}
	t.notify(held.object, object)
	return object, nil
}

func (t *Table[T]) notify(before, after *T) {
	for _, f := range t.observers {
		f(before, after)
	}
}

// remove deletes an object that did not exist at the version, unless the table has a
// newer one. An empty uid means any object of that name.
func (t *Table[T]) remove(k Key, uid types.UID, version uint64) {
	t.mu.Lock()
	t.gone[k] = max(t.gone[k], version)
	held, known := t.rows[k]
	if !known || held.version > version || uid != "" && held.whole.GetUID() != uid {
		t.mu.Unlock()
		return
	}
	delete(t.rows, k)
	if t.parent != nil {
		t.link(k, held.object, nil)
	}
	t.mu.Unlock()
	t.notify(held.object, nil)
}

func (t *Table[T]) link(k Key, before, after *T) {
	if before != nil {
		parent := Key{Namespace: k.Namespace, Name: t.parent(before)}
		delete(t.byParent[parent], k)
		if len(t.byParent[parent]) == 0 {
			delete(t.byParent, parent)
		}
	}
	if after != nil {
		parent := Key{Namespace: k.Namespace, Name: t.parent(after)}
		if t.byParent[parent] == nil {
			t.byParent[parent] = map[Key]bool{}
		}
		t.byParent[parent][k] = true
	}
}

// Read gets an object from the hub and applies it.
func (t *Table[T]) Read(ctx context.Context, k Key) (*T, error) {
	if !Addressable(k.Name) {
		return nil, apierrors.NewNotFound(t.kind.In(k.Namespace).GVR.GroupResource(), k.Name)
	}
	whole, err := Client(t.hub, t.kind.In(k.Namespace), k.Namespace).Get(ctx, k.Name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return t.fold(whole)
}

// ReadAll lists the objects of a namespace that the selector matches from the hub
// and applies the list.
func (t *Table[T]) ReadAll(ctx context.Context, namespace string, selector labels.Selector) error {
	list, err := Client(t.hub, t.kind.In(namespace), namespace).List(ctx, metav1.ListOptions{LabelSelector: selector.String()})
	if err != nil {
		return err
	}
	version, err := strconv.ParseUint(list.GetResourceVersion(), 10, 64)
	if err != nil {
		return fmt.Errorf("read resource version of a list: %w", err)
	}
	there := map[Key]bool{}
	for i := range list.Items {
		there[Key{Namespace: list.Items[i].GetNamespace(), Name: list.Items[i].GetName()}] = true
		if _, err := t.fold(&list.Items[i]); err != nil {
			return err
		}
	}
	for k, uid := range t.keys(func(k Key, whole *unstructured.Unstructured) bool {
		return k.Namespace == namespace && !there[k] && selector.Matches(labels.Set(whole.GetLabels()))
	}) {
		t.remove(k, uid, version)
	}
	return nil
}

// markListed notes that the stream of a scope has delivered its first list.
func (t *Table[T]) markListed(namespaced bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.listed[scopeOf(namespaced)] = true
}

// NotListed returns an error until the scope of the namespace is listed: until
// then, an empty table does not mean that there are no objects.
func (t *Table[T]) NotListed(namespace string) error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if kind := t.kind.In(namespace); !t.listed[scopeOf(kind.Namespaced)] {
		return fmt.Errorf("the hub has not listed %s", kind.GVR.Resource)
	}
	return nil
}

func scopeOf(namespaced bool) int {
	if namespaced {
		return 1
	}
	return 0
}

// keys returns the names and UIDs of the objects for which keep is true.
func (t *Table[T]) keys(keep func(Key, *unstructured.Unstructured) bool) map[Key]types.UID {
	t.mu.RLock()
	defer t.mu.RUnlock()
	keys := map[Key]types.UID{}
	for k, held := range t.rows {
		if keep(k, held.whole) {
			keys[k] = held.whole.GetUID()
		}
	}
	return keys
}

func decode[T any](whole *unstructured.Unstructured) (*T, error) {
	object := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(whole.Object, object); err != nil {
		return nil, fmt.Errorf("decode %s %s/%s: %w", whole.GetKind(), whole.GetNamespace(), whole.GetName(), err)
	}
	return object, nil
}

// Encode returns an object of a Go type as unstructured content.
func Encode(object any) (*unstructured.Unstructured, error) {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", object, err)
	}
	return &unstructured.Unstructured{Object: fields}, nil
}

// versionOf returns the resource version as a number, which an API server counts up
// over all its objects.
func versionOf(whole *unstructured.Unstructured) (uint64, error) {
	version, err := strconv.ParseUint(whole.GetResourceVersion(), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read resource version of %s %s/%s: %w", whole.GetKind(), whole.GetNamespace(), whole.GetName(), err)
	}
	return version, nil
}
