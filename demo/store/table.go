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

// row is one object: whole, as the hub sent it, and as the Go type that holds
// the part of it that fleets know. Both are never changed in place.
type row[T any] struct {
	whole   *unstructured.Unstructured
	object  *T
	version uint64
}

// Table holds the objects of one kind, both scopes in one Go type, as last
// heard from the hub. What its owner writes is in it at once, so that nobody
// acts on a state that they themselves have changed.
//
// A table never writes a struct that is narrower than the object: changes are
// laid over the whole object.
type Table[T any] struct {
	hub  dynamic.Interface
	kind Pair

	mu   sync.RWMutex
	rows map[Key]row[T]
	// heard says of each scope, cluster and namespaced, whether its stream has
	// delivered what there was.
	heard [2]bool
	// gone is the version at which an object was last known to be gone: answers
	// to requests may arrive after the stream has said so.
	gone      map[Key]uint64
	byParent  map[Key]map[Key]bool
	parent    func(*T) string
	observers []func(before, after *T)
}

// newTable returns an empty table. parent, when not nil, names the placement
// that an object belongs to, and makes of possible.
func newTable[T any](hub dynamic.Interface, kind Pair, parent func(*T) string) *Table[T] {
	return &Table[T]{
		hub: hub, kind: kind, parent: parent,
		rows: map[Key]row[T]{}, gone: map[Key]uint64{}, byParent: map[Key]map[Key]bool{},
	}
}

// Observe registers a function that is told of each change: before is nil for a
// new object, after is nil for one that is gone. It must not block. Not to be
// called once the table holds anything.
func (t *Table[T]) Observe(f func(before, after *T)) { t.observers = append(t.observers, f) }

// Get returns an object, or nil.
func (t *Table[T]) Get(k Key) *T {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.rows[k].object
}

// All returns every object that the filter lets pass, by namespace and name.
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

// fold takes in what the hub says an object is. News that are older than what
// the table holds, or than the object's end, are dropped.
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
		// The answer to the request that took the last finalizer.
		t.forget(k, whole.GetUID(), version)
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
		t.tell(held.object, nil)
		held.object = nil
	}
	t.tell(held.object, object)
	return object, nil
}

func (t *Table[T]) tell(before, after *T) {
	for _, f := range t.observers {
		f(before, after)
	}
}

// forget drops an object that was gone at the version, unless the table holds
// something newer. An empty uid means whatever has the name.
func (t *Table[T]) forget(k Key, uid types.UID, version uint64) {
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
	t.tell(held.object, nil)
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

// Read gets an object from the hub itself and takes it in.
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

// ReadAll lists the objects of a namespace that the selector means from the hub
// itself and takes them in.
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
		t.forget(k, uid, version)
	}
	return nil
}

// hear notes that the stream of a scope has delivered what there was.
func (t *Table[T]) hear(namespaced bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.heard[scopeOf(namespaced)] = true
}

// Unheard is an error as long as the hub has not said what objects there are in
// the scope of the namespace: an empty table is no proof that there are none.
func (t *Table[T]) Unheard(namespace string) error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if kind := t.kind.In(namespace); !t.heard[scopeOf(kind.Namespaced)] {
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

// keys returns the names and UIDs of the objects that the filter lets pass.
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

// versionOf reads the resource version as the number that it is: hubs count
// all their changes with one counter.
func versionOf(whole *unstructured.Unstructured) (uint64, error) {
	version, err := strconv.ParseUint(whole.GetResourceVersion(), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read resource version of %s %s/%s: %w", whole.GetKind(), whole.GetNamespace(), whole.GetName(), err)
	}
	return version, nil
}
