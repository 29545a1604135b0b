package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
)

// sink is a table without its type.
type sink interface {
	apply(whole *unstructured.Unstructured) error
	remove(k Key, uid types.UID, version uint64)
	markListed(namespaced bool)
	keys(keep func(Key, *unstructured.Unstructured) bool) map[Key]types.UID
}

func (t *Table[T]) apply(whole *unstructured.Unstructured) error {
	_, err := t.fold(whole)
	return err
}

// stream lists and watches one kind. It is the store of its reflector and applies
// each object to a table.
type stream struct {
	hub    dynamic.Interface
	kind   Kind
	into   sink
	synced chan struct{}
	once   sync.Once
}

func newStream(hub dynamic.Interface, kind Kind, into sink) *stream {
	return &stream{hub: hub, kind: kind, into: into, synced: make(chan struct{})}
}

// run streams until ctx ends.
func (f *stream) run(ctx context.Context) {
	resources := f.hub.Resource(f.kind.GVR)
	listWatch := cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return f.listed(resources.List(ctx, options))
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return resources.Watch(ctx, options)
		},
	}, f.hub)
	expected := &unstructured.Unstructured{}
	expected.SetGroupVersionKind(f.kind.GVK())
	cache.NewReflectorWithOptions(listWatch, expected, f, cache.ReflectorOptions{
		Name:    f.kind.GVR.Resource,
		Backoff: &wait.Backoff{Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.5, Steps: 6, Cap: 2 * time.Second},
	}).RunWithContext(ctx)
}

// listed returns the answer to a list for the reflector. A kind that the hub does
// not serve counts as synced, since every run would wait for it, but its objects
// stay: it may be served again. The reflector retries.
func (f *stream) listed(list *unstructured.UnstructuredList, err error) (runtime.Object, error) {
	if apierrors.IsNotFound(err) {
		f.markSynced()
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

// Add, Update, Delete, Replace and Resync implement cache.ReflectorStore.

func (f *stream) Add(object any) error { return f.Update(object) }

func (f *stream) Update(object any) error {
	whole, err := wholeOf(object)
	if err != nil {
		return err
	}
	return f.into.apply(whole)
}

func (f *stream) Delete(object any) error {
	whole, err := wholeOf(object)
	if err != nil {
		return err
	}
	version, err := versionOf(whole)
	if err != nil {
		return err
	}
	f.into.remove(Key{Namespace: whole.GetNamespace(), Name: whole.GetName()}, whole.GetUID(), version)
	return nil
}

func (f *stream) Replace(objects []any, resourceVersion string) error {
	version, err := strconv.ParseUint(resourceVersion, 10, 64)
	if err != nil {
		return fmt.Errorf("read resource version of a list: %w", err)
	}
	gone := f.into.keys(func(k Key, _ *unstructured.Unstructured) bool { return (k.Namespace != "") == f.kind.Namespaced })
	var failures []error
	for _, object := range objects {
		whole, err := wholeOf(object)
		if err == nil {
			delete(gone, Key{Namespace: whole.GetNamespace(), Name: whole.GetName()})
			err = f.into.apply(whole)
		}
		failures = append(failures, err)
	}
	for k, uid := range gone {
		f.into.remove(k, uid, version)
	}
	f.into.markListed(f.kind.Namespaced)
	f.markSynced()
	return errors.Join(failures...)
}

// markSynced ends the wait of Follow: the first list is applied, or the hub does not
// serve the kind.
func (f *stream) markSynced() { f.once.Do(func() { close(f.synced) }) }

func (f *stream) Resync() error { return nil }

func wholeOf(object any) (*unstructured.Unstructured, error) {
	whole, ok := object.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("store %T: not an object of the hub", object)
	}
	return whole, nil
}
