package observe

import (
	"reflect"
	"slices"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/message"
	"github.com/stagewatch/stagewatch/engine/world"
)

// Thresholds that are not a person's choice.
const (
	// comingLimit is how many of the next clusters a stage names.
	comingLimit = 10
)

// reader turns one run and what belongs to it into a RunView. It lives for one
// pass and holds no state between passes.
type reader struct {
	w         *world.World
	now       time.Time
	id        engine.ID
	run       *placement.StagedUpdateRun
	place     *world.Placement                      // nil when unknown
	approvals map[string]*placement.ApprovalRequest // of this run's scope, by name
	bindings  map[string]*world.Binding             // by cluster; nil when they are not all known
	runs      func(name string) engine.ID           // the ID of another run of this scope
	competing []world.CompetingRun
	youngest  engine.ID       // of the placement that has not failed, zero for none
	was       *engine.RunView // of the last Snapshot, nil for none
	kase      *world.Case     // made once: its plans are
	room      *room           // nil for a reader that is kept

	snapshot string       // what snapshotName returned
	noFacts  clusterFacts // of a cluster without conditions
	texts    texts

	init, prog, succ engine.Fact
	terminal         bool
	outdated         bool            // see RunView
	named            map[string]bool // clusters the hub's stuck message names
	stages           []stageRead
	next             time.Time
}

// stageRead is what was read of one stage before it becomes a StageView.
type stageRead struct {
	status     *placement.StageStatus
	config     *placement.StageConfig // nil when the snapshot does not have it
	deletion   bool
	prog, succ engine.Fact
	clusters   []clusterRead
	facts      []clusterFacts // of the clusters
}

// clusterRead is what was read of one cluster of a stage.
type clusterRead struct {
	name     string
	deletion bool // in the deletion stage: the run removes it and rolls nothing out to it
	state    engine.ClusterState
	*clusterFacts
	stuckAt      time.Time
	binding      *world.Binding
	synced       bool   // the binding has what the run rolls out
	preemptedBy  string // run that owns the binding now, "" when unknown
	preemptedAt  time.Time
	overrides    []string  // override snapshots that the run records for the cluster
	startBlocked time.Time // since when the controller has not started it, because its binding fails
	landed       bool      // finished by its binding, and not recorded in the run yet
	landedAt     time.Time
}

func (r *reader) stuckAfter() time.Duration {
	if d := r.w.Settings.StuckAfter; d > 0 {
		return d
	}
	return engine.StuckDefault
}

// LookAgain asks for another look at t, when t is still to come.
func (r *reader) LookAgain(t time.Time) {
	if t.After(r.now) {
		r.next = engine.Earlier(r.next, t)
	}
}

// read reads the run's conditions, then its stages and clusters.
func (r *reader) read() {
	st := &r.run.Status
	r.init = engine.ReadCondition(st.Conditions, placement.RunInitialized)
	r.prog = engine.ReadCondition(st.Conditions, placement.RunProgressing)
	r.succ = engine.ReadCondition(st.Conditions, placement.RunSucceeded)
	// The hub never moves a run again that failed to initialize or that has an
	// outcome, whatever its generation says (docs/kubefleet.md#generations).
	r.terminal = r.init.Truth == engine.TruthNo || r.succ.Truth == engine.TruthNo || r.succ.Truth == engine.TruthYes
	if r.hubSaysStuck() {
		r.named = map[string]bool{}
		for _, n := range message.StuckNames(r.prog.Message) {
			r.named[n] = true
		}
	}
	for i := range st.StagesStatus {
		r.stages = append(r.stages, r.readStage(&st.StagesStatus[i], r.config(i, st.StagesStatus[i].StageName), false))
	}
	if d := st.DeletionStageStatus; d != nil && (len(d.Clusters) > 0 || engine.ReadCondition(d.Conditions, placement.StageSucceeded).Truth == engine.TruthNo) {
		r.stages = append(r.stages, r.readStage(d, nil, true))
	}
	r.readStartBlocked()
}

func (r *reader) hubSaysStuck() bool {
	return r.prog.Truth == engine.TruthNo && r.prog.Reason == placement.ReasonRunStuck
}

// config finds the stage's settings in the frozen strategy: by position, since
// names need not be unique (docs/kubefleet.md#quirks, 7.9), else by name.
func (r *reader) config(i int, name string) *placement.StageConfig {
	snap := r.run.Status.StagedUpdateStrategySnapshot
	if snap == nil {
		return nil
	}
	if i < len(snap.Stages) && snap.Stages[i].Name == name {
		return &snap.Stages[i]
	}
	for j := range snap.Stages {
		if snap.Stages[j].Name == name {
			return &snap.Stages[j]
		}
	}
	return nil
}

func (r *reader) readStage(s *placement.StageStatus, c *placement.StageConfig, deletion bool) stageRead {
	out := stageRead{
		status: s, config: c, deletion: deletion,
		prog: engine.ReadCondition(s.Conditions, placement.StageProgressing), succ: engine.ReadCondition(s.Conditions, placement.StageSucceeded),
	}
	m := r.room
	if m == nil {
		m = &room{} // what it lends is not given back
	}
	out.clusters, out.facts = m.clusters.take(len(s.Clusters)), m.facts.take(len(s.Clusters))[:0]
	for i := range s.Clusters {
		r.readCluster(&out, &out.clusters[i], &s.Clusters[i])
	}
	return out
}

// readCluster reads a cluster of a stage into c, whatever was in it.
func (r *reader) readCluster(of *stageRead, c *clusterRead, s *placement.ClusterStatus) {
	*c = clusterRead{clusterFacts: r.factsOf(of, s.Conditions), name: s.ClusterName, deletion: of.deletion}
	if len(r.bindings) > 0 {
		c.binding = r.bindings[s.ClusterName]
	}
	c.overrides = world.OverrideNames(s.ClusterResourceOverrideSnapshots, s.ResourceOverrideSnapshots)
	c.synced = c.binding != nil && r.snapshotName() != "" && r.inSync(c)
	switch {
	case c.done.Truth == engine.TruthYes && of.deletion:
		c.state = engine.ClusterDeleted
	case c.done.Truth == engine.TruthYes:
		c.state = engine.ClusterDone
	case c.done.Truth == engine.TruthNo && message.Preempted(c.done.Message):
		c.state, c.preemptedAt = engine.ClusterPreempted, c.done.Since
		c.preemptedBy = r.winner(c)
	case c.done.Truth == engine.TruthNo:
		c.state = engine.ClusterFailed
	case c.start.Truth != engine.TruthYes:
		c.state = engine.ClusterComing
	case of.deletion:
		c.state = engine.ClusterDeleting
		r.readDeletion(c)
	default:
		r.readFlight(c)
	}
}

// readFlight reads a started cluster without an outcome: another run may have
// preempted it, and time decides between updating, slow and stuck
// (docs/kubefleet.md#cluster-checks).
func (r *reader) readFlight(c *clusterRead) {
	c.state = engine.ClusterUpdating
	if r.terminal { // nobody waits for it any more
		c.landedAt, c.landed = r.landed(c.binding, false)
		return
	}
	held := r.preempted(c)
	if held && !r.stopWanted() {
		c.state = engine.ClusterPreempted
		return
	}
	// While stopping upstream checks the result of started clusters and not
	// whose they are: any snapshot that is available counts as success.
	c.landedAt, c.landed = r.landed(c.binding, held)
	began := c.start.Since
	if began.IsZero() {
		if r.named[c.name] {
			c.state = engine.ClusterStuck
		}
		return
	}
	r.age(c, began)
}

// age decides by time whether a started cluster is slow or stuck.
func (r *reader) age(c *clusterRead, began time.Time) {
	limit := r.stuckAfter()
	c.stuckAt = began.Add(limit)
	half := began.Add(limit / 2)
	age := r.now.Sub(began)
	switch {
	case r.named[c.name], age > limit && !c.landed:
		c.state = engine.ClusterStuck
	case age > limit/2:
		c.state = engine.ClusterSlow
		r.LookAgain(c.stuckAt.Add(time.Nanosecond)) // the threshold is exclusive
	default:
		r.LookAgain(half.Add(time.Nanosecond))
	}
}

// readDeletion reads a cluster of the deletion stage whose binding was deleted.
// Upstream waits for the binding to go without a limit and never reports such a
// run as stuck, so the same threshold as for an update is applied here.
func (r *reader) readDeletion(c *clusterRead) {
	if r.terminal {
		return
	}
	c.landed = c.binding == nil && r.bindings != nil
	began := c.start.Since
	if began.IsZero() && c.binding != nil {
		began = c.binding.Deleting
	}
	if !began.IsZero() {
		r.age(c, began)
	}
}

// inSync reports whether a binding has what the run rolls out to the cluster: its
// snapshot, overrides and apply strategy. The controller compares these, and not the
// run named in RolloutStarted (updaterun, isBindingSyncedWithClusterStatus). What the
// run did not record is not compared.
func (r *reader) inSync(c *clusterRead) bool {
	b := c.binding
	apply := r.run.Status.AppliedStrategy
	return b.SnapshotName == r.snapshotName() && r.sameOverrides(c) && (apply == nil || reflect.DeepEqual(b.Apply, apply))
}

func (r *reader) sameOverrides(c *clusterRead) bool {
	return slices.Equal(c.binding.Overrides, c.overrides)
}

// kept reports whether a binding is what a run made of it when it started the cluster
// (updaterun, executeUpdatingStage).
func (r *reader) kept(c *clusterRead) bool {
	return c.binding.State == string(placement.BindingBound) && (c.synced || r.snapshotName() == "" && r.sameOverrides(c)) && rolloutStarted(c.binding)
}

// rolloutStarted reports whether RolloutStarted is True at the binding's generation.
func rolloutStarted(b *world.Binding) bool {
	f := engine.ReadCondition(b.Conditions, placement.BindingRolloutStarted)
	return f.Truth == engine.TruthYes && f.At(b.Generation)
}

// policyChanged reports whether the scheduler has moved a binding to another policy
// snapshot than the run recorded: the controller fails the run for that first.
func (r *reader) policyChanged(b *world.Binding) bool {
	used := r.run.Status.PolicySnapshotIndexUsed
	return used != "" && b.PolicyName != "" && b.PolicyName != r.run.Spec.PlacementName+"-"+used
}

// otherOwner returns the run whose name stands in the binding's RolloutStarted,
// when it is not this one.
func (r *reader) otherOwner(b *world.Binding) string {
	if b == nil {
		return ""
	}
	f := engine.ReadCondition(b.Conditions, placement.BindingRolloutStarted)
	if f.Truth != engine.TruthYes || !f.At(b.Generation) { // nobody started a rollout of what it is now
		return ""
	}
	run := r.texts.rolloutBy(f.Message)
	if run == "" || run == r.id.RawName() || run == r.id.RawNamespace()+"/"+r.id.RawName() {
		return ""
	}
	return run
}

// winner returns the run for which the controller failed a cluster: the one that the
// binding names, unless that one wrote it after the failure.
func (r *reader) winner(c *clusterRead) string {
	owner := r.otherOwner(c.binding)
	if owner == "" || engine.ReadCondition(c.binding.Conditions, placement.BindingRolloutStarted).Since.After(c.done.Since) {
		return ""
	}
	return owner
}

// landed reports whether the binding has the condition that counts as success of
// an update, and since when. The controller may record that in the run much later.
func (r *reader) landed(b *world.Binding, any bool) (time.Time, bool) {
	if b == nil || !any && b.SnapshotName != r.snapshotName() || !engine.ReadCondition(b.Conditions, placement.BindingRolloutStarted).At(b.Generation) {
		return time.Time{}, false
	}
	for _, typ := range []string{placement.BindingAvailable, placement.BindingDiffReported} {
		if f := engine.ReadCondition(b.Conditions, typ); f.Truth == engine.TruthYes && f.At(b.Generation) {
			return f.Since, true
		}
	}
	return time.Time{}, false
}

// snapshotName returns the name of the master snapshot the run rolls out
// (docs/kubefleet.md#names), "" when the run does not say which.
func (r *reader) snapshotName() string {
	if i := r.run.Status.ResourceSnapshotIndexUsed; i != "" && r.snapshot == "" {
		r.snapshot = placement.MasterSnapshotName(r.run.Spec.PlacementName, i)
	}
	return r.snapshot
}

// stopWanted reports whether a person asked the run to stop.
func (r *reader) stopWanted() bool { return r.run.Spec.State == placement.StateStop }

// begun reports whether any stage has left its start; on hubs that ignore
// spec.state this is all there is to tell a parked run from a running one.
func (r *reader) begun() bool {
	for i := range r.stages {
		if r.stages[i].begun() {
			return true
		}
	}
	return false
}

// frozen reports whether spec.state is Initialize although a stage has begun, which keeps a
// controller since v0.2 from any further step (docs/kubefleet.md#quirks, 7.17).
func (r *reader) frozen() bool { return r.run.Spec.State == placement.StateInitialize && r.begun() }

func (s *stageRead) begun() bool {
	if s.prog.Truth != engine.TruthAbsent || s.succ.Truth != engine.TruthAbsent || s.status.StartTime != nil {
		return true
	}
	for i := range s.clusters {
		if s.clusters[i].start.Truth == engine.TruthYes || s.clusters[i].done.Truth != engine.TruthAbsent {
			return true
		}
	}
	return false
}

// finished reports whether the stage is behind the run.
func (s *stageRead) finished() bool { return s.succ.Truth == engine.TruthYes }

// worked reports whether the stage has clusters and all of them are done.
func (s *stageRead) worked() bool {
	for i := range s.clusters {
		if s.clusters[i].done.Truth != engine.TruthYes {
			return false
		}
	}
	return len(s.clusters) > 0
}
