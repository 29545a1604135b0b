package stream

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/internal/intern"
	"github.com/stagewatch/stagewatch/watch/store"
	"github.com/stagewatch/stagewatch/watch/stream/objectjson"
)

// object is an object of a list or watch, of a set.
type object struct {
	*metav1.ObjectMeta // without managedFields; only name and version
	store.Object
	nameless bool  // its name cannot be read; Broken is set
	bytes    int64 // of its JSON, if Broken is set
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

// nameless is the name of an object whose name cannot be read.
const nameless = "(no name)"

// decode makes an object of a hub from the JSON of one. An object that does not fit its Go
// type comes back broken, with what of its name, UID and version can be read.
func decode(hub engine.HubName, kind engine.Kind, raw []byte) *object {
	value, meta, err := decodeValue(hub, kind, raw)
	if err == nil && meta.Name == "" {
		err = client.ErrNotJSON
	}
	if err == nil {
		o := newObject(hub, kind, meta)
		o.Value = value
		return o
	}
	meta = decodeMeta(raw)
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

// maxParts bounds the values of one object, counted from above: commas and braces, of which
// a run of 1,000 clusters has 20,000. Three bytes of JSON can become 200 of memory, so the bytes alone bound nothing.
const maxParts = 100_000

// maxStages bounds the stages of a run, of which a strategy has 31 at most: what is shown
// of one takes more memory than the stage.
const maxStages = 200

func decodeValue(hub engine.HubName, kind engine.Kind, raw []byte) (any, *metav1.ObjectMeta, error) {
	if bytes.Count(raw, []byte(","))+bytes.Count(raw, []byte("{")) > maxParts {
		return nil, nil, fmt.Errorf("more than %d values", maxParts)
	}
	switch kind {
	case engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun:
		return decodeRun(raw)
	case engine.KindClusterApprovalRequest, engine.KindApprovalRequest:
		request := &placement.ApprovalRequest{}
		if err := json.Unmarshal(raw, request); err != nil {
			return nil, nil, err
		}
		trim(&request.ObjectMeta)
		return request, &request.ObjectMeta, nil
	case engine.KindClusterResourcePlacement, engine.KindResourcePlacement:
		return decodePlacement(hub, kind, raw)
	case engine.KindClusterResourceBinding, engine.KindResourceBinding:
		return decodeBinding(hub, kind, raw)
	case engine.KindMemberCluster:
		return decodeMember(hub, raw)
	}
	return nil, nil, fmt.Errorf("no way to decode a %s", kind)
}

// packFrom is the length of the JSON from which runs are packed that have not succeeded: those
// of about a hundred clusters.
const packFrom = 32 << 10

// runRooms has memory for runs until they are packed.
var runRooms = sync.Pool{New: func() any { return &objectjson.Room{} }}

// decodeRun decodes a run and packs it if it has succeeded or is large.
func decodeRun(raw []byte) (any, *metav1.ObjectMeta, error) {
	large := len(raw) >= packFrom
	var room *objectjson.Room
	if large {
		room, _ = runRooms.Get().(*objectjson.Room)
		defer runRooms.Put(room)
	}
	run, err := objectjson.DecodeRunIn(raw, room)
	if err == nil && len(run.Status.StagesStatus) > maxStages {
		err = fmt.Errorf("more than %d stages", maxStages)
	}
	if err != nil {
		return nil, nil, err
	}
	if large || engine.ReadCondition(run.Status.Conditions, placement.RunSucceeded).Truth == engine.TruthYes {
		if packed := world.Pack(run); packed != nil {
			return packed, &packed.Run.ObjectMeta, nil
		}
	}
	if large { // what it refers to belongs to the room
		if run, err = objectjson.DecodeRun(raw); err != nil {
			return nil, nil, err
		}
	}
	return run, &run.ObjectMeta, nil
}

// trim drops managedFields, which are large and not used.
func trim(m *metav1.ObjectMeta) { m.ManagedFields = nil }

// decodeMeta decodes what can be read of the metadata of an object, each field on its own.
func decodeMeta(raw []byte) *metav1.ObjectMeta {
	var o struct {
		Metadata struct {
			Name            stdjson.RawMessage `json:"name"`
			Namespace       stdjson.RawMessage `json:"namespace"`
			UID             stdjson.RawMessage `json:"uid"`
			ResourceVersion stdjson.RawMessage `json:"resourceVersion"`
			Annotations     stdjson.RawMessage `json:"annotations"`
		} `json:"metadata"`
	}
	read := func(from []byte, into any) bool { return len(from) > 0 && json.Unmarshal(from, into) == nil }
	read(raw, &o)
	m := &o.Metadata
	text := func(field []byte) string {
		var s string
		if !read(field, &s) {
			return ""
		}
		return s
	}
	meta := metaOf(objectjson.Meta{Name: text(m.Name), Namespace: text(m.Namespace), UID: text(m.UID), ResourceVersion: text(m.ResourceVersion)})
	if !read(m.Annotations, &meta.Annotations) {
		meta.Annotations = nil
	}
	return meta
}

// metaOf is what a stream keeps of the metadata of an object.
func metaOf(m objectjson.Meta) *metav1.ObjectMeta {
	return &metav1.ObjectMeta{
		Name: m.Name, Namespace: intern.String(m.Namespace), UID: types.UID(m.UID),
		ResourceVersion: m.ResourceVersion, Generation: m.Generation,
	}
}

// decodePlacement decodes the fields of a placement that its row keeps.
func decodePlacement(hub engine.HubName, kind engine.Kind, raw []byte) (any, *metav1.ObjectMeta, error) {
	o, err := objectjson.DecodePlacement(raw)
	if err != nil {
		return nil, nil, err
	}
	m := o.Metadata
	row := &world.Placement{
		ID:            hub.ID(kind, m.Namespace, m.Name, m.UID),
		Generation:    m.Generation,
		External:      o.Spec.Strategy.Type == "External",
		Apply:         o.Spec.Strategy.Apply,
		ApplyRead:     true,
		ObservedIndex: o.Status.ObservedResourceIndex,
		Created:       m.CreationTimestamp.Time,
		Deleting:      when(m.DeletionTimestamp),
		Abandons:      o.Spec.Strategy.Delete.Abandons(),
		Conditions:    o.Status.Conditions,
		Clusters:      o.Status.Clusters,
	}
	return row, metaOf(m), nil
}

// decodeBinding decodes the fields of a binding that its row keeps.
func decodeBinding(hub engine.HubName, kind engine.Kind, raw []byte) (any, *metav1.ObjectMeta, error) {
	o, err := objectjson.DecodeBinding(raw)
	if err != nil {
		return nil, nil, err
	}
	m := o.Metadata
	row := &world.Binding{
		ID:           hub.ID(kind, m.Namespace, m.Name, m.UID),
		Cluster:      o.Spec.TargetCluster,
		State:        o.Spec.State,
		SnapshotName: o.Spec.ResourceSnapshotName,
		PolicyName:   o.Spec.PolicySnapshotName,
		Overrides:    internAll(world.OverrideNames(o.Spec.ClusterOverrides, o.Spec.ResourceOverrides)),
		Generation:   m.Generation,
		Created:      m.CreationTimestamp.Time,
		Deleting:     when(m.DeletionTimestamp),
		Apply:        o.Spec.ApplyStrategy,
		ReportDiff:   engine.ReportsDiff(o.Spec.ApplyStrategy),
		Conditions:   o.Status.Conditions,
		Failed:       o.Status.FailedPlacements,
		Drifted:      len(o.Status.DriftedPlacements),
		Differing:    len(o.Status.DiffedPlacements),
		Finalizers:   m.Finalizers,
	}
	if len(row.Failed) > 0 { // else nothing that failed drifted
		row.Changes = world.ChangesOf(row.Failed, decodeAll[placement.DriftedResourcePlacement](o.Status.DriftedPlacements), decodeAll[placement.DiffedResourcePlacement](o.Status.DiffedPlacements))
	}
	return row, metaOf(m), nil
}

// decodeAll decodes what can be decoded: the rest of a binding does not depend on it.
func decodeAll[T any](raw []stdjson.RawMessage) []T {
	out := make([]T, 0, len(raw))
	for i := range raw {
		var o T
		if json.Unmarshal(raw[i], &o) == nil {
			out = append(out, o)
		}
	}
	return out
}

func when(t *metav1.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.Time
}

func internAll(list []string) []string {
	for i := range list {
		list[i] = intern.String(list[i])
	}
	return list
}
