package stream

import (
	"fmt"
	"iter"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/store"
	"github.com/stagewatch/stagewatch/watch/stream/decode"
)

// object is an object of a list or watch, of a set.
type object struct {
	*metav1.ObjectMeta // without managedFields; only name and version
	store.Object
	nameless bool   // its name cannot be read; Broken is set
	bytes    int64  // of its JSON, if Broken is set
	server   string // that it was read from by itself
}

func newObject(hub engine.HubName, kind engine.Kind, meta *metav1.ObjectMeta) *object {
	return &object{ObjectMeta: meta, Object: store.Object{
		ID: hub.ID(kind, meta.Namespace, meta.Name, string(meta.UID)), Version: meta.ResourceVersion,
	}}
}

// GetObjectKind makes an object a runtime.Object; its kind is in its ID.
func (o *object) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }

// DeepCopyObject returns the object itself, which is immutable.
func (o *object) DeepCopyObject() runtime.Object { return o }

// objectList is what a list request brought.
type objectList struct {
	metav1.ListMeta
	Items     []*object
	weights   []int64 // of the objects
	weight    int64   // of all of them
	truncated bool    // there are more objects, which were not read
	server    string  // that the pages are from; empty if they are from several
}

// weighed are the objects with their weights.
func (l *objectList) weighed() iter.Seq2[*store.Object, int64] {
	return func(yield func(*store.Object, int64) bool) {
		for i, o := range l.Items {
			if !yield(&o.Object, l.weights[i]) {
				return
			}
		}
	}
}

// nameless is the name of an object whose name cannot be read.
const nameless = "(no name)"

// decoded makes an object of a hub from the JSON of one. An object that does not fit its Go
// type comes back broken, with what of its name, UID and version can be read.
func decoded(hub engine.HubName, kind engine.Kind, raw []byte) *object {
	value, meta, err := decode.Value(hub, kind, raw)
	if err == nil && meta.Name == "" {
		err = client.ErrNotJSON
	}
	if err == nil {
		o := newObject(hub, kind, meta)
		o.Value = value
		return o
	}
	meta = decode.Meta(raw)
	if meta.Name == "" {
		meta.Name = nameless
		err = fmt.Errorf("no name: %w", err)
	}
	o := newObject(hub, kind, meta)
	o.Broken, o.nameless, o.bytes = err.Error(), meta.Name == nameless, int64(len(raw))
	return o
}

// number gives the nth object without a name of a list a name of its own.
func (o *object) number(hub engine.HubName, n int) {
	meta, before := *o.ObjectMeta, *o
	if n > 1 {
		meta.Name = fmt.Sprintf("(no name %d)", n)
	}
	*o = *newObject(hub, o.ID.Kind(), &meta)
	o.Broken, o.nameless, o.bytes = before.Broken, true, before.bytes
}
