// Package forecast answers what a run will do: Plan lists its stages, its clusters and
// every reason for which it would fail, Estimate its expected completion
// (docs/forecast.md). Both execute the rules of package drive on copies of the objects
// and write nothing.
package forecast

import (
	"errors"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/drive"
	"github.com/stagewatch/stagewatch/engine/drive/initialize"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
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
func Estimate(in pass.Input, q Request) engine.Forecast {
	f := engine.Forecast{At: q.Now, Assumed: q.AssumeApprovals, Starts: in.Run.Spec.State != placement.StateRun || in.Run.UID == ""}
	if f.Never = noFinish(in.Run); f.Never.IsZero() && !q.AssumeOpen {
		f.Never = waitsForApproval(in.Run)
	}
	if !f.Never.IsZero() {
		f.Held = true
		return f
	}
	seen := lookBack(&in, &q)
	q.Timing = seen.timing
	likely := play(&in, &q, seen, 0)
	f.Seen, f.Runs = seen.Count()
	if f.Never = likely.never; !f.Never.IsZero() {
		f.Held = likely.held
		return f
	}
	// A look more or less is always possible.
	look := seen.timing.ClusterCheck / 2
	courses := [3]*ahead{likely, play(&in, &q, seen, -1), play(&in, &q, seen, 1)}
	if !likely.drew {
		f.Seen, f.Runs = 0, 0
	}
	f.Stages, f.Next, f.NextStage, f.NextMore = likely.stages, likely.next, likely.nextStage, likely.nextMore
	for i := range f.Stages {
		stage := &f.Stages[i]
		stage.Updated = estimateOf(q.Now, look, courses, func(a *ahead) time.Time { return a.moments[i].updated })
		stage.Asked = estimateOf(q.Now, look, courses, func(a *ahead) time.Time { return a.moments[i].asked })
		stage.Finish = estimateOf(q.Now, look, courses, func(a *ahead) time.Time { return a.moments[i].ended })
	}
	f.Finish = estimateOf(q.Now, look, courses, func(a *ahead) time.Time { return a.finish })
	f.Awaits = likely.awaits
	return f
}

// estimateOf makes an Estimate of a moment of the three courses: shorter
// durations can end later, when they miss a poll.
func estimateOf(now time.Time, look time.Duration, courses [3]*ahead, of func(*ahead) time.Time) engine.Estimate {
	e := engine.Estimate{Likely: of(courses[0])}
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
	e.Earliest, e.Latest = e.Earliest.Add(-look), e.Latest.Add(look)
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
		return engine.Textf("%s", engine.Clean(c.Message))
	}
	return engine.Text{}
}

// ahead is one course of a run into the future. It answers what the pass asks
// for from memory; the pass works on copies.
type ahead struct {
	*drive.Executor
	q    *Request
	seen *history
	// lean is which end of what is likely the clusters take: -1, 0 or 1.
	lean float64
	// failures is the run's failure count, which decides how long it backs off.
	failures int
	// due are what the members will do, soonest first.
	due []event
	// acted says that the last pass changed more than words.
	acted bool
	// given are the requests that exist; they count as approved.
	given map[string]bool
	// requested are the approvals that were requested before the present.
	requested map[string]bool
	// open is the request that the last pass created.
	open string
	// at holds where each selected cluster's binding is, ordinal where each
	// cluster stands in the run's own order.
	at, ordinal map[string]int
	// stage is the index of the stage that acts; waves is how many clusters one
	// slot of each stage has to update one after the other.
	stage int
	waves []int
	// blind is why the course cannot be played.
	blind error

	// What comes of it.
	never   engine.Text
	held    bool // never tells what keeps the run where it is
	awaits  engine.Text
	drew    bool
	finish  time.Time
	moments []moments
	stages  []engine.StageForecast
	next    []engine.Text
	// nextStage is the stage of next, and nextMore how many start in it later.
	nextStage engine.Text
	nextMore  int
}

// moments are those of one stage.
type moments struct{ updated, asked, ended time.Time }

// event is what a member will do: report the cluster as available, or with
// gone let go of the binding.
type event struct {
	at      time.Time
	binding *placement.ResourceBinding
	gone    bool
}

var (
	errNothingSeen = errors.New("no update of this placement was seen yet")
	errNoRead      = errors.New("what the placement selects was not read")
)

// play takes one course to its end.
func play(in *pass.Input, q *Request, seen *history, lean float64) *ahead {
	own := *in
	own.Bindings = nil
	a := &ahead{q: q, seen: seen, lean: lean, given: map[string]bool{}, at: map[string]int{}, ordinal: map[string]int{}}
	a.Executor = drive.NewExecutor(&own, q.Timing, q.Now, a.answer)
	for _, b := range in.Bindings {
		if a.Owned(b) {
			own.Bindings = append(own.Bindings, b.DeepCopy())
		}
	}
	a.requested = requestedIn(in.Run)
	a.Run.Spec.State = placement.StateRun
	stage, decision, stop := a.Prepare()
	switch {
	case a.blind != nil:
		a.never = engine.Clean(a.blind.Error())
	case stop && decision.Err != nil:
		a.never = a.heldUp(decision.Err)
	case stop:
		a.never = engine.Textf("the run will fail: %s", a.refusal())
	case stage < 0:
		a.describeAhead(len(a.Status().StagesStatus) + 1)
		a.finish = q.Now
	default:
		a.describeAhead(stage)
		a.stage = stage
		a.proceed()
	}
	return a
}

// heldUp says what keeps the run from its next pass: something that the
// controller tries again, or something that could not be read here.
func (a *ahead) heldUp(err error) engine.Text {
	f := &a.In.Failed
	for _, unread := range []error{f.Placement, f.PolicySnapshots, f.Bindings, f.Strategy, f.Members, f.ResourceSnapshots, f.Overrides} {
		if unread != nil && errors.Is(err, unread) {
			return engine.Textf("not read: %s", engine.Clean(unread.Error()))
		}
	}
	return engine.Textf("the controller retries: %s", engine.Clean(err.Error()))
}

// refusal is what the pass has written to end the run.
func (a *ahead) refusal() engine.Text {
	for _, kind := range []string{placement.RunSucceeded, placement.RunInitialized} {
		if c := meta.FindStatusCondition(a.Status().Conditions, kind); c != nil && !meta.IsStatusConditionTrue(a.Status().Conditions, kind) {
			return engine.Clean(c.Message)
		}
	}
	return engine.Text{}
}

// describeAhead notes the stages, of which those before the given one are done,
// and the clusters that come next.
func (a *ahead) describeAhead(current int) {
	for i := range a.Selected {
		a.at[a.Selected[i].Spec.TargetCluster] = i
	}
	stages := a.Status().StagesStatus
	for i := range stages {
		s := engine.StageForecast{Name: engine.Clean(stages[i].StageName), Done: i < current}
		if config := &a.Status().StagedUpdateStrategySnapshot.Stages[i]; !s.Done && len(stages[i].Clusters) > 0 {
			s.Approvals = append(missing(stages[i].BeforeStageTaskStatus), missing(stages[i].AfterStageTaskStatus)...)
			for _, task := range config.AfterStageTasks {
				if task.WaitTime != nil {
					s.Wait = task.WaitTime.Duration
				}
			}
		}
		for j := range stages[i].Clusters {
			c := &stages[i].Clusters[j]
			a.ordinal[c.ClusterName] = len(a.ordinal) + 1
		}
		if !s.Done && len(a.next) == 0 {
			a.upcoming(i)
		}
		a.stages, a.waves = append(a.stages, s), append(a.waves, a.wavesOf(i))
	}
	if d := a.Status().DeletionStageStatus; d != nil && len(d.Clusters) > 0 {
		a.stages = append(a.stages, engine.StageForecast{Name: engine.Lit("deletion stage"), Deletion: true, Done: current > len(stages)})
	}
	a.moments = make([]moments, len(stages)+1)
}

// upcoming notes which clusters of a stage start next: as many as it updates at a
// time.
func (a *ahead) upcoming(i int) {
	status := &a.Status().StagesStatus[i]
	atOnce, err := initialize.MaxConcurrency(&a.Status().StagedUpdateStrategySnapshot.Stages[i], len(status.Clusters))
	if err != nil {
		return
	}
	for j := range status.Clusters {
		c := &status.Clusters[j]
		switch {
		case meta.FindStatusCondition(c.Conditions, placement.ClusterStarted) != nil:
		case len(a.next) < min(atOnce, nextShown):
			a.next, a.nextStage = append(a.next, engine.Clean(c.ClusterName)), engine.Clean(status.StageName)
		default:
			a.nextMore++
		}
	}
}

// proceed passes over the run, again and again, until it ends or nothing is
// known any more.
func (a *ahead) proceed() {
	if a.never = a.pickUp(); !a.never.IsZero() {
		return
	}
	// Enough for every cluster to be started and looked at while others back
	// off; a course that needs more goes nowhere.
	for range 100*(len(a.ordinal)+len(a.stages)) + 1000 {
		happened := a.deliver()
		a.acted = false
		finished, wait, err := a.Execute(a.stage)
		switch {
		case a.blind != nil:
			a.never = engine.Clean(a.blind.Error())
			return
		case pass.IsAborted(err):
			a.never = engine.Textf("the run will fail: %s", engine.Clean(strings.TrimPrefix(err.Error(), pass.ErrAborted.Error()+": ")))
			return
		}
		moved := a.note()
		if moved {
			a.stage++
		}
		if finished && err == nil {
			a.finish = a.Now.Time
			return
		}
		if a.open != "" && !a.q.AssumeApprovals {
			a.awaits = engine.Clean(a.open)
			return
		}
		a.elapse(wait, err, !a.acted && !moved && !happened)
	}
	a.never = engine.Lit("the run does not end within the steps that a forecast takes")
}

// note writes down what the last pass did to the stage, and reports whether it
// is done.
func (a *ahead) note() (ended bool) {
	m, status := &a.moments[a.stage], a.Status().DeletionStageStatus
	if a.stage < len(a.Status().StagesStatus) {
		status = &a.Status().StagesStatus[a.stage]
	}
	if a.open != "" && m.asked.IsZero() && !a.requested[a.open] {
		m.asked = a.Now.Time
	}
	ended = pass.TrueAt(status.Conditions, placement.StageSucceeded, a.Run.Generation)
	if m.updated.IsZero() && (ended || allSucceeded(status)) {
		m.updated = a.Now.Time
	}
	if ended {
		m.ended = a.Now.Time
	}
	return ended
}

func allSucceeded(s *placement.StageStatus) bool {
	return !slices.ContainsFunc(s.Clusters, func(c placement.ClusterStatus) bool {
		return !meta.IsStatusConditionTrue(c.Conditions, placement.ClusterSucceeded)
	})
}

// elapse lets time pass until the next pass that can make a difference. An idle
// pass, which found all as the one before had left it, would decide the same
// until a member does something.
func (a *ahead) elapse(wait time.Duration, err error, idle bool) {
	if a.open != "" {
		// The approval is given at once and asks for a pass by itself.
		a.given[a.open], a.open = true, ""
		return
	}
	d := drive.Decision{Next: drive.After, Wait: wait}
	if err != nil {
		d.Next = drive.Retry
	} else if wait <= 0 {
		d.Next = drive.Again
	}
	for {
		wait, _, a.failures = d.Schedule(a.failures, a.Timing)
		a.Now.Time = a.Now.Add(wait)
		if !idle || len(a.due) == 0 || !a.Now.Time.Before(a.due[0].at) {
			return
		}
		if steady(a.Timing, d, a.failures) {
			a.Now.Time = a.Now.Add(whole(a.due[0].at.Sub(a.Now.Time), wait))
		}
	}
}
