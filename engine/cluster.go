package engine

import "time"

// Detail is the opened run.
type Detail struct {
	Run *RunView
	// Clusters holds one list per stage of Run.Stages, in the hub's order.
	Clusters [][]ClusterView
	// Bindings says whether the ladders can be trusted to be there.
	Bindings Coverage
	// Reading is true while what the diagnosis uses beside the streams is still
	// being read; Gaps are what of it could not be read.
	Reading bool
	Gaps    []PlanGap
}

// ClusterState is where a cluster stands in its stage.
type ClusterState uint8

// The states of a cluster.
const (
	ClusterComing ClusterState = iota
	ClusterUpdating
	ClusterSlow  // updating for more than half the stuck time
	ClusterStuck // updating for longer than the stuck time
	ClusterTaken // another run wrote the binding
	ClusterFailed
	ClusterDone
	ClusterRemoving // deletion stage: binding is going
	ClusterRemoved
)

// String returns the word for the screen.
func (c ClusterState) String() string {
	//exhaustive:enforce
	switch c {
	case ClusterComing:
		return "pending"
	case ClusterUpdating:
		return "updating"
	case ClusterSlow:
		return "SLOW"
	case ClusterStuck:
		return "STUCK"
	case ClusterTaken:
		return "PREEMPTED"
	case ClusterFailed:
		return "FAILED"
	case ClusterDone:
		return "done"
	case ClusterRemoving:
		return "removing"
	case ClusterRemoved:
		return "removed"
	}
	return "unknown"
}

// ClusterView is one cluster in a stage of the opened run.
type ClusterView struct {
	Name Text
	// Member names the cluster for questions about it.
	Member  ID
	State   ClusterState
	Started time.Time
	Ended   time.Time
	// StuckAt is when the stuck mark is reached; zero before the start.
	StuckAt time.Time
	// Why is the reason in words; empty for a healthy cluster.
	Why Text
	// Diagnosis says the same at length, and notes what is odd about a healthy
	// one; zero when there is nothing to say.
	Diagnosis Diagnosis
	// TakenBy is the run that owns the binding now, when it is another one.
	TakenBy ID
	// TakenAt is since when a cluster is taken; zero for others.
	TakenAt time.Time
	// Bound says whether a binding for the cluster was found; what follows is read
	// from it.
	Bound bool
	// Foreign says in words what the binding reports while its conditions are those
	// of another run's rollout: before this run has reached the cluster, and after
	// another run replaced its rollout. Ladder, Failing, Drifted and Differing are
	// empty then: they are about this run's snapshot only.
	Foreign Text
	Ladder  Ladder
	// Index is the resource snapshot index the binding points at now.
	Index Text
	// Failing lists failed manifests (the API keeps at most 100); FailingMore
	// is how many are not in the list.
	Failing     []ManifestView
	FailingMore int
	Drifted     int
	Differing   int
}

// Rung is one condition of a binding.
type Rung struct {
	State  RungState
	Since  time.Time
	Reason Text
	Why    Text // message
}

// RungState is a condition's status as far as it counts: a condition about an
// older generation of the binding says nothing about this one.
type RungState uint8

// The states of a rung.
const (
	RungNone RungState = iota // condition absent
	RungTrue
	RungFalse
	RungUnknown
	RungOld // about an older generation of the binding
)

// Ladder is the way of an update into a cluster, in order: RolloutStarted,
// Overridden, WorkSynchronized, Applied, Available. With DiffReported in place
// of the last two when the placement only reports diffs.
type Ladder struct {
	RolloutStarted, Overridden, WorkSynchronized, Applied, Available Rung
	DiffReported                                                     Rung
	ReportDiff                                                       bool
}

// ManifestView is a manifest that failed on a member.
type ManifestView struct {
	What   Text // "Deployment shop/web", with its envelope when it came in one
	Cond   Text // Applied or Available
	Reason Text
	Why    Text
	Since  time.Time
}
