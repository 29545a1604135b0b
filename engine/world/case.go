package world

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/plan"
)

// Triage diagnoses runs and clusters. engine/triage implements it; it is an
// interface because that package imports this one.
type Triage interface {
	// Run explains a row of the list.
	Run(c *Case) engine.Diagnosis
	// Cluster explains a cluster of the opened run: in a clause for its row,
	// empty when nothing is wrong with it, and at length.
	Cluster(c *Case, cluster *CaseCluster) (why engine.Text, d engine.Diagnosis)
}

// Case is the input of Triage for one row: the view, complete except for its
// Why, and the raw objects it was computed from. Nothing in it may be changed.
type Case struct {
	Now        time.Time
	Hub        engine.Hub
	StuckAfter time.Duration
	View       *engine.RunView

	// Run is nil for a row without a whole run: printed rows, runs that could
	// not be decoded, and placements without a run.
	Run *placement.StagedUpdateRun
	// Broken is why a run could not be decoded, raw.
	Broken string
	// Initialized, Progressing and Succeeded are the run's conditions.
	Initialized, Progressing, Succeeded engine.Fact
	// Begun reports whether any stage has left its start.
	Begun bool

	// Placement is nil when it is unknown; NoPlacement says that it is known
	// not to exist.
	Placement   *Placement
	NoPlacement bool
	// Bindings says whether the bindings of Clusters can be trusted to be there.
	Bindings engine.Coverage
	// Clusters are those that were started and are not done, in the hub's order.
	Clusters []CaseCluster
	// WinnerEnded means that View.PreemptedBy is known to have ended.
	WinnerEnded bool
	// WinnerGone is set when the run that preempted this one no longer exists.
	WinnerGone bool
	// Nearby is nil while it is not read for the placement.
	Nearby *Nearby
	// InitFailed are the runs of a placement without a run that failed
	// initialization, the youngest first.
	InitFailed []engine.ID
	// CompetingRuns are other unfinished runs of the placement that move or have moved
	// clusters, in the order of their IDs.
	CompetingRuns []CompetingRun

	// World is what the case was read from, nil when triage may see no more than
	// the row.
	World *World
	// Reading is nil for a row without a whole run.
	Reading Reading

	// planned are the results of Planned.
	planned map[bool]*plan.Plan

	// sorted has what is listed once for all parts of a Diagnosis.
	sorted struct {
		bindings []*Binding
		members  []*Member
	}

	// used notes what a Diagnosis was made from, whether it was read or not.
	used struct{ bindings, member bool }
}

// UseBindings notes that the Diagnosis depends on the bindings of Clusters.
func (c *Case) UseBindings() { c.used.bindings = true }

// UsedBindings reports whether the Diagnosis depends on the bindings of the placement.
func (c *Case) UsedBindings() bool { return c.used.bindings }

// UsedMember reports whether the Diagnosis depends on what members returned.
func (c *Case) UsedMember() bool { return c.used.member }

// Reading is the pass of engine/observe in which a Case was made.
type Reading interface {
	// Holdings is what Case.Holdings returns.
	Holdings() ([]Holding, bool)
	// Progressed returns the last moment at which the run is known to have moved.
	Progressed(v *engine.RunView) time.Time
	// Status returns the raw status behind View.Stages[stage].
	Status(stage int) *placement.StageStatus
	// RunNamed returns the youngest run of a name in the scope of the run, nil for none.
	RunNamed(name string) *placement.StagedUpdateRun
	// Younger returns the youngest run of the placement that has not failed and is
	// not being deleted, if it was created after the run; nil for none.
	Younger() *placement.StagedUpdateRun
	// LookAgain asks for another pass at t.
	LookAgain(t time.Time)
}

// Since is from when the cluster is on the way: its start, or since when it is its turn.
func (c *CaseCluster) Since() time.Time {
	if c.Started.IsZero() {
		return c.StartBlocked
	}
	return c.Started
}

// CaseCluster is a cluster of a stage, as it was read. Strings are raw.
type CaseCluster struct {
	Stage   int // index into View.Stages
	Name    string
	State   engine.ClusterState
	Started time.Time // of the condition Started; zero without it
	StuckAt time.Time
	// Overrides are the override snapshots that the run records, as OverrideNames.
	Overrides []string
	// StartBlocked is since when it is the cluster's turn and the controller does not
	// start it, because its binding has the run's snapshot and fails; zero otherwise.
	StartBlocked time.Time
	// Outcome is the cluster's Succeeded.
	Outcome engine.Fact
	// Binding is nil when it is not there, or not known (Case.Bindings).
	Binding *Binding
	// Landed reports that the binding succeeded and the run has not recorded it
	// yet.
	Landed bool
	// CheckBy is until when the controller checks a landed cluster.
	CheckBy time.Time
	// PreemptedBy names the run that owns the binding, "" if unknown; PreemptedAt is
	// since when, zero for a cluster that was not preempted. A cluster of a stopping
	// run that was preempted keeps its state.
	PreemptedBy string
	PreemptedAt time.Time
	// Restored means that the cluster failed because it was preempted, and that its
	// binding has now what this run rolls out; RestoredBy is the run that wrote it, "" if
	// unknown.
	Restored   bool
	RestoredBy string
}

// Holding is how many finished clusters of the run hold a snapshot now.
type Holding struct {
	// Index is the snapshot's index, "" when the binding names none.
	Index string
	// Run is the run that wrote it, "" for this one or if unknown.
	Run string
	// Same means that the snapshot is this run's, with other overrides or another apply
	// strategy.
	Same bool
	// Early means that Run wrote it before this run had recorded the clusters as done: the
	// controller recorded the success of the other run's rollout.
	Early bool
	// Gone means that the clusters have no binding any more.
	Gone bool
	// Clusters are raw, in this run's order.
	Clusters []string
	// Unavailable are those of Clusters whose binding has a condition that is False now; of a
	// run that only reports differences there are none. Different, raw, are those on which
	// differences are reported, Unreported those that do not report any result now.
	Unavailable           []CaseCluster
	Different, Unreported []string
}

// Replaced reports whether the clusters have something else than this run rolled out.
func (h *Holding) Replaced(own string) bool { return !h.Gone && (h.Same || h.Index != own) }

// Holdings returns what the bindings of finished clusters hold now: first this
// run's snapshot, then others in the run's order; of an unfinished run, those without a
// binding are left out. False when the bindings or the run's snapshot are not known.
func (c *Case) Holdings() ([]Holding, bool) {
	c.used.bindings = true
	if c.Reading == nil {
		return nil, false
	}
	return c.Reading.Holdings()
}

// Progressed returns the last moment at which the run is known to have moved.
func (c *Case) Progressed() time.Time {
	if c.Reading == nil {
		return time.Time{}
	}
	return c.Reading.Progressed(c.View)
}

// CompetingRun is another unfinished run of the same placement with another snapshot or, if
// Same, with the same snapshot and other overrides.
type CompetingRun struct {
	Same  bool
	ID    engine.ID
	Index engine.Text
	// Stopped means that it starts nothing until it is resumed; Stopping, that clusters
	// are still updating.
	Stopped, Stopping bool
	// Stuck means that the controller calls it stuck: it may never finish.
	Stuck bool
	// Initialize means that its spec.state is Initialize although stages have started: the
	// API server rejects Stop for it.
	Initialize bool
	// Clusters are those that neither run has done yet: whichever writes one
	// last takes it (docs/kubefleet.md#quirks, 7.16). Raw, in this run's order.
	Clusters []string
}

// Member returns the member cluster of a name, nil when there is none. Without
// known the members were not read, and nil says nothing.
func (c *Case) Member(name string) (m *Member, known bool) {
	if c.World == nil {
		return nil, false
	}
	m = c.World.Members[name]
	return m, m != nil || c.World.Covered[CoverAll(engine.KindMemberCluster)].State == engine.CoverComplete
}

// Members lists the member clusters by name, and whether all are known. The list must not
// be changed.
func (c *Case) Members() (all []*Member, known bool) {
	if c.World == nil {
		return nil, false
	}
	if c.sorted.members == nil {
		all = slices.AppendSeq(make([]*Member, 0, len(c.World.Members)), maps.Values(c.World.Members))
		slices.SortFunc(all, func(a, b *Member) int { return a.ID.Compare(b.ID) })
		c.sorted.members = slices.Clip(all)
	}
	return c.sorted.members, c.World.Covered[CoverAll(engine.KindMemberCluster)].State == engine.CoverComplete
}

// Placements lists the placements of the case's scope by name, and whether all
// are known.
func (c *Case) Placements() (all []*Placement, known bool) {
	if c.World == nil {
		return nil, false
	}
	of := c.View.Placement
	for id, p := range c.World.Placements {
		if id.Kind() == of.Kind() && id.RawNamespace() == of.RawNamespace() {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b *Placement) int { return a.ID.Compare(b.ID) })
	return all, c.World.Known(of.Kind(), of.RawNamespace())
}

// PlacementBindings lists the bindings of the placement by cluster, and whether
// all are known. The list must not be changed.
func (c *Case) PlacementBindings() (all []*Binding, known bool) {
	c.used.bindings = true
	if c.World == nil {
		return nil, false
	}
	key := c.View.Placement.Key()
	if c.sorted.bindings == nil {
		all = slices.AppendSeq(make([]*Binding, 0, len(c.World.Bindings[key])), maps.Values(c.World.Bindings[key]))
		slices.SortFunc(all, func(a, b *Binding) int { return cmp.Or(strings.Compare(a.Cluster, b.Cluster), a.ID.Compare(b.ID)) })
		c.sorted.bindings = slices.Clip(all)
	}
	return c.sorted.bindings, c.World.Covered[CoverBindings(key)].State == engine.CoverComplete
}

// Request returns the approval request of a name in the run's scope, nil when
// there is none, and whether all are known.
func (c *Case) Request(name string) (request *placement.ApprovalRequest, known bool) {
	if c.World == nil {
		return nil, false
	}
	of := c.View.ID
	kind := of.Kind().InScope(engine.KindClusterApprovalRequest, engine.KindApprovalRequest)
	for id, a := range c.World.Approvals {
		if id.Kind() == kind && id.RawNamespace() == of.RawNamespace() && id.RawName() == name {
			return a, true
		}
	}
	return nil, c.World.Known(kind, of.RawNamespace())
}

// Failure returns the Initialized condition of a run of InitFailed.
func (c *Case) Failure(run engine.ID) engine.Fact {
	if r := c.World.Runs[run]; r != nil {
		return engine.ReadCondition(r.Status.Conditions, placement.RunInitialized)
	}
	return engine.Fact{}
}

// LookAgain requests another Diagnosis at t, for one that changes with time
// alone.
func (c *Case) LookAgain(t time.Time) {
	if c.Reading != nil {
		c.Reading.LookAgain(t)
	}
}

// Clock returns a time of day for a sentence, and requests another Diagnosis at
// midnight, from when on the sentence needs the date.
func (c *Case) Clock(t time.Time) engine.Text {
	y, m, d := c.Now.UTC().Date()
	c.LookAgain(time.Date(y, m, d+1, 0, 0, 0, 0, time.UTC))
	return engine.Clock(t, c.Now)
}

// Plan returns the plan of the run, nil when it was not read.
func (c *Case) Plan() *plan.Plan {
	if c.Nearby == nil {
		return nil
	}
	return c.Nearby.Plans[c.View.PlanSpec()]
}

// Planned returns the plan that compute makes of the case's objects: of a new run like
// the case's, or of the run itself. It computes each once, as every diagnosis of a
// cluster needs them.
func (c *Case) Planned(ofNew bool, compute func() plan.Plan) *plan.Plan {
	if p := c.planned[ofNew]; p != nil {
		return p
	}
	if c.planned == nil {
		c.planned = map[bool]*plan.Plan{}
	}
	p := compute()
	c.planned[ofNew] = &p
	return &p
}

// Stage returns the raw status behind View.Stages[i].
func (c *Case) Stage(i int) *placement.StageStatus { return c.Reading.Status(i) }
