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

// nextShown is how many of the clusters that start next a Forecast names.
const nextShown = 10

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
	if f.Never = noFinish(in.Run); f.Never.IsZero() && !q.AssumeOpen {
		f.Never = waitsForApproval(in.Run)
	}
	if !f.Never.IsZero() {
		f.Held = true
		return f
	}
	seen := observe(&in, &q)
	q.Timing = seen.timing
	likely := play(&in, &q, seen, 0)
	f.Seen, f.Runs = len(seen.now)+len(seen.before), seen.runs
	if f.Never = likely.never; !f.Never.IsZero() {
		f.Held = likely.held
		return f
	}
	// Any moment may be noticed one poll earlier or later.
	poll := seen.timing.ClusterCheck / 2
	courses := [3]*course{likely, play(&in, &q, seen, -1), play(&in, &q, seen, 1)}
	if !likely.updates {
		f.Seen, f.Runs = 0, 0
	}
	f.Stages, f.Next, f.NextStage, f.NextMore = likely.stages, likely.next, likely.nextStage, likely.nextMore
	for i := range f.Stages {
		stage := &f.Stages[i]
		stage.Updated = estimateOf(q.Now, poll, courses, func(c *course) time.Time { return c.moments[i].updated })
		stage.Asked = estimateOf(q.Now, poll, courses, func(c *course) time.Time { return c.moments[i].asked })
		stage.Finish = estimateOf(q.Now, poll, courses, func(c *course) time.Time { return c.moments[i].ended })
	}
	f.Finish = estimateOf(q.Now, poll, courses, func(c *course) time.Time { return c.finish })
	inOrder(&f, in.Run)
	f.Awaits = likely.awaits
	return f
}

// inOrder moves the earliest moments of estimates that lie before the end of a timed
// wait or of an earlier stage: those ends are exact, or bound what comes after them.
func inOrder(f *plan.Forecast, run *placement.StagedUpdateRun) {
	var floor time.Time
	raise := func(e *plan.Estimate) {
		if !e.IsZero() && e.Earliest.Before(floor) {
			e.Earliest = floor
			e.Likely, e.Latest = later(e.Likely, floor), later(e.Latest, floor)
		}
	}
	for i := range f.Stages {
		s := &f.Stages[i]
		raise(&s.Updated)
		raise(&s.Asked)
		if s.Wait > 0 {
			switch until := waitEnd(run, i, s.Wait); {
			case !until.IsZero():
				floor = later(floor, until)
			case !s.Updated.IsZero():
				floor = later(floor, s.Updated.Earliest.Add(s.Wait))
			}
		}
		raise(&s.Finish)
		if !s.Finish.IsZero() {
			floor = later(floor, s.Finish.Earliest)
		}
	}
	raise(&f.Finish)
}

// waitEnd returns the end of the timed wait that a stage of the run is in; zero when it
// is in none.
func waitEnd(run *placement.StagedUpdateRun, stage int, wait time.Duration) time.Time {
	if stage >= len(run.Status.StagesStatus) || run.Spec.State != placement.StateRun {
		return time.Time{}
	}
	p := meta.FindStatusCondition(run.Status.StagesStatus[stage].Conditions, placement.StageProgressing)
	s := &run.Status.StagesStatus[stage]
	if p == nil || p.Reason != placement.ReasonStageWaiting || slices.ContainsFunc(s.Clusters, func(c placement.ClusterStatus) bool {
		return !meta.IsStatusConditionTrue(c.Conditions, placement.ClusterSucceeded)
	}) {
		return time.Time{}
	}
	return p.LastTransitionTime.Add(wait)
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// estimateOf makes an Estimate of a moment of the three courses: shorter
// durations can end later, when they miss a poll.
func estimateOf(now time.Time, poll time.Duration, courses [3]*course, of func(*course) time.Time) plan.Estimate {
	e := plan.Estimate{Likely: of(courses[0])}
	if e.IsZero() {
		return e
	}
	if e.Likely.Before(now) {
		e.Likely = now
	}
	e.Earliest, e.Latest = e.Likely, e.Likely
	for _, a := range courses[1:] {
		t := of(a)
		if t.IsZero() {
			continue
		}
		if t.Before(e.Earliest) {
			e.Earliest = t
		}
		if t.After(e.Latest) {
			e.Latest = t
		}
	}
	e.Earliest, e.Latest = e.Earliest.Add(-poll), e.Latest.Add(poll)
	if e.Earliest.Before(now) {
		e.Earliest = now
	}
	return e
}

// noFinish says why a run does not go on whatever its surroundings are; empty
// when it may.
func noFinish(run *placement.StagedUpdateRun) engine.Text {
	conditions := run.Status.Conditions
	switch {
	case run.DeletionTimestamp != nil:
		return engine.Lit("the run is being deleted")
	case pass.InitFailed(run):
		return engine.Lit("the run failed initialization")
	case meta.IsStatusConditionTrue(conditions, placement.RunSucceeded):
		return engine.Lit("the run is done")
	case pass.Finished(run):
		return engine.Lit("the run has failed")
	case run.Spec.State == placement.StateStop && pass.Initialized(run):
		if c := meta.FindStatusCondition(conditions, placement.RunProgressing); c != nil && c.Reason == placement.ReasonRunStopped {
			return engine.Lit("the run is stopped: a person must resume it")
		}
		return engine.Lit("the run is stopping: a person must resume it")
	case run.Spec.State == placement.StateStop:
		return engine.Lit("the run has state Stop before its first stage: a person must run it")
	}
	if c := meta.FindStatusCondition(conditions, placement.RunProgressing); c != nil && c.Reason == placement.ReasonRunStuck {
		return stuckOn(c.Message)
	}
	return engine.Text{}
}

// stuckOn says which clusters a run is stuck on, by the controller's message, which
// names at most three.
func stuckOn(message string) engine.Text {
	names := engine.StuckNames(message)
	if len(names) == 0 {
		return engine.Lit("the run is stuck")
	}
	clusters := make([]engine.Text, len(names))
	for i, n := range names {
		clusters[i] = engine.Clean(n)
	}
	return engine.Textf("the run is stuck on %s", engine.Join(clusters, ", "))
}
