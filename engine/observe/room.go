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
	clusters shelf[clusterRead]
	facts    shelf[clusterFacts]
	bound    map[string]*world.Binding
	// The maps of an observation.
	old           map[engine.ID]*engine.RunView
	family        family
	runIDs        map[engine.ID]engine.ID
	there         map[engine.ID]bool // runs
	wanted, ready map[engine.ID]bool // placements
	// whole has the run of a reader, own and other have two runs that compete.
	whole, own, other world.Room
}

// rooms keeps the memory between passes, as far as the garbage collector leaves it.
var rooms = sync.Pool{New: func() any { return &room{} }}

// shelf has lists that are not used.
type shelf[T any] [][]T

// mostFree is how many lists of a kind are kept: those of a run with so many stages.
const mostFree = 32

// take returns a list of n, whatever is in it.
func (s *shelf[T]) take(n int) []T {
	for i, free := range *s {
		if cap(free) >= n {
			last := len(*s) - 1
			(*s)[i], *s = (*s)[last], (*s)[:last]
			return free[:n]
		}
	}
	return make([]T, n)
}

// put takes a list back.
func (s *shelf[T]) put(list []T) {
	if cap(list) > 0 && len(*s) < mostFree {
		*s = append(*s, list)
	}
}

// emptied returns a map without entries.
func emptied[K comparable, V any](m *map[K]V) map[K]V {
	if *m == nil {
		*m = map[K]V{}
	}
	clear(*m)
	return *m
}

// done gives back the memory of a reader of which nothing is needed any more.
func (r *reader) done() {
	if r.room == nil {
		return
	}
	for i := range r.stages {
		r.room.clusters.put(r.stages[i].clusters)
		r.room.facts.put(r.stages[i].facts)
	}
	r.stages, r.room = nil, nil
}

// clusterFacts are the facts that a list of conditions of a cluster says.
type clusterFacts struct {
	of          []metav1.Condition
	start, done engine.Fact
}

// factsOf reads the conditions of a cluster of a stage. Clusters that were started together
// share them.
func (r *reader) factsOf(s *stageRead, conditions []metav1.Condition) *clusterFacts {
	if len(conditions) == 0 {
		return &r.noFacts
	}
	if n := len(s.facts); n > 0 {
		if f := &s.facts[n-1]; len(f.of) == len(conditions) && &f.of[0] == &conditions[0] {
			return f
		}
	}
	s.facts = append(s.facts, clusterFacts{ // has room for those of each cluster, and so does not move
		of:    conditions,
		start: engine.ReadCondition(conditions, placement.ClusterStarted),
		done:  engine.ReadCondition(conditions, placement.ClusterSucceeded),
	})
	return &s.facts[len(s.facts)-1]
}
