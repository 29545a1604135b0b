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
	// Timing are the waits of the hub's controller. Shorter ones that show in
	// what was seen replace ClusterCheck and BackoffMax.
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

// Estimate executes the rules forward from the present, on a simulated
// clock, until the run ends, and returns when that is. Durations of clusters
// are those observed in this and earlier runs of the placement; timed waits,
// polls and the backoff after errors are the controller's. It does so three
// times: with likely durations, and with short and long ones
// (docs/forecast.md).
//
// A run that is not started is assumed to start at q.Now. Nothing is written,
// and nothing that in points to is changed.
func Estimate(in pass.Input, q Request) plan.Forecast {
	f := plan.Forecast{At: q.Now, Assumed: q.AssumeApprovals, Starts: in.Run.Spec.State != placement.StateRun || in.Run.UID == ""}
	if f.Never = noFinish(in.Run); !f.Never.IsZero() {
		f.Held = true
		return f
	}
	seen := observe(&in, &q)
	courses := [3]*course{play(&in, &q, seen, 0)}
	likely := &courses[0].out
	if courses[0].updating || !likely.Never.IsZero() {
		f.Seen, f.Runs = seen.seen, seen.runs
	}
	if f.Never, f.Held = likely.Never, likely.Held; !f.Never.IsZero() {
		return f
	}
	courses[1], courses[2] = play(&in, &q, seen, -1), play(&in, &q, seen, 1)
	f.Next, f.NextStage, f.NextMore, f.Awaits = likely.Next, likely.NextStage, likely.NextMore, likely.Awaits
	f.Finish = spread(courses, func(f *plan.Forecast) plan.Estimate { return f.Finish })
	for i, s := range likely.Stages {
		if d := courses[0].Status().DeletionStageStatus; s.Deletion && (d == nil || len(d.Clusters) == 0) {
			break
		}
		s.Updated = spread(courses, func(f *plan.Forecast) plan.Estimate { return f.Stages[i].Updated })
		s.Asked = spread(courses, func(f *plan.Forecast) plan.Estimate { return f.Stages[i].Asked })
		s.Finish = spread(courses, func(f *plan.Forecast) plan.Estimate { return f.Stages[i].Finish })
		f.Stages = append(f.Stages, s)
	}
	return f
}

// spread makes the bounds of a moment of the courses, the likely one first, unless it is
// exact. Shorter durations can end later, when they miss a poll; and what depends on a
// member may be noticed one poll earlier or later.
func spread(courses [3]*course, of func(*plan.Forecast) plan.Estimate) plan.Estimate {
	e := of(&courses[0].out)
	if e.IsZero() || !e.Earliest.IsZero() {
		return e
	}
	e.Earliest, e.Latest = e.Likely, e.Likely
	for _, c := range courses[1:] {
		if at := of(&c.out).Likely; !at.IsZero() && at.Before(e.Earliest) {
			e.Earliest = at
		} else if at.After(e.Latest) {
			e.Latest = at
		}
	}
	poll, now := courses[0].Timing.ClusterCheck/2, courses[0].q.Now
	e.Earliest, e.Latest = e.Earliest.Add(-poll), e.Latest.Add(poll)
	if e.Earliest.Before(now) {
		e.Earliest = now
	}
	return e
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
	return engine.Lit("the run is stopping: a person must resume it")
}
