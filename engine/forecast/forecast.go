// Package forecast answers what a run will do: Plan lists its stages, its clusters and
// every reason for which it would fail, Estimate its expected completion
// (docs/forecast.md). Both execute the rules of package drive on copies of the objects
// and write nothing.
package forecast

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/plan"
)

// Request is what Estimate goes by beside the Input of the run.
type Request struct {
	// Timing are the waits of the hub's controller.
	Timing pass.Timing
	// Now is the present, by the hub's clock.
	Now time.Time
	// Earlier are runs of the same scope; those of the same placement provide
	// the durations of its clusters. The run itself may be among them.
	Earlier []*placement.StagedUpdateRun
	// AssumeApprovals takes every approval as given at once when it is requested;
	// without it there is no estimate after the first. AssumeOpen does the same
	// for one that is requested already.
	AssumeApprovals, AssumeOpen bool
	// Read answers the reads of resource selection, as Plan's does.
	Read func(pass.Effect) (pass.Answer, error)
}

// isHeld reports whether a run waits in its state until a person starts or resumes it. A run
// of a hub without spec.state executes (docs/kubefleet.md#versions).
func isHeld(run *placement.StagedUpdateRun) bool {
	return run.Spec.State == placement.StateInitialize || run.Spec.State == placement.StateStop
}

// Estimate executes the rules forward from the present, on a simulated clock, until the
// run ends, and returns when that is. Durations are those observed in this and earlier
// runs of the placement. It does so three times: with likely durations, and with short
// and long ones (docs/forecast.md).
//
// A run that is not started is assumed to start at q.Now. Nothing is written,
// and nothing that in points to is changed.
func Estimate(in pass.Input, q Request) plan.Forecast {
	f := plan.Forecast{At: q.Now, Assumed: q.AssumeApprovals, Starts: isHeld(in.Run) || in.Run.UID == ""}
	if f.Never = noFinish(in.Run); !f.Never.IsZero() {
		f.Held = true
		return f
	}
	seen := observe(&in, &q)
	if seen.seen > 0 { // the polls of this hub are not longer than the shortest update
		q.Timing.ClusterCheck = min(q.Timing.ClusterCheck, seen.updates.pool[0])
	}
	likely := play(&in, &q, seen, 0)
	if !likely.Never.IsZero() {
		f.Held, f.Never, f.Seen, f.Runs = likely.Held, likely.Never, seen.seen, seen.runs
		return f
	}
	likely.At, likely.Assumed, likely.Starts = f.At, f.Assumed, f.Starts
	short, long := play(&in, &q, seen, -1), play(&in, &q, seen, 1)
	shortest, longest, poll := moments(&short), moments(&long), q.Timing.ClusterCheck/2
	for i, e := range moments(&likely) {
		if !e.IsZero() && e.Earliest.IsZero() { // it is known, and not exact
			e.Earliest = slices.MaxFunc([]time.Time{q.Now, shortest[i].Likely.Add(-poll)}, time.Time.Compare)
			e.Latest = slices.MaxFunc([]time.Time{e.Likely, longest[i].Likely}, time.Time.Compare).Add(poll)
		}
	}
	return likely
}

// moments are those of a forecast.
func moments(f *plan.Forecast) []*plan.Estimate {
	all := []*plan.Estimate{&f.Finish}
	for i := range f.Stages {
		all = append(all, &f.Stages[i].Updated, &f.Stages[i].Asked, &f.Stages[i].Finish)
	}
	return all
}

// noFinish says why a run does not go on whatever its surroundings are; empty
// when it may.
func noFinish(run *placement.StagedUpdateRun) engine.Text {
	progressing := meta.FindStatusCondition(run.Status.Conditions, placement.RunProgressing)
	switch {
	case run.DeletionTimestamp != nil:
		return engine.Lit("the run is being deleted")
	case pass.InitFailed(run):
		return engine.Lit("the run failed initialization")
	case meta.IsStatusConditionTrue(run.Status.Conditions, placement.RunSucceeded):
		return engine.Lit("the run is done")
	case pass.Finished(run):
		return engine.Lit("the run has failed")
	case run.Spec.State == placement.StateInitialize && slices.ContainsFunc(run.Status.StagesStatus, func(s placement.StageStatus) bool { return s.StartTime != nil }):
		return engine.Lit("spec.state is Initialize although stages have started: a person must start the run")
	case run.Spec.State != placement.StateStop:
		return engine.Text{}
	case !pass.Initialized(run):
		return engine.Lit("the run has state Stop before its first stage: a person must run it")
	case progressing != nil && progressing.Reason == placement.ReasonRunStopped:
		return engine.Lit("the run is stopped: a person must resume it")
	}
	if engine.NewestObserved(run.Status.Conditions) != run.Generation {
		return engine.Lit("the run continues until the controller observes the stop; after that, a person must resume it")
	}
	return stopping(run)
}

// stopping says what a run whose stop was requested still does, what stays, and what it needs to
// continue (docs/kubefleet.md#stop).
func stopping(run *placement.StagedUpdateRun) engine.Text {
	begun := func(s *placement.StageStatus) (names []engine.Text) {
		for i := range s.Clusters {
			if c := &s.Clusters[i]; unfinished(*c) && meta.IsStatusConditionTrue(c.Conditions, placement.ClusterStarted) {
				names = append(names, engine.Clean(c.ClusterName))
			}
		}
		return names
	}
	for i := range run.Status.StagesStatus {
		if names := begun(&run.Status.StagesStatus[i]); len(names) > 0 {
			return engine.Textf("the run is stopping: it starts no other cluster, and waits for the update of %s. Updated clusters keep snapshot %s. To continue, a person must resume it",
				engine.Enumerate(names, 3), run.Status.ResourceSnapshotIndexUsed)
		}
	}
	if d := run.Status.DeletionStageStatus; d != nil {
		if names := begun(d); len(names) > 0 {
			return engine.Textf("the run is stopping: it starts no other deletion, and waits for the deletion from %s, which a stop does not undo. To continue, a person must resume it", engine.Enumerate(names, 3))
		}
	}
	return engine.Lit("the run is stopping: a person must resume it")
}
