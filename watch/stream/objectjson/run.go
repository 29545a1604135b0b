package objectjson

import (
	"bytes"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/json"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// unmarshal is encoding/json as the API server understands it: names of fields
// are case sensitive.
func unmarshal(raw []byte, v any) error { return json.Unmarshal(raw, v) }

// DecodeRun reads a run: its clusters and conditions, nearly all of its bytes,
// by hand, everything else as its type says. Of managedFields it keeps one entry, with
// the time of the last write that was not one of a subresource, and nothing else.
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
			run.APIVersion = r.text()
		case "kind":
			run.Kind = r.text()
		case "metadata":
			r.meta(&run.ObjectMeta)
		case "spec":
			r.into(&run.Spec)
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

// recentLists is how many different lists of conditions are compared with the next one.
// The controller writes the conditions of the clusters that it starts or checks together
// with one time: of a thousand lists most are one of a few.
const recentLists = 8

// conditionList is a list as it stands in the JSON, and what it was read to.
type conditionList struct {
	raw  []byte
	list []metav1.Condition
}

// others collects members that are decoded by their type, as one object.
type others struct{ b []byte }

func (r *others) add(name string, value []byte) {
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

func (r *others) into(v any) error {
	if len(r.b) == 0 {
		return nil
	}
	return unmarshal(append(r.b, '}'), v)
}

func (r *runReader) meta(m *metav1.ObjectMeta) {
	var more others
	var changed metav1.Time
	r.members(func(name string) {
		if name == "managedFields" {
			changed = r.changed()
		} else if value := r.raw(); plainName(name) {
			more.add(name, value)
		}
	})
	if r.err == nil {
		r.err = more.into(m)
	}
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
				r.into(&at)
			case "subresource":
				r.into(&of)
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
		default:
			if value := r.raw(); plainName(name) {
				more.add(name, value)
			}
		}
	})
	if r.err == nil {
		r.err = more.into(s)
	}
}

func (r *runReader) stage() placement.StageStatus {
	var s placement.StageStatus
	r.members(func(name string) {
		switch name {
		case "stageName":
			s.StageName = r.text()
		case "clusters":
			s.Clusters = r.clusters()
		case "beforeStageTaskStatus":
			r.into(&s.BeforeStageTaskStatus)
		case "afterStageTaskStatus":
			r.into(&s.AfterStageTaskStatus)
		case "startTime":
			r.into(&s.StartTime)
		case "endTime":
			r.into(&s.EndTime)
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

// conditions reads a list of conditions. Lists that are the same, byte by byte, share
// their memory.
func (r *runReader) conditions() []metav1.Condition {
	r.peek()
	rest := r.b[r.i:]
	for i := range r.recent {
		if known := &r.recent[i]; len(known.raw) > 0 && bytes.HasPrefix(rest, known.raw) {
			r.i += len(known.raw)
			return known.list
		}
	}
	list := r.newConditions()
	if r.err == nil && len(list) > 0 {
		r.recent[r.oldest] = conditionList{rest[:len(rest)-len(r.b[r.i:])], list}
		r.oldest = (r.oldest + 1) % recentLists
	}
	return list
}

// conditionRooms have room for the conditions of a list, whose number is known at its end.
var conditionRooms = sync.Pool{New: func() any { return &[]metav1.Condition{} }}

// newConditions reads a list of conditions into memory shared with others.
func (r *runReader) newConditions() []metav1.Condition {
	room, _ := conditionRooms.Get().(*[]metav1.Condition)
	all := (*room)[:0]
	defer func() {
		clear(all)
		*room = all
		conditionRooms.Put(room)
	}()
	member := func(name string) {
		c := &all[len(all)-1]
		switch name {
		case "type":
			c.Type = r.text()
		case "status":
			c.Status = metav1.ConditionStatus(r.text())
		case "observedGeneration":
			c.ObservedGeneration = r.integer()
		case "lastTransitionTime":
			c.LastTransitionTime = r.time()
		case "reason":
			c.Reason = r.text()
		case "message":
			c.Message = r.text()
		default:
			r.raw()
		}
	}
	if !r.elements(func() { all = append(all, metav1.Condition{}); r.members(member) }) {
		return nil
	}
	n := len(all)
	if n == 0 {
		return []metav1.Condition{}
	}
	if n > len(r.slab) {
		r.slab = r.newSlab(n)
	}
	list := r.slab[:n:n]
	r.slab = r.slab[n:]
	copy(list, all)
	return list
}

// slabSize is for how many conditions memory is made together.
const slabSize = 128

// newSlab returns memory for at least n conditions.
func (r *runReader) newSlab(n int) []metav1.Condition {
	m := r.room
	if m != nil && m.used < len(m.slabs) && len(m.slabs[m.used]) >= n {
		m.used++
		return m.slabs[m.used-1]
	}
	size := max(n, slabSize)
	if r.exact {
		size = n
	}
	slab := make([]metav1.Condition, size)
	if m != nil && m.used == len(m.slabs) && size == slabSize {
		m.slabs = append(m.slabs, slab)
		m.used++
	}
	return slab
}
