package forecast

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/applystrategy"
	"github.com/stagewatch/stagewatch/engine/drive"
	"github.com/stagewatch/stagewatch/engine/drive/initialize"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/plan"
)

// course is one possible continuation of a run. It answers the requests of the passes
// from memory; the passes change copies.
type course struct {
	*drive.Executor
	q    *Request
	seen *history
	// bound selects the likely (0), short (-1) or long (1) durations.
	bound float64
	// due are the next acts of members, soonest first; awaited counts all of them.
	due     []event
	awaited int
	// slot is the index of each selected cluster's binding.
	slot map[string]int
	// stage is the index of the current stage; waves is how many updates each stage
	// makes one after the other.
	stage int
	waves []int
	// out is the result. Its stages include an empty deletion stage; moments have bounds
	// only if they depend on no member.
	out plan.Forecast
}

// play computes one course to its end.
func play(in *pass.Input, q *Request, seen *history, bound float64) plan.Forecast {
	own := *in
	own.Bindings = nil
	c := &course{q: q, seen: seen, bound: bound, slot: map[string]int{}}
	c.Executor = drive.NewExecutor(&own, q.Timing, q.Now, c.answer)
	for _, b := range in.Bindings {
		if c.Owned(b) {
			own.Bindings = append(own.Bindings, b.DeepCopy())
		}
	}
	c.Run.Spec.State = placement.StateRun
	stage, decision, stop := c.Prepare()
	if stop {
		c.out.Never = cmp.Or(c.out.Never, c.ended(decision.Err))
		return c.out
	}
	if c.stage = stage; stage < 0 {
		c.stage = len(c.Status().StagesStatus) + 1
	}
	c.describe()
	if stage < 0 {
		c.out.Finish = c.moment()
	} else if c.resume(); c.out.Never.IsZero() {
		c.pause()
		c.proceed()
	}
	if d := c.Status().DeletionStageStatus; d == nil || len(d.Clusters) == 0 {
		c.out.Stages = c.out.Stages[:len(c.out.Stages)-1]
	}
	return c.out
}

// ended says why the first pass fails the run, or fails itself.
func (c *course) ended(err error) engine.Text {
	f := &c.In.Failed
	for _, unread := range []error{f.Placement, f.PolicySnapshots, f.Bindings, f.Strategy, f.Members, f.ResourceSnapshots, f.Overrides} {
		if unread != nil && errors.Is(err, unread) {
			return engine.Textf("not read: %s", engine.Message(unread.Error()))
		}
	}
	if err != nil {
		return engine.Textf("the controller retries: %s", engine.Message(err.Error()))
	}
	conditions := c.Status().Conditions
	failed := cmp.Or(meta.FindStatusCondition(conditions, placement.RunSucceeded), meta.FindStatusCondition(conditions, placement.RunInitialized))
	return engine.Textf("the run will fail: %s", engine.Message(applystrategy.Readable(failed.Message)))
}

// describe lists the stages, of which those before the current one are done.
func (c *course) describe() {
	for i, b := range c.Selected {
		c.slot[b.Spec.TargetCluster] = i
	}
	for i := range c.Status().StagesStatus {
		status := &c.Status().StagesStatus[i]
		c.waves = append(c.waves, 1)
		c.out.Stages = append(c.out.Stages, plan.StageForecast{Name: engine.Clean(status.StageName), Done: i < c.stage})
		if i >= c.stage && len(status.Clusters) > 0 {
			limit, _ := initialize.MaxConcurrency(&c.Status().StagedUpdateStrategySnapshot.Stages[i], len(status.Clusters)) // 0 if it is invalid: the run fails
			c.waves[i] = (len(status.Clusters) + limit - 1) / max(1, limit)
		}
	}
	c.out.Stages = append(c.out.Stages, plan.StageForecast{Name: engine.Lit("deletion stage"), Deletion: true, Done: c.stage > len(c.Status().StagesStatus)})
}

// moment is the present of the course. Recorded times are whole seconds.
func (c *course) moment() plan.Estimate {
	if c.awaited > 0 {
		return plan.Estimate{Likely: c.Now.Time}
	}
	return plan.Estimate{Earliest: c.Now.Time, Likely: c.Now.Time, Latest: c.Now.Add(time.Second)}
}

// current is the status of the current stage.
func (c *course) current() *placement.StageStatus { return stageAt(c.Status(), c.stage) }

// stageAt is the status of a stage, after the last one that of the deletion stage.
func stageAt(run *placement.UpdateRunStatus, i int) *placement.StageStatus {
	if i < len(run.StagesStatus) {
		return &run.StagesStatus[i]
	}
	return run.DeletionStageStatus
}

// proceed executes passes until the run ends or the estimate does.
func (c *course) proceed() {
	// More passes than any course needs that ends.
	for range 100*(len(c.Selected)+len(c.Leaving)+len(c.out.Stages)) + 1000 {
		c.deliver()
		if len(c.Selected)+len(c.Leaving) == 0 { // what the check of the next pass fails for
			c.out.Never = engine.Lit("the run fails when its last binding is deleted")
			return
		}
		finished, wait, err := c.Execute(c.stage)
		if pass.IsAborted(err) {
			c.out.Never = engine.Textf("the run will fail: %s", engine.Message(strings.TrimPrefix(err.Error(), pass.ErrAborted.Error()+": ")))
		}
		if !c.out.Never.IsZero() {
			return
		}
		s, status := &c.out.Stages[c.stage], c.current()
		ended := pass.TrueAt(status.Conditions, placement.StageSucceeded, c.Run.Generation)
		if s.Updated.IsZero() && (ended || !slices.ContainsFunc(status.Clusters, unfinished)) {
			s.Updated = c.moment()
		}
		if ended {
			s.Finish = c.moment()
		}
		switch {
		case finished && err == nil:
			c.out.Finish = c.moment()
			return
		case !c.out.Awaits.IsZero():
			return
		case ended:
			c.stage++
			c.pause()
		case len(c.due) > 0 && s.Updated.IsZero():
			c.Now.Time = c.due[0].at
		default:
			c.Now.Time = c.Now.Add(max(wait, c.Timing.BackoffBase))
		}
	}
	c.out.Never = engine.Lit("the run does not end within the steps that a forecast takes")
}

// unfinished reports whether a cluster is not updated.
func unfinished(s placement.ClusterStatus) bool {
	return !meta.IsStatusConditionTrue(s.Conditions, placement.ClusterSucceeded)
}

// pause advances the clock to the start of the current stage. A pause that is longer than
// the controller's longest wait is over: the run was stopped in it.
func (c *course) pause() {
	next := pauseAfter(c.Status(), c.stage-1)
	if next == nil || len(next.Conditions) > 0 {
		return
	}
	ended := &c.Status().StagesStatus[c.stage-1]
	if elapsed := c.Now.Sub(ended.EndTime.Time); elapsed < c.Timing.BackoffMax {
		took, _ := c.seen.pauses.of(ended.StageName, c.stage, 1, c.bound, elapsed)
		c.Now.Time = c.Now.Add(max(0, took-elapsed))
	}
}
