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
	take(whole *unstructured.Unstructured) error
	forget(k Key, uid types.UID, version uint64)
	hear(namespaced bool)
	keys(keep func(Key, *unstructured.Unstructured) bool) map[Key]types.UID
}

func (t *Table[T]) take(whole *unstructured.Unstructured) error {
	_, err := t.fold(whole)
	return err
}

// stream streams the objects of one kind into a table. It is what a reflector
// stores into.
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

// listed looks at the answer to a list. That a hub does not serve the kind,
// perhaps only for now, does not mean that its objects are gone; but to wait
// for it would hold up every run. The reflector goes on asking.
func (f *stream) listed(list *unstructured.UnstructuredList, err error) (runtime.Object, error) {
	if apierrors.IsNotFound(err) {
		f.begun()
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

// Add, Update, Delete, Replace and Resync make a feed the store of its
// reflector.

func (f *stream) Add(object any) error { return f.Update(object) }

func (f *stream) Update(object any) error {
	whole, err := wholeOf(object)
	if err != nil {
		return err
	}
	return f.into.take(whole)
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
	f.into.forget(Key{Namespace: whole.GetNamespace(), Name: whole.GetName()}, whole.GetUID(), version)
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
			err = f.into.take(whole)
		}
		failures = append(failures, err)
	}
	for k, uid := range gone {
		f.into.forget(k, uid, version)
	}
	f.into.hear(f.kind.Namespaced)
	f.begun()
	return errors.Join(failures...)
}

// begun says that what there was has been delivered, or that there is no such
// kind.
func (f *stream) begun() { f.once.Do(func() { close(f.synced) }) }

func (f *stream) Resync() error { return nil }

func wholeOf(object any) (*unstructured.Unstructured, error) {
	whole, ok := object.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("store %T: not an object of the hub", object)
	}
	return whole, nil
}
