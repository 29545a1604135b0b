package objectjson

import (
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// unmarshal is encoding/json as the API server understands it: names of fields
// are case sensitive.
func unmarshal(raw []byte, v any) error { return json.Unmarshal(raw, v) }

// DecodeRun reads a run. Fields that every run has are decoded by hand, others with encoding/json. Of
// managedFields it keeps one entry, with the time of the last write that was not one of a subresource,
// and nothing else. The strategies in the status are shared with other runs and must not be modified.
func DecodeRun(raw []byte) (*placement.StagedUpdateRun, error) {
	run, _, err := DecodeRunIn(raw, nil)
	return run, err
}

// Room is memory for the clusters and conditions of a run, which belong to the next run that
// is decoded in it.
type Room struct {
	// clusters has, behind those of the run, the names of another run: that are often the same.
	clusters []placement.ClusterStatus
	slabs    [][]metav1.Condition
	used     int // of slabs
}

// DecodeRunIn is DecodeRun for a run that is not used any more when the room is used again. It
// also returns how many bytes the run has: others may follow.
func DecodeRunIn(raw []byte, room *Room) (run *placement.StagedUpdateRun, length int, err error) {
	run = &placement.StagedUpdateRun{}
	r := &runReader{parser: newParser(raw), room: room}
	if room != nil {
		room.clusters, room.used = room.clusters[:0], 0
	}
	r.members(func(name string) {
		switch name {
		case "apiVersion":
			run.APIVersion = unlessNull(r, run.APIVersion, r.text)
		case "kind":
			run.Kind = unlessNull(r, run.Kind, r.text)
		case "metadata":
			r.meta(&run.ObjectMeta)
		case "spec":
			r.spec(&run.Spec)
		case "status":
			r.status(&run.Status)
		default:
			r.raw()
		}
	})
	if r.err != nil {
		return nil, 0, r.err
	}
	return run, r.i, nil
}

// runReader reads the parts of a run, or of a binding.
type runReader struct {
	*parser
	slab   []metav1.Condition // room for conditions, shared by many clusters
	exact  bool               // a list of conditions has memory of its own
	room   *Room              // nil for a run that is kept
	recent [recentLists]conditionList
	oldest int // of recent
}

// unlessNull takes a value. Null keeps was, as in encoding/json.
func unlessNull[T any](r *runReader, was T, take func() T) T {
	if r.null() {
		return was
	}
	return take()
}

// others collects members that are decoded by their type, as one object.
type others struct{ b []byte }

// add adds a member, unless its name needs quoting.
func (r *others) add(name string, value []byte) {
	if !plainName(name) {
		return
	}
	if len(r.b) == 0 {
		r.b = append(r.b, '{')
	} else {
		r.b = append(r.b, ',')
	}
	r.b = append(r.b, '"')
	r.b = append(r.b, name...)
	r.b = append(r.b, '"', ':')
	r.b = append(r.b, value...)
}

// decodeOthers decodes the collected members.
func (r *runReader) decodeOthers(more others, v any) {
	if r.err == nil && len(more.b) > 0 {
		r.err = unmarshal(append(more.b, '}'), v)
	}
}

func (r *runReader) meta(m *metav1.ObjectMeta) {
	var more others
	var changed metav1.Time
	r.members(func(name string) {
		switch name {
		case "name":
			m.Name = unlessNull(r, m.Name, r.ownText)
		case "namespace":
			m.Namespace = unlessNull(r, m.Namespace, r.text)
		case "uid":
			m.UID = types.UID(unlessNull(r, string(m.UID), r.ownText))
		case "resourceVersion":
			m.ResourceVersion = unlessNull(r, m.ResourceVersion, r.ownText)
		case "generation":
			m.Generation = unlessNull(r, m.Generation, r.integer)
		case "creationTimestamp":
			m.CreationTimestamp = r.time()
		case "finalizers":
			m.Finalizers = r.texts()
		case "labels":
			r.allLabels(&m.Labels)
		case "managedFields":
			changed = r.changed()
		default:
			more.add(name, r.raw())
		}
	})
	r.decodeOthers(more, m)
	if !changed.IsZero() {
		m.ManagedFields = []metav1.ManagedFieldsEntry{{Time: &changed}}
	}
}

// changed returns the newest time of the entries that are not of a subresource.
func (r *runReader) changed() (newest metav1.Time) {
	r.elements(func() {
		var at metav1.Time
		var of string
		r.members(func(name string) {
			switch name {
			case "time":
				at = r.time()
			case "subresource":
				of = unlessNull(r, of, r.text)
			default:
				r.raw()
			}
		})
		if of == "" && newest.Before(&at) {
			newest = at
		}
	})
	return newest
}

// plainName reports whether a member's name needs no quoting; no field of a
// type has another.
func plainName(name string) bool {
	for _, c := range name {
		if c == '"' || c == '\\' || c < 0x20 {
			return false
		}
	}
	return true
}

func (r *runReader) spec(s *placement.UpdateRunSpec) {
	r.members(func(name string) {
		switch name {
		case "placementName":
			s.PlacementName = unlessNull(r, s.PlacementName, r.text)
		case "resourceSnapshotIndex":
			s.ResourceSnapshotIndex = unlessNull(r, s.ResourceSnapshotIndex, r.text)
		case "stagedRolloutStrategyName":
			s.StagedRolloutStrategyName = unlessNull(r, s.StagedRolloutStrategyName, r.text)
		case "state":
			s.State = placement.State(unlessNull(r, string(s.State), r.text))
		default:
			r.raw()
		}
	})
}

func (r *runReader) status(s *placement.UpdateRunStatus) {
	var more others
	r.members(func(name string) {
		switch name {
		case "stagesStatus":
			if r.elements(func() { s.StagesStatus = append(s.StagesStatus, r.stage()) }) && s.StagesStatus == nil {
				s.StagesStatus = []placement.StageStatus{}
			}
		case "deletionStageStatus":
			if !r.null() {
				stage := r.stage()
				s.DeletionStageStatus = &stage
			}
		case "conditions":
			s.Conditions = r.conditions()
		case "policySnapshotIndexUsed":
			s.PolicySnapshotIndexUsed = unlessNull(r, s.PolicySnapshotIndexUsed, r.text)
		case "resourceSnapshotIndexUsed":
			s.ResourceSnapshotIndexUsed = unlessNull(r, s.ResourceSnapshotIndexUsed, r.text)
		case "policyObservedClusterCount":
			s.PolicyObservedClusterCount = int(unlessNull(r, int64(s.PolicyObservedClusterCount), r.integer))
		case "appliedStrategy":
			s.AppliedStrategy = applyStrategies.read(r)
		case "stagedUpdateStrategySnapshot":
			s.StagedUpdateStrategySnapshot = updateStrategies.read(r)
		default:
			more.add(name, r.raw())
		}
	})
	r.decodeOthers(more, s)
}

func (r *runReader) stage() placement.StageStatus {
	var s placement.StageStatus
	r.members(func(name string) {
		switch name {
		case "stageName":
			s.StageName = unlessNull(r, s.StageName, r.text)
		case "clusters":
			s.Clusters = r.clusters()
		case "beforeStageTaskStatus":
			r.into(&s.BeforeStageTaskStatus)
		case "afterStageTaskStatus":
			r.into(&s.AfterStageTaskStatus)
		case "startTime":
			s.StartTime = r.timeOrNull()
		case "endTime":
			s.EndTime = r.timeOrNull()
		case "conditions":
			s.Conditions = r.conditions()
		default:
			r.raw()
		}
	})
	return s
}

// clusterRooms have room for the clusters of a stage, whose number is known at its end.
var clusterRooms = sync.Pool{New: func() any { return &Room{} }}

// clusters reads the clusters of a stage.
func (r *runReader) clusters() []placement.ClusterStatus {
	if r.room != nil {
		return r.clustersIn(r.room)
	}
	room, ok := clusterRooms.Get().(*Room)
	if !ok {
		room = &Room{}
	}
	room.clusters = room.clusters[:0]
	var list []placement.ClusterStatus
	if all := r.clustersIn(room); all != nil {
		list = make([]placement.ClusterStatus, len(all))
		copy(list, all)
		for i := range all {
			all[i] = placement.ClusterStatus{ClusterName: all[i].ClusterName}
		}
	}
	clusterRooms.Put(room)
	return list
}

// clustersIn reads the clusters of a stage behind those that are in the room.
func (r *runReader) clustersIn(room *Room) []placement.ClusterStatus {
	all, likely := room.clusters, ""
	from := len(all)
	member := func(name string) {
		c := &all[len(all)-1]
		switch name {
		case "clusterName":
			c.ClusterName = r.sameText(likely)
		case "resourceOverrideSnapshots":
			r.into(&c.ResourceOverrideSnapshots)
		case "clusterResourceOverrideSnapshots":
			r.into(&c.ClusterResourceOverrideSnapshots)
		case "conditions":
			c.Conditions = r.conditions()
		default:
			r.raw()
		}
	}
	element := func() {
		if likely = ""; len(all) < cap(all) {
			likely = all[:len(all)+1][len(all)].ClusterName
		}
		all = append(all, placement.ClusterStatus{})
		r.members(member)
	}
	there := r.elements(element)
	room.clusters = all
	switch {
	case !there:
		return nil
	case len(all) == from:
		return []placement.ClusterStatus{}
	}
	return all[from:len(all):len(all)]
}
