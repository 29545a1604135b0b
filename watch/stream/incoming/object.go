package incoming

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

// Object is an object of a list or watch, of a set.
type Object struct {
	*metav1.ObjectMeta // without managedFields; only name and version
	store.Object
	Nameless bool   // its name cannot be read; Broken is set
	Bytes    int64  // of its JSON, if Broken is set
	Server   string // the API server that answered, if it was read by itself
}

func newObject(hub engine.HubName, kind engine.Kind, meta *metav1.ObjectMeta) *Object {
	return &Object{ObjectMeta: meta, Object: store.Object{
		ID: hub.ID(kind, meta.Namespace, meta.Name, string(meta.UID)), Version: meta.ResourceVersion,
	}}
}

// GetObjectKind makes an object a runtime.Object; its kind is in its ID.
func (o *Object) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }

// DeepCopyObject returns the object itself, which is immutable.
func (o *Object) DeepCopyObject() runtime.Object { return o }

// List is what a list request brought.
type List struct {
	metav1.ListMeta
	Items     []*Object
	Weights   []int64 // of the objects
	Weight    int64   // of all of them
	Truncated bool    // there are more objects, which were not read
	Server    string  // that the pages are from; empty if they are from several
}

// Weighed are the objects with their weights.
func (l *List) Weighed() iter.Seq2[*store.Object, int64] {
	return func(yield func(*store.Object, int64) bool) {
		for i, o := range l.Items {
			if !yield(&o.Object, l.Weights[i]) {
				return
			}
		}
	}
}

// nameless is the name of an object whose name cannot be read.
const nameless = "(no name)"

// Decode makes an object of a hub from the JSON of one. An object that does not fit its Go
// type comes back broken, with what of its name, UID and version can be read.
func Decode(hub engine.HubName, kind engine.Kind, raw []byte) *Object {
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
	o.Broken, o.Nameless, o.Bytes = err.Error(), meta.Name == nameless, int64(len(raw))
	return o
}

// number gives the nth object without a name of a list a name of its own.
func (o *Object) number(hub engine.HubName, n int) {
	meta, before := *o.ObjectMeta, *o
	if n > 1 {
		meta.Name = fmt.Sprintf("(no name %d)", n)
	}
	*o = *newObject(hub, o.ID.Kind(), &meta)
	o.Broken, o.Nameless, o.Bytes = before.Broken, true, before.Bytes
}
