package decode

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/internal/intern"
	"github.com/stagewatch/stagewatch/watch/stream/objectjson"
)

// MaxParts bounds the values of one object, counted from above: commas and braces, of which
// a run of 1,000 clusters has 20,000. Three bytes of JSON can become 200 of memory, so the bytes alone bound nothing.
const MaxParts = 100_000

// MaxStages bounds the stages of a run, of which a strategy has 31 at most: what is shown
// of one takes more memory than the stage.
const MaxStages = 200

// partsOf counts the values in the JSON of an object, roughly.
func partsOf(raw []byte) int { return bytes.Count(raw, []byte(",")) + bytes.Count(raw, []byte("{")) }

// Value decodes an object of a hub to what a set keeps of it: a run whole or packed, an approval
// request whole, others as rows of the world. meta has no managedFields.
func Value(hub engine.HubName, kind engine.Kind, raw []byte) (value any, meta *metav1.ObjectMeta, err error) {
	if partsOf(raw) > MaxParts {
		return nil, nil, fmt.Errorf("more than %d values", MaxParts)
	}
	switch kind {
	case engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun:
		value, meta, _, err = runOf(raw)
		return value, meta, err
	case engine.KindClusterApprovalRequest, engine.KindApprovalRequest:
		request := &placement.ApprovalRequest{}
		if err := json.Unmarshal(raw, request); err != nil {
			return nil, nil, err
		}
		trim(&request.ObjectMeta)
		return request, &request.ObjectMeta, nil
	case engine.KindClusterResourcePlacement, engine.KindResourcePlacement:
		return placementRow(hub, kind, raw)
	case engine.KindClusterResourceBinding, engine.KindResourceBinding:
		return bindingRow(hub, kind, raw)
	case engine.KindMemberCluster:
		return memberRow(hub, raw)
	}
	return nil, nil, fmt.Errorf("no way to decode a %s", kind)
}

// packFrom is the length of the JSON from which runs are packed that have not succeeded: those
// of about a hundred clusters.
const packFrom = 32 << 10

// runRooms has memory for runs until they are packed.
var runRooms = sync.Pool{New: func() any { return &objectjson.Room{} }}

// runOf decodes the run with which JSON begins, and packs it if it has succeeded or is
// large. It returns how many bytes the run has.
func runOf(raw []byte) (value any, meta *metav1.ObjectMeta, length int, err error) {
	var room *objectjson.Room
	if len(raw) >= packFrom {
		room, _ = runRooms.Get().(*objectjson.Room)
		defer runRooms.Put(room)
	}
	run, length, err := objectjson.DecodeRunIn(raw, room)
	if err == nil && len(run.Status.StagesStatus) > MaxStages {
		err = fmt.Errorf("more than %d stages", MaxStages)
	}
	if err != nil {
		return nil, nil, 0, err
	}
	if length >= packFrom || engine.ReadCondition(run.Status.Conditions, placement.RunSucceeded).Truth == engine.TruthYes {
		if packed := world.Pack(run); packed != nil {
			return packed, &packed.Run.ObjectMeta, length, nil
		}
	}
	if room != nil { // what it refers to belongs to the room
		if run, err = objectjson.DecodeRun(raw[:length]); err != nil {
			return nil, nil, 0, err
		}
	}
	return run, &run.ObjectMeta, length, nil
}

// FirstRun decodes the run with which what was read begins. It returns how many bytes that has:
// none if it is not all of a run in good order.
func FirstRun(read []byte) (value any, meta *metav1.ObjectMeta, length int) {
	if len(read) == 0 || read[0] != '{' || partsOf(read) > MaxParts {
		return nil, nil, 0
	}
	value, meta, length, err := runOf(read)
	if err != nil {
		return nil, nil, 0
	}
	return value, meta, length
}

// trim drops managedFields, which are large and not used.
func trim(m *metav1.ObjectMeta) { m.ManagedFields = nil }

// Meta decodes what can be read of the metadata of an object, each field on its own.
func Meta(raw []byte) *metav1.ObjectMeta {
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

// placementRow decodes the fields of a placement that its row keeps.
func placementRow(hub engine.HubName, kind engine.Kind, raw []byte) (any, *metav1.ObjectMeta, error) {
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

// bindingRow decodes the fields of a binding that its row keeps.
func bindingRow(hub engine.HubName, kind engine.Kind, raw []byte) (any, *metav1.ObjectMeta, error) {
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
