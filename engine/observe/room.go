package observe

import (
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// room is memory that the readers of a pass use in turn: what one has read is not needed any
// more when its view is made.
type room struct {
	free  [][]clusterRead
	bound map[string]*world.Binding
	// old, placements and runIDs are those of an observation.
	old        map[engine.ID]*engine.RunView
	placements map[engine.ID]*world.Placement
	runIDs     map[engine.ID]engine.ID
	// whole has the run of a reader, own and other have two runs that compete.
	whole, own, other world.Room
}

// rooms keeps the memory between passes, as far as the garbage collector leaves it.
var rooms = sync.Pool{New: func() any { return &room{} }}

// clusters returns memory for n clusters, whatever is in it. Without a room it is new.
func (m *room) clusters(n int) []clusterRead {
	if m != nil {
		for i, free := range m.free {
			if cap(free) >= n {
				last := len(m.free) - 1
				m.free[i], m.free = m.free[last], m.free[:last]
				return free[:n]
			}
		}
	}
	return make([]clusterRead, n)
}

// emptied returns a map without entries.
func emptied[K comparable, V any](m *map[K]V) map[K]V {
	if *m == nil {
		*m = map[K]V{}
	}
	clear(*m)
	return *m
}

// mostFree is how many stages of one run have their memory kept.
const mostFree = 32

// done gives back the memory of a reader of which nothing is needed any more.
func (r *reader) done() {
	if r.room == nil {
		return
	}
	for i := range r.stages {
		if all := r.stages[i].clusters; cap(all) > 0 && len(r.room.free) < mostFree {
			r.room.free = append(r.room.free, all)
		}
	}
	r.stages, r.room = nil, nil
}

// clusterFacts are the facts that a list of conditions of a cluster says.
type clusterFacts struct {
	of          []metav1.Condition
	start, done engine.Fact
}

// factsOf reads the conditions of a cluster. Clusters that were started together share them.
func (r *reader) factsOf(conditions []metav1.Condition) *clusterFacts {
	f := &r.facts
	if len(conditions) == 0 || len(f.of) != len(conditions) || &f.of[0] != &conditions[0] {
		*f = clusterFacts{
			of:    conditions,
			start: engine.ReadCondition(conditions, placement.ClusterStarted),
			done:  engine.ReadCondition(conditions, placement.ClusterSucceeded),
		}
	}
	return f
}
