// Package plan has Plan and Forecast as values: what a run will do and when, and
// the words for it. Package engine/forecast computes them.
package plan

import (
	"slices"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// Plan is what a run will do, or would do if it were created now: every stage
// with its clusters in order, and every reason for which the controller will
// fail it. It is immutable.
type Plan struct {
	// Run is the run that the plan is for; its UID is empty when the run was
	// only imagined.
	Run engine.ID
	// At is when the plan was made, by the hub's clock.
	At time.Time
	// Placement and Strategy are the names that the run gives.
	Placement engine.Text
	Strategy  engine.Text
	// State is the run's spec.state.
	State engine.Text
	// Snapshot says which resource snapshot is rolled out.
	Snapshot Snapshot
	// Initialized is true when the run has fixed its stages and snapshot: the
	// plan then shows those, and the refusals are those of its next pass.
	Initialized bool
	// Finished is true when the run has ended, well or not, or is being
	// deleted: nothing will happen.
	Finished bool
	// Again is true when the run has failed: the plan is then that of a new run
	// with the same spec.
	Again bool
	// Stages are the stages in order.
	Stages []Stage
	// ReportDiff is set when clusters only report differences: no resource is changed there.
	ReportDiff bool
	// Deletions are the clusters whose bindings go after the last stage; those that are done
	// come first.
	Deletions []engine.Text
	// Deleted is how many of Deletions are done.
	Deleted int
	// Deleting is true while the placement is being deleted: the controller's checks
	// still pass, until its snapshots and bindings are gone.
	Deleting bool
	// SnapshotGone is the index of the run's resource snapshot when that does not exist any
	// more: the controller does not check it, and every cluster that it starts gets stuck.
	SnapshotGone engine.Text
	// NewRun is set when the diagnosis of the run says that only a new run helps.
	NewRun bool
	// WillFail is a clause about why the controller fails the run at its next check, which
	// the checks of the plan do not find; empty for a run that goes on.
	WillFail engine.Text
	// FailsLater is a clause about the approval at which the controller fails the run, which
	// the run has not reached; empty for none. It is among the Warnings, too.
	FailsLater engine.Text
	// Going are clauses about the bindings that are being deleted, of clusters that the run
	// has not done: it gets stuck there.
	Going []engine.Text
	// Failing are the pending clusters that fail with the snapshot of the run already, with the
	// condition: it gets stuck there.
	Failing []engine.Text
	// Held are the updating clusters of a stopped run that another run or a person changed: the
	// run fails when it is resumed before they have finished.
	Held []engine.Text
	// Stuck is true if the run is stuck on its updating clusters. Diagnose sets it.
	Stuck bool
	// Refusals are all reasons for which the run will not go on. The
	// controller reports the first of them only.
	Refusals []Refusal
	// Warnings are what a person should know of, and does not fail the run.
	Warnings []engine.Text
	// Delays are those Warnings for which the controller retries initialization.
	Delays []engine.Text
	// Unknown are the reads for the plan that failed. Facts from them are
	// missing, failures too.
	Unknown []engine.Gap
	// Unplaced are the selected clusters that no stage takes.
	Unplaced []StageMismatch
	// Overlapping are the selected clusters that several stages take.
	Overlapping []StageMismatch
	// CompetingRuns are the other unfinished runs of the same placement.
	CompetingRuns []CompetingRun
	// Forecast is the estimated completion; nil if it was not requested.
	Forecast *Forecast
}

// Snapshot is the resource snapshot of a Plan.
type Snapshot struct {
	// Index is the index that will be used; empty when it is not known.
	Index engine.Text
	// Asked is the index that the run names, whether it exists or not.
	Asked engine.Text
	// Newest is true when the run names no index and takes what the placement
	// selects at that moment.
	Newest bool
	// Made is true when a new snapshot will be made for it.
	Made bool
}

// Stage is one stage of a Plan.
type Stage struct {
	Name engine.Text
	// Clusters are in the order of their update.
	Clusters []Cluster
	// AtOnce is how many clusters may update at the same time (maxConcurrency,
	// resolved); the first AtOnce clusters start together. 0 if it is invalid.
	AtOnce int
	// Skipped is true for a stage without clusters: its tasks never run.
	Skipped bool
	// Succeeded is true for a stage that an existing run has behind it.
	Succeeded bool
	Before    []Task
	After     []Task
}

// Cluster is one cluster of a stage.
type Cluster struct {
	Name engine.Text
	// SortLabel is the value of the stage's sorting label; empty without one.
	SortLabel engine.Text
	// Now is the resource snapshot that the cluster's binding names now.
	Now engine.Text
	// Overrides are the override snapshots that apply, cluster-scoped first.
	Overrides []engine.Text
	// Started and Succeeded say how far an existing run is with it.
	Started   bool
	Succeeded bool
}

// Task is a task before or after a stage.
type Task struct {
	// Request is the name of the approval request; empty for a timed wait.
	Request engine.Text
	// Wait is how long a timed wait takes; 0 for an approval.
	Wait time.Duration
	// Until is when a timed wait that has begun ends.
	Until time.Time
	// Passed is true for an approval that an existing run has, and for all tasks of a stage
	// that has succeeded.
	Passed bool
	// Sent is set for an approval that was given and that the controller has not accepted.
	Sent bool
	// Accepted is when the controller accepts an approval that is Sent; empty for now.
	Accepted engine.Text
}

// Timed reports whether the task is a timed wait.
func (t *Task) Timed() bool { return t.Request.IsZero() }

// Refusal is one reason for which a run will not go on.
type Refusal struct {
	// Message is the text that the controller stores or logs.
	Message engine.Text
	// Final is true when it ends the run; otherwise the controller tries again.
	Final bool
	// Hint is what to do about it, or why it is so, when the message does not
	// say; else empty.
	Hint engine.Text
}

// StageMismatch is a cluster that is in no stage, or in several.
type StageMismatch struct {
	Cluster engine.Text
	// Labels are the labels of the cluster that a stage's selector uses, as
	// key=value; a key alone is a label that the cluster does not have.
	Labels []engine.Text
	// Stages are the stages that take it, in order; empty when none does.
	Stages []engine.Text
	// Missing is set when the member cluster does not exist: no stage selects it then.
	Missing bool
}

// CompetingRun is another unfinished run of the same placement. Two runs fight
// only over clusters that they want in different versions.
type CompetingRun struct {
	Run engine.ID
	// State is its spec.state.
	State engine.Text
	// Index is the snapshot index that it rolls out; empty when not yet known.
	Index engine.Text
	// WillLose are the clusters that the other run updates and this run will take:
	// the other run fails at the first of them.
	WillLose []engine.Text
	// MayTake are the clusters that the other run has not started: while this run
	// updates one of them, the other run can take it, and this run fails.
	MayTake []engine.Text
	// BothStarted are the clusters that both runs have started and this one has not finished:
	// the binding has the version of one of them, and the other run fails.
	BothStarted []engine.Text
	// Holds is true when the binding of one of BothStarted has the version of the other run.
	Holds bool
	// Stuck is true when the controller calls the other run stuck: it may never finish.
	Stuck bool
	// Same is true when both runs give every cluster the same.
	Same bool
	// Unknown is true when this run has no stages, so that the two lists say
	// nothing.
	Unknown bool
	// Moot is true when a final check fails this run before its first stage.
	Moot bool
	// Fails is why the other run fails its initialization, so that it takes no cluster;
	// empty when it does not, or when that is not known.
	Fails engine.Text
}

// Forecasts reports whether the plan has a forecast that says more than its
// verdict.
func (p *Plan) Forecasts() bool {
	return p.Forecast != nil && !p.Ended() && p.Doom().IsZero() && len(p.Refusals)+len(p.Unknown) == 0
}

// Doom is a clause about what ends the run although the controller's checks pass; empty
// for nothing.
func (p *Plan) Doom() engine.Text {
	switch {
	case p.Deleting:
		return engine.Textf("placement %s is being deleted", p.Placement)
	case !p.WillFail.IsZero():
		return p.WillFail
	case !p.SnapshotGone.IsZero():
		return engine.Textf("resource snapshot %s no longer exists", p.SnapshotGone)
	case len(p.Going) > 0:
		return p.Going[0]
	}
	return p.FailsLater
}

// On returns the plan with the hub in the IDs of its runs.
func (p *Plan) On(hub engine.HubName) Plan {
	out := *p
	out.Run, out.CompetingRuns = p.Run.On(hub), slices.Clone(p.CompetingRuns)
	for i := range out.CompetingRuns {
		out.CompetingRuns[i].Run = out.CompetingRuns[i].Run.On(hub)
	}
	return out
}

// PlacementID names the placement of the plan's run, without its UID. A name
// that is no name of an object, and so was cleaned, names nothing.
func (p *Plan) PlacementID() engine.ID {
	kind := p.Run.Kind().InScope(engine.KindClusterResourcePlacement, engine.KindResourcePlacement)
	return p.Run.Beside(kind, p.Run.RawNamespace(), p.Placement.String(), "")
}
