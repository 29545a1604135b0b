package pass

import (
	"time"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// Input is the closed set of whole objects that decide one pass of one run.
//
// It is scope neutral: a cluster-scoped run and everything around it travel as
// their namespaced twins with an empty Namespace (the Go types of both scopes
// convert into each other). The caller reads it from its caches, as upstream
// does; it may hold more objects than the run needs, because every rule about
// labels, names and namespaces is applied here. Reconcile reads Input and
// never changes what it points to.
type Input struct {
	// Run is the run itself; nil when it no longer exists.
	Run *placement.StagedUpdateRun
	// Placement is the object that the run's placementName names in the run's
	// scope; nil when it does not exist.
	Placement *placement.ResourcePlacement
	// PolicySnapshots are the scheduling policy snapshots of the run's scope.
	PolicySnapshots []*placement.SchedulingPolicySnapshot
	// Bindings are the bindings of the run's scope.
	Bindings []*placement.ResourceBinding
	// Strategy is the object that the run names; nil when it does not exist.
	Strategy *placement.StagedUpdateStrategy
	// Members are the hub's member clusters, at least those that the bindings
	// target.
	Members []*cluster.MemberCluster
	// ResourceSnapshots are the resource snapshots of the run's scope; of an initialized
	// run only the one that it uses, nil when it was not read.
	ResourceSnapshots []*placement.ResourceSnapshot
	// ClusterOverrides and Overrides are the override snapshots of the hub.
	ClusterOverrides []*placement.ClusterResourceOverrideSnapshot
	Overrides        []*placement.ResourceOverrideSnapshot
	// Kinds are the kinds that the hub serves (see KindsOf). They are needed to
	// select resources and to distinguish cluster-scoped from namespaced ones.
	Kinds []Kind
	// PlacementNames and StrategyNames are what the run could name instead of a
	// placement or a strategy that does not exist: the External placements and the
	// strategies of its scope. No rule reads them; a plan names them in its hints.
	PlacementNames, StrategyNames []string
	// Propagation are the controller settings that limit what is selected.
	Propagation Propagation
	// Failed holds the errors of the reads above. What was not read is unknown,
	// not absent.
	Failed ReadErrors
}

// ReadErrors are the errors of the reads behind an Input. A rule that reaches
// a failed read ends the pass with that error, to be tried again.
type ReadErrors struct {
	Placement, PolicySnapshots, Bindings, Strategy, Members, ResourceSnapshots, Overrides error
	// Kinds says that no kinds are known at all: who knew some before goes on
	// with those.
	Kinds error
}

// Need names the parts of an Input that a pass over a run can read.
type Need struct {
	Placement, PolicySnapshots, Bindings, Strategy, Members, ResourceSnapshots, Overrides bool
}

// NeedOf returns which parts of the Input the next pass of run can read, so
// that a caller without caches reads no more than that.
func NeedOf(run *placement.StagedUpdateRun) Need {
	if run == nil || run.DeletionTimestamp != nil || InitFailed(run) || Finished(run) {
		return Need{}
	}
	validate := Need{Placement: true, PolicySnapshots: true, Bindings: true, Members: true}
	if Initialized(run) {
		return validate
	}
	validate.Strategy, validate.ResourceSnapshots, validate.Overrides = true, true, true
	return validate
}

// Timing are the waits of the state machine (docs/kubefleet.md#constants).
type Timing struct {
	// ClusterCheck is the wait between two looks at updating clusters, at the
	// deletion stage and while stopping.
	ClusterCheck time.Duration
	// StageCheck is the wait between two looks at a pending approval.
	StageCheck time.Duration
	// StuckAfter is how long a started cluster may take before the run says
	// that it is stuck.
	StuckAfter time.Duration
	// BackoffBase and BackoffMax bound the wait after an error.
	BackoffBase, BackoffMax time.Duration
}

// DefaultTiming returns the waits that upstream uses.
func DefaultTiming() Timing {
	return Timing{
		ClusterCheck: 15 * time.Second,
		StageCheck:   60 * time.Second,
		StuckAfter:   5 * time.Minute,
		BackoffBase:  5 * time.Millisecond,
		BackoffMax:   1000 * time.Second,
	}
}

// Workers is the number of runs of one scope that upstream reconciles at the
// same time (docs/kubefleet.md#constants): a slow run delays the others.
const Workers = 1
