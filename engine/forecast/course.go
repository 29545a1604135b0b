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
	// acted is true when the last pass changed a binding, waited when a member has to act.
	acted, waited bool
	// requested are the approvals that were requested before the present, granted those
	// that are granted in the course, open the one that the last pass requested.
	requested, granted map[string]bool
	open               string
	// at is the index of each selected cluster's binding, ordinal the position of each
	// cluster in the order of the run.
	at, ordinal map[string]int
	// stage is the index of the current stage; waves is how many updates each stage
	// makes one after the other.
	stage int
	waves []int
	// unknown is why the course cannot be computed.
	unknown error

	// The results. never is why there is no estimate, and held is true when a person has
	// to act; updates is true when a member updates.
	never         engine.Text
	held, updates bool
	awaits        engine.Text
	finish        moment
	moments       []moments
	stages        []plan.StageForecast
	// next are the clusters that start next, in nextStage; nextMore start later in it.
	next      []engine.Text
	nextStage engine.Text
	nextMore  int
}

// moment is when something happens; exact if that depends on no member.
type moment struct {
	at    time.Time
	exact bool
}

// moments are those of one stage.
type moments struct{ updated, asked, ended moment }

var (
	errNothingSeen = errors.New("no update of this placement was seen yet")
	errNoRead      = errors.New("what the placement selects was not read")
)

// play computes one course to its end.
func play(in *pass.Input, q *Request, seen *history, bound float64) *course {
	own := *in
	own.Bindings = nil
	c := &course{q: q, seen: seen, bound: bound, requested: map[string]bool{}, granted: map[string]bool{}, at: map[string]int{}, ordinal: map[string]int{}}
	c.Executor = drive.NewExecutor(&own, q.Timing, q.Now, c.answer)
	for _, b := range in.Bindings {
		if c.Owned(b) {
			own.Bindings = append(own.Bindings, b.DeepCopy())
		}
	}
	c.Run.Spec.State = placement.StateRun
	stage, decision, stop := c.Prepare()
	switch {
	case c.unknown != nil:
		c.never = engine.Clean(c.unknown.Error())
	case stop && decision.Err != nil:
		c.never = c.retried(decision.Err)
	case stop:
		c.never = engine.Textf("the run will fail: %s", c.failure())
	default:
		ended := stage < 0
		if ended {
			stage = len(c.Status().StagesStatus) + 1
		}
		c.describe(stage)
		c.stage, c.finish = stage, moment{q.Now, true}
		if !ended {
			c.finish = moment{}
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

// describe lists the stages, of which those before current are done, and the clusters
// that start next.
func (c *course) describe(current int) {
	for i := range c.Selected {
		c.at[c.Selected[i].Spec.TargetCluster] = i
	}
	stages := c.Status().StagesStatus
	for i := range stages {
		status, config := &stages[i], &c.Status().StagedUpdateStrategySnapshot.Stages[i]
		limit, err := initialize.MaxConcurrency(config, len(status.Clusters))
		if err != nil {
			limit = 1
		}
		s := plan.StageForecast{Name: engine.Clean(status.StageName), Done: i < current}
		for _, task := range config.AfterStageTasks {
			if !s.Done && len(status.Clusters) > 0 && task.WaitTime != nil {
				s.Wait = task.WaitTime.Duration
			}
		}
		for _, task := range slices.Concat(status.BeforeStageTaskStatus, status.AfterStageTaskStatus) {
			if meta.IsStatusConditionTrue(task.Conditions, placement.TaskApprovalRequestCreated) {
				c.requested[task.ApprovalRequestName] = true
			}
			if task.Type == placement.TaskApproval && !s.Done && len(status.Clusters) > 0 && !meta.IsStatusConditionTrue(task.Conditions, placement.TaskApprovalRequestApproved) {
				s.Approvals = append(s.Approvals, engine.Clean(task.ApprovalRequestName))
			}
		}
		left := 0
		for j := range status.Clusters {
			cluster := &status.Clusters[j]
			c.ordinal[cluster.ClusterName] = len(c.ordinal) + 1
			if unfinished(*cluster) {
				left++
			}
			name := engine.Clean(status.StageName)
			switch {
			case s.Done || err != nil || len(c.next) > 0 && c.nextStage != name || meta.FindStatusCondition(cluster.Conditions, placement.ClusterStarted) != nil:
			case len(c.next) < min(limit, nextShown):
				c.next, c.nextStage = append(c.next, engine.Clean(cluster.ClusterName)), name
			default:
				c.nextMore++
			}
		}
		c.stages, c.waves = append(c.stages, s), append(c.waves, max(1, (left+limit-1)/limit))
	}
	if d := c.Status().DeletionStageStatus; d != nil && len(d.Clusters) > 0 {
		c.stages = append(c.stages, plan.StageForecast{Name: engine.Lit("deletion stage"), Deletion: true, Done: current > len(stages)})
	}
	c.moments = make([]moments, len(stages)+1)
}

// proceed executes passes until the run ends or the estimate does.
func (c *course) proceed() {
	if c.never = c.resume(); !c.never.IsZero() {
		return
	}
	// More passes than any course needs that ends.
	for range 100*(len(c.ordinal)+len(c.stages)) + 1000 {
		happened := c.deliver()
		c.acted = false
		finished, wait, err := c.Execute(c.stage)
		switch {
		case c.unknown != nil:
			c.never = engine.Clean(c.unknown.Error())
			return
		case pass.IsAborted(err):
			c.never = engine.Textf("the run will fail: %s", engine.Clean(strings.TrimPrefix(err.Error(), pass.ErrAborted.Error()+": ")))
			return
		}
		now := moment{c.Now.Time, !c.waited}
		m, status := &c.moments[c.stage], c.Status().DeletionStageStatus
		if c.stage < len(c.Status().StagesStatus) {
			status = &c.Status().StagesStatus[c.stage]
		}
		ended := pass.TrueAt(status.Conditions, placement.StageSucceeded, c.Run.Generation)
		if m.updated.at.IsZero() && (ended || !slices.ContainsFunc(status.Clusters, unfinished)) {
			m.updated = now
		}
		if ended {
			m.ended = now
			c.stage++
		}
		switch {
		case finished && err == nil:
			c.finish = now
			return
		case c.open == "":
			c.elapse(wait, err, !c.acted && !ended && !happened)
			continue
		case c.requested[c.open] && !c.q.AssumeOpen:
			c.held, c.never = true, engine.Textf("waits for the approval %s stage %s", side(status, c.open), status.StageName)
			return
		case !c.requested[c.open] && m.asked.at.IsZero():
			m.asked = now
		}
		if !c.q.AssumeApprovals {
			c.awaits = engine.Clean(c.open)
			return
		}
		// The approval is granted at once and triggers a pass.
		c.granted[c.open], c.open = true, ""
	}
	c.never = engine.Lit("the run does not end within the steps that a forecast takes")
}

// side is whether an approval is requested before or after its stage.
func side(s *placement.StageStatus, approval string) engine.Text {
	if slices.ContainsFunc(s.BeforeStageTaskStatus, func(t placement.TaskStatus) bool { return t.ApprovalRequestName == approval }) {
		return engine.Lit("before")
	}
	return engine.Lit("after")
}

// unfinished reports whether a cluster is not updated.
func unfinished(s placement.ClusterStatus) bool {
	return !meta.IsStatusConditionTrue(s.Conditions, placement.ClusterSucceeded)
}

// elapse advances the clock to the next pass that can make a difference. After an idle
// pass the next ones are idle too, until a member acts.
func (c *course) elapse(wait time.Duration, err error, idle bool) {
	d := drive.Decision{Next: drive.After, Wait: wait}
	if err != nil {
		d.Next = drive.Retry
	} else if wait <= 0 {
		d.Next = drive.Again
	}
	for {
		if idle && len(c.due) > 0 {
			c.Now.Time = c.Now.Add(skipped(c.Timing, d, c.failures, c.due[0].at.Sub(c.Now.Time)))
		}
		wait, _, c.failures = d.Schedule(c.failures, c.Timing)
		c.Now.Time = c.Now.Add(wait)
		if !idle || len(c.due) == 0 || !c.Now.Time.Before(c.due[0].at) {
			return
		}
	}
}
