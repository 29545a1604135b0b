package forecast

import (
	"errors"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/drive"
	"github.com/stagewatch/stagewatch/engine/drive/initialize"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/plan"
)

// nextShown is how many of the clusters that start next a Forecast names.
const nextShown = 10

// course is one possible continuation of a run. It answers the requests of the passes
// from memory; the passes change copies.
type course struct {
	*drive.Executor
	q    *Request
	seen *history
	// bound selects the likely (0), short (-1) or long (1) durations.
	bound float64
	// failures is the run's failure count, which determines the backoff.
	failures int
	// due are the next acts of members, soonest first.
	due []event
	// acted is true when a member or the last pass changed a binding, waited when a member
	// has to act.
	acted, waited bool
	// requested has, for the approvals that were requested before the present, the side of
	// the stage; granted are those that the course requested, which are granted at once;
	// open is the one that the last pass requested.
	requested map[string]engine.Text
	granted   map[string]bool
	open      string
	// at is the index of each selected cluster's binding, ordinal the position of each
	// cluster in the order of the run.
	at, ordinal map[string]int
	// stage is the index of the current stage; waves is how many updates each stage
	// makes one after the other.
	stage int
	waves []int

	// updating is true when a member updates.
	updating bool
	// out is the result. Its stages include an empty deletion stage; moments have bounds
	// only if they depend on no member.
	out plan.Forecast
}

// play computes one course to its end.
func play(in *pass.Input, q *Request, seen *history, bound float64) *course {
	own := *in
	own.Bindings = nil
	c := &course{q: q, seen: seen, bound: bound, requested: map[string]engine.Text{}, granted: map[string]bool{}, at: map[string]int{}, ordinal: map[string]int{}}
	c.Executor = drive.NewExecutor(&own, seen.timing, q.Now, c.answer)
	for _, b := range in.Bindings {
		if c.Owned(b) {
			own.Bindings = append(own.Bindings, b.DeepCopy())
		}
	}
	c.Run.Spec.State = placement.StateRun
	stage, decision, stop := c.Prepare()
	switch c.stage = stage; {
	case !c.out.Never.IsZero():
	case stop && decision.Err != nil:
		c.out.Never = c.retried(decision.Err)
	case stop:
		c.out.Never = engine.Textf("the run will fail: %s", c.failure())
	case stage < 0:
		c.stage = len(c.Status().StagesStatus) + 1
		c.describe()
		c.out.Finish = c.moment()
	default:
		c.describe()
		if held := c.resume(); c.out.Never.IsZero() || !held.IsZero() {
			c.out.Held, c.out.Never = !held.IsZero(), held
		}
		if c.out.Never.IsZero() {
			c.resumePolls()
			c.proceed()
		}
	}
	return c
}

// retried says why the next pass fails: an error that the controller retries, or an
// object that could not be read.
func (c *course) retried(err error) engine.Text {
	f := &c.In.Failed
	for _, unread := range []error{f.Placement, f.PolicySnapshots, f.Bindings, f.Strategy, f.Members, f.ResourceSnapshots, f.Overrides} {
		if unread != nil && errors.Is(err, unread) {
			return engine.Textf("not read: %s", engine.Clean(unread.Error()))
		}
	}
	return engine.Textf("the controller retries: %s", engine.Clean(err.Error()))
}

// failure is the message with which the pass ended the run.
func (c *course) failure() engine.Text {
	for _, kind := range []string{placement.RunSucceeded, placement.RunInitialized} {
		if failed := meta.FindStatusCondition(c.Status().Conditions, kind); failed != nil && failed.Status != metav1.ConditionTrue {
			return engine.Clean(failed.Message)
		}
	}
	return engine.Text{}
}

// describe lists the stages, of which those before the current one are done, and the
// clusters that start next.
func (c *course) describe() {
	for i, b := range c.Selected {
		c.at[b.Spec.TargetCluster] = i
	}
	for i, b := range c.Leaving {
		c.ordinal[b.Spec.TargetCluster] = i + 1
	}
	stages := c.Status().StagesStatus
	for i := range stages {
		status, config := &stages[i], &c.Status().StagedUpdateStrategySnapshot.Stages[i]
		limit, _ := initialize.MaxConcurrency(config, len(status.Clusters)) // 0 if it is invalid: the run fails
		s, left, ahead := plan.StageForecast{Name: engine.Clean(status.StageName), Done: i < c.stage}, 0, []engine.Text(nil)
		for j := range status.Clusters {
			cluster := &status.Clusters[j]
			c.ordinal[cluster.ClusterName] = len(c.ordinal) + 1
			if unfinished(*cluster) {
				left++
			}
			if !s.Done && meta.FindStatusCondition(cluster.Conditions, placement.ClusterStarted) == nil {
				ahead = append(ahead, engine.Clean(cluster.ClusterName))
			}
		}
		if n := min(limit, nextShown, len(ahead)); n > 0 && len(c.out.Next) == 0 {
			c.out.Next, c.out.NextStage, c.out.NextMore = ahead[:n], s.Name, len(ahead)-n
		}
		if !s.Done && len(status.Clusters) > 0 {
			c.describeTasks(&s, status, config)
		}
		c.out.Stages, c.waves = append(c.out.Stages, s), append(c.waves, max(1, (left+limit-1)/max(1, limit)))
	}
	c.out.Stages = append(c.out.Stages, plan.StageForecast{Name: engine.Lit("deletion stage"), Deletion: true, Done: c.stage > len(stages)})
}

// moment is the present of the course. Recorded times are whole seconds.
func (c *course) moment() plan.Estimate {
	if c.waited {
		return plan.Estimate{Likely: c.Now.Time}
	}
	return plan.Estimate{Earliest: c.Now.Time, Likely: c.Now.Time, Latest: c.Now.Add(time.Second)}
}

// describeTasks adds the timed wait and the open approvals of a stage.
func (c *course) describeTasks(s *plan.StageForecast, status *placement.StageStatus, config *placement.StageConfig) {
	for _, task := range config.AfterStageTasks {
		if task.WaitTime != nil {
			s.Wait = task.WaitTime.Duration
		}
	}
	for i, task := range slices.Concat(status.BeforeStageTaskStatus, status.AfterStageTaskStatus) {
		if task.Type != placement.TaskApproval || meta.IsStatusConditionTrue(task.Conditions, placement.TaskApprovalRequestApproved) {
			continue
		}
		s.Approvals = append(s.Approvals, engine.Clean(task.ApprovalRequestName))
		if meta.IsStatusConditionTrue(task.Conditions, placement.TaskApprovalRequestCreated) {
			c.requested[task.ApprovalRequestName] = engine.Lit("after")
			if i < len(status.BeforeStageTaskStatus) {
				c.requested[task.ApprovalRequestName] = engine.Lit("before")
			}
		}
	}
}

// current is the status of the current stage.
func (c *course) current() *placement.StageStatus {
	if stages := c.Status().StagesStatus; c.stage < len(stages) {
		return &stages[c.stage]
	}
	return c.Status().DeletionStageStatus
}

// proceed executes passes until the run ends or the estimate does.
func (c *course) proceed() {
	// More passes than any course needs that ends.
	for range 100*(len(c.ordinal)+len(c.out.Stages)) + 1000 {
		c.acted = false
		c.deliver()
		finished, wait, err := c.Execute(c.stage)
		if pass.IsAborted(err) {
			c.out.Never = engine.Textf("the run will fail: %s", engine.Clean(strings.TrimPrefix(err.Error(), pass.ErrAborted.Error()+": ")))
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
			c.stage++
		}
		side, requested := c.requested[c.open]
		switch {
		case finished && err == nil:
			c.out.Finish = c.moment()
			return
		case c.open == "":
			c.elapse(wait, err, !c.acted && !ended)
			continue
		case requested && !c.q.AssumeOpen:
			c.out.Held, c.out.Never = true, engine.Textf("waits for the approval %s stage %s", side, status.StageName)
			return
		case !requested && s.Asked.IsZero():
			s.Asked = c.moment()
		}
		if !c.q.AssumeApprovals {
			c.out.Awaits = engine.Clean(c.open)
			return
		}
		// The approval is granted at once and triggers a pass.
		c.granted[c.open], c.open = true, ""
	}
	c.out.Never = engine.Lit("the run does not end within the steps that a forecast takes")
}

// unfinished reports whether a cluster is not updated.
func unfinished(s placement.ClusterStatus) bool {
	return !meta.IsStatusConditionTrue(s.Conditions, placement.ClusterSucceeded)
}

// elapse advances the clock to the next pass that can make a difference. After an idle
// pass the next ones are idle too, until a member acts.
func (c *course) elapse(wait time.Duration, err error, idle bool) {
	d, until := drive.Decision{Next: drive.After, Wait: wait}, c.Now.Time
	if err != nil {
		d.Next = drive.Retry
	} else if wait <= 0 {
		d.Next = drive.Again
	}
	if idle && len(c.due) > 0 {
		until = c.due[0].at
	}
	_, c.Now.Time, c.failures = reach(c.Timing, d, c.Now.Time, c.failures, until)
}
