package engine

import (
	"cmp"
	"slices"
	"strings"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// Triage tells why a run or a cluster is as it is. engine/triage has the only
// one; it is an interface because that package imports this one.
type Triage interface {
	// Run explains a row of the list.
	Run(c *Case) Diagnosis
	// Cluster explains a cluster of the opened run: in a clause for its row,
	// empty when nothing is wrong with it, and at length.
	Cluster(c *Case, cluster *CaseCluster) (why Text, d Diagnosis)
}

// Case is what Triage is told of one row: the finished view, which lacks only
// its Why, and the raw objects behind it. Nothing in it may be changed.
type Case struct {
	Now        time.Time
	Hub        Hub
	StuckAfter time.Duration
	View       *RunView

	// Run is nil for a row without a whole run: printed rows, runs that could
	// not be decoded, and placements without a run.
	Run *placement.StagedUpdateRun
	// Broken is why a run could not be decoded, raw.
	Broken string
	// Initialized, Progressing and Succeeded are the run's conditions.
	Initialized, Progressing, Succeeded Fact
	// Begun reports whether any stage has left its start.
	Begun bool

	// Placement is nil when it is unknown; NoPlacement says that it is known
	// not to exist.
	Placement   *Placement
	NoPlacement bool
	// Bindings says whether the bindings of Clusters can be trusted to be there.
	Bindings Coverage
	// Clusters are those that were started and are not done, in the hub's order.
	Clusters []CaseCluster
	// WinnerEnded means that View.TakenBy is known to have ended.
	WinnerEnded bool
	// WinnerGone is set when the run that preempted this one does not exist any more.
	WinnerGone bool
	// Nearby is nil while it is not read for the placement.
	Nearby *Nearby
	// InitFailed are the runs of a placement without a run that failed
	// initialization, the youngest first.
	InitFailed []ID
	// Rivals are other unfinished runs of the placement that move or have moved
	// clusters, in the order of their IDs.
	Rivals []Rival

	members *World
	reader  *reader
}

// CaseCluster is a cluster of a stage, as it was read. Strings are raw.
type CaseCluster struct {
	Stage   int // index into View.Stages
	Name    string
	State   ClusterState
	Started time.Time
	StuckAt time.Time
	// Outcome is the cluster's Succeeded.
	Outcome Fact
	// Binding is nil when it is not there, or not known (Case.Bindings).
	Binding *Binding
	// Landed reports that the binding tells of success and the run does not yet.
	Landed bool
	// CheckBy is until when the controller checks a landed cluster.
	CheckBy time.Time
	// TakenBy names the run that took the cluster, "" when nothing tells;
	// TakenAt is when, zero for a cluster that was not taken. A taken cluster of
	// a run that is asked to stop keeps its state.
	TakenBy string
	TakenAt time.Time
}

// Holding is how many finished clusters of the run hold a snapshot now.
type Holding struct {
	// Index is the snapshot's index, "" when the binding names none.
	Index string
	// Run is the run that wrote it, "" for this one or when nothing tells.
	Run string
	// Clusters are raw, in this run's order.
	Clusters []string
}

// Holdings returns what the bindings of finished clusters hold now: first this
// run's snapshot, then others in the run's order. Clusters without a binding are
// left out. False when the bindings or the run's snapshot are not known.
func (c *Case) Holdings() ([]Holding, bool) {
	r := c.reader
	want := r.snapshotName()
	if r.bindings == nil || want == "" {
		return nil, false
	}
	out := []Holding{{Index: SnapshotIndex(want)}}
	for i := range r.stages {
		if r.stages[i].deletion {
			continue
		}
		for j := range r.stages[i].clusters {
			cl := &r.stages[i].clusters[j]
			if cl.state != ClusterDone || cl.binding == nil {
				continue
			}
			h := Holding{Index: SnapshotIndex(cl.binding.SnapshotName)}
			if cl.binding.SnapshotName != want {
				h.Run = r.otherOwner(cl.binding)
			}
			at := slices.IndexFunc(out, func(o Holding) bool { return o.Index == h.Index && o.Run == h.Run })
			if at < 0 {
				at, out = len(out), append(out, h)
			}
			out[at].Clusters = append(out[at].Clusters, cl.name)
		}
	}
	return out, true
}

// Progressed returns the last moment at which the run is known to have moved.
func (c *Case) Progressed() time.Time { return c.reader.progressed(c.View) }

// Rival is another unfinished run of the same placement with another snapshot.
type Rival struct {
	ID    ID
	Index Text
	// Stopped means that it starts nothing until it is resumed.
	Stopped bool
	// Clusters are those that neither run has done yet: whichever writes one
	// last takes it (docs/kubefleet.md#quirks, 7.16). Raw, in this run's order.
	Clusters []string
}

// Member returns the member cluster of a name, nil when there is none. Without
// known the members were not read, and nil says nothing.
func (c *Case) Member(name string) (m *Member, known bool) {
	if c.members == nil {
		return nil, false
	}
	m = c.members.Members[name]
	return m, m != nil || c.members.Covered[CoverAll(KindMemberCluster)].State == CoverComplete
}

// Placements lists the placements of the case's scope by name, and whether all
// are known.
func (c *Case) Placements() (all []*Placement, known bool) {
	if c.members == nil {
		return nil, false
	}
	of := c.View.Placement
	for id, p := range c.members.Placements {
		if id.kind == of.kind && id.ns == of.ns {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b *Placement) int { return a.ID.Compare(b.ID) })
	return all, c.members.covered(of.kind, of.ns)
}

// PlacementBindings lists the bindings of the placement by cluster, and whether
// all are known.
func (c *Case) PlacementBindings() (all []*Binding, known bool) {
	if c.members == nil {
		return nil, false
	}
	key := c.View.Placement.Key()
	for _, b := range c.members.Bindings[key] {
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b *Binding) int { return cmp.Or(strings.Compare(a.Cluster, b.Cluster), a.ID.Compare(b.ID)) })
	return all, c.members.Covered[CoverBindings(key)].State == CoverComplete
}

// Request returns the approval request of a name in the run's scope, nil when
// there is none, and whether all are known.
func (c *Case) Request(name string) (request *placement.ApprovalRequest, known bool) {
	if c.members == nil {
		return nil, false
	}
	of := c.View.ID
	kind := of.kind.Twin(KindClusterApprovalRequest, KindApprovalRequest)
	for id, a := range c.members.Approvals {
		if id.kind == kind && id.ns == of.ns && id.name == name {
			return a, true
		}
	}
	return nil, c.members.covered(kind, of.ns)
}

// LookAgain asks for another Diagnosis at t, when time alone changes it.
func (c *Case) LookAgain(t time.Time) {
	if c.reader != nil {
		c.reader.wake(t)
	}
}

// Clock returns a time for a sentence and asks for another look at midnight,
// when it gets a day.
func (c *Case) Clock(t time.Time) Text {
	y, m, d := c.Now.UTC().Date()
	c.LookAgain(time.Date(y, m, d+1, 0, 0, 0, 0, time.UTC))
	return Clock(t, c.Now)
}

// Plan returns the plan of the run, nil when it was not read.
func (c *Case) Plan() *Plan {
	if c.Nearby == nil {
		return nil
	}
	return c.Nearby.Plans[c.View.PlanSpec()]
}

// Stage returns the raw status behind View.Stages[i].
func (c *Case) Stage(i int) *placement.StageStatus { return c.reader.stages[i].status }

func (r *reader) theCase(v *RunView) *Case {
	c := &Case{
		Now: r.now, Hub: r.w.Hub, StuckAfter: r.stuckAfter(), View: v,
		Run: r.run, Initialized: r.init, Progressing: r.prog, Succeeded: r.succ, Begun: r.begun(),
		Placement:   r.place,
		NoPlacement: r.place == nil && r.w.covered(r.placementID().kind, r.id.ns),
		Bindings:    r.w.Covered[CoverBindings(r.placementID())],
		Rivals:      r.rivals,
		Nearby:      r.w.nearby(r.placementID()),
		members:     r.w, reader: r,
	}
	if winner := r.w.Runs[v.TakenBy]; winner != nil {
		w := reader{w: r.w, now: r.now, id: v.TakenBy, run: winner}
		w.read()
		c.WinnerEnded = w.terminal
	} else if !v.TakenBy.IsZero() {
		c.WinnerGone = r.w.covered(r.id.kind, r.id.ns)
	}
	for i := range r.stages {
		for j := range r.stages[i].clusters {
			cl := &r.stages[i].clusters[j]
			switch cl.state {
			case ClusterComing, ClusterDone, ClusterRemoved:
			default:
				c.Clusters = append(c.Clusters, r.caseCluster(i, cl))
			}
		}
	}
	return c
}

func (r *reader) caseCluster(stage int, c *clusterRead) CaseCluster {
	out := CaseCluster{
		Stage: stage, Name: c.name, State: c.state, StuckAt: c.stuckAt,
		Outcome: c.done, Binding: c.binding, Landed: c.landed, TakenBy: c.takenBy, TakenAt: c.takenAt,
	}
	if c.start.Truth == TruthYes {
		out.Started = c.start.Since
	}
	if !c.landedAt.IsZero() {
		began := out.Started
		if t := r.stages[stage].status.StartTime; t != nil {
			began = sooner(began, t.Time)
		}
		out.CheckBy = c.landedAt.Add(retryWithin(c.landedAt.Sub(began)))
	}
	return out
}

// bare finishes a row that has no whole run behind it.
func (o *observation) bare(v *RunView, broken string) *RunView {
	if t := o.w.Triage; t != nil {
		v.Why = t.Run(&Case{
			Now: o.now, Hub: o.w.Hub, StuckAfter: o.w.Settings.StuckAfter, View: v, Broken: broken,
			Placement: o.w.Placements[v.Placement], Nearby: o.w.nearby(v.Placement), members: o.w,
			InitFailed: o.youngest(o.initFailed[v.Placement.Key()]),
		})
	}
	return o.keep(v)
}

// youngest sorts runs by their age.
func (o *observation) youngest(runs []ID) []ID {
	slices.SortFunc(runs, func(a, b ID) int {
		return cmp.Or(o.w.Runs[b].CreationTimestamp.Compare(o.w.Runs[a].CreationTimestamp.Time), a.Compare(b))
	})
	return runs
}

// Failure returns the Initialized condition of a run of InitFailed.
func (c *Case) Failure(run ID) Fact {
	if r := c.members.Runs[run]; r != nil {
		return ReadCondition(r.Status.Conditions, placement.RunInitialized)
	}
	return Fact{}
}

// unfinished sorts the runs that are not over by placement, each list in the
// order of IDs.
func (w *World) unfinished() map[ID][]ID {
	out := map[ID][]ID{}
	for id, run := range w.Runs {
		conds := run.Status.Conditions
		if run.DeletionTimestamp != nil || ReadCondition(conds, placement.RunInitialized).Truth != TruthYes ||
			ReadCondition(conds, placement.RunSucceeded).Truth != TruthAbsent {
			continue
		}
		key := placementKey(id, run.Spec.PlacementName)
		out[key] = append(out[key], id)
	}
	for _, ids := range out {
		slices.SortFunc(ids, ID.Compare)
	}
	return out
}

// rivals finds the other unfinished runs of the placement and the clusters that
// each would take from this one, or lose to it. A run of the same snapshot
// takes nothing: its clusters are in sync (docs/kubefleet.md#cluster-checks).
func (o *observation) rivals(id, key ID) []Rival {
	all := o.unfinished[key]
	if !slices.Contains(all, id) || len(all) < 2 {
		return nil
	}
	run := o.w.Runs[id]
	index := run.Status.ResourceSnapshotIndexUsed
	open := openClusters(run)
	var out []Rival
	for _, other := range all {
		r := o.w.Runs[other]
		if other == id || index != "" && index == r.Status.ResourceSnapshotIndexUsed {
			continue
		}
		rd := reader{w: o.w, now: o.now, id: other, run: r}
		rd.read()
		if r.Spec.State == placement.StateInitialize && !rd.begun() {
			continue // it touches nothing before it is started
		}
		rival := Rival{ID: other, Index: Clean(r.Status.ResourceSnapshotIndexUsed), Stopped: rd.stopWanted()}
		theirs := map[string]bool{}
		for _, name := range openClusters(r) {
			theirs[name] = true
		}
		for _, name := range open {
			if theirs[name] {
				rival.Clusters = append(rival.Clusters, name)
			}
		}
		if len(rival.Clusters) > 0 {
			out = append(out, rival)
		}
	}
	return out
}

// openClusters lists the clusters that a run has not done, in its order.
func openClusters(run *placement.StagedUpdateRun) []string {
	var out []string
	for i := range run.Status.StagesStatus {
		s := &run.Status.StagesStatus[i]
		for j := range s.Clusters {
			if ReadCondition(s.Clusters[j].Conditions, placement.ClusterSucceeded).Truth != TruthYes {
				out = append(out, s.Clusters[j].ClusterName)
			}
		}
	}
	return out
}
