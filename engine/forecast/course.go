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
	// acted is true when the last pass changed a binding.
	acted bool
	// approved are the approval requests that exist.
	approved map[string]bool
	// requested are the approvals that were requested before the present.
	requested map[string]bool
	// open is the approval request that the last pass created.
	open string
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
	never   engine.Text
	held    bool
	updates bool
	awaits  engine.Text
	finish  time.Time
	moments []moments
	stages  []plan.StageForecast
	// next are the clusters that start next, in nextStage; nextMore start later in it.
	next      []engine.Text
	nextStage engine.Text
	nextMore  int
}

// moments are those of one stage.
type moments struct{ updated, asked, ended time.Time }

// event is the act of a member: it reports the cluster as available or, with gone,
// releases the binding.
type event struct {
	at      time.Time
	binding *placement.ResourceBinding
	gone    bool
}

var (
	errNothingSeen = errors.New("no update of this placement was seen yet")
	errNoRead      = errors.New("what the placement selects was not read")
)

// play computes one course to its end.
func play(in *pass.Input, q *Request, seen *history, bound float64) *course {
	own := *in
	own.Bindings = nil
	c := &course{q: q, seen: seen, bound: bound, approved: map[string]bool{}, at: map[string]int{}, ordinal: map[string]int{}}
	c.Executor = drive.NewExecutor(&own, q.Timing, q.Now, c.answer)
	for _, b := range in.Bindings {
		if c.Owned(b) {
			own.Bindings = append(own.Bindings, b.DeepCopy())
		}
	}
	c.requested = requestedIn(in.Run)
	c.Run.Spec.State = placement.StateRun
	stage, decision, stop := c.Prepare()
	switch {
	case c.unknown != nil:
		c.never = engine.Clean(c.unknown.Error())
	case stop && decision.Err != nil:
		c.never = c.retried(decision.Err)
	case stop:
		c.never = engine.Textf("the run will fail: %s", c.failure())
	case stage < 0:
		c.describe(len(c.Status().StagesStatus) + 1)
		c.finish = q.Now
	default:
		c.describe(stage)
		c.stage = stage
		c.proceed()
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
		s := plan.StageForecast{Name: engine.Clean(status.StageName), Done: i < current}
		if !s.Done && len(status.Clusters) > 0 {
			s.Approvals = append(missing(status.BeforeStageTaskStatus), missing(status.AfterStageTaskStatus)...)
			for _, task := range config.AfterStageTasks {
				if task.WaitTime != nil {
					s.Wait = task.WaitTime.Duration
				}
			}
		}
		for j := range status.Clusters {
			c.ordinal[status.Clusters[j].ClusterName] = len(c.ordinal) + 1
		}
		limit, err := initialize.MaxConcurrency(config, len(status.Clusters))
		if err != nil {
			limit = 1
		} else if !s.Done && len(c.next) == 0 {
			c.describeNext(status, limit)
		}
		left := 0
		for j := range status.Clusters {
			if !meta.IsStatusConditionTrue(status.Clusters[j].Conditions, placement.ClusterSucceeded) {
				left++
			}
		}
		c.stages, c.waves = append(c.stages, s), append(c.waves, max(1, (left+limit-1)/limit))
	}
	if d := c.Status().DeletionStageStatus; d != nil && len(d.Clusters) > 0 {
		c.stages = append(c.stages, plan.StageForecast{Name: engine.Lit("deletion stage"), Deletion: true, Done: current > len(stages)})
	}
	c.moments = make([]moments, len(stages)+1)
}

// describeNext lists the clusters of a stage that start next, up to its
// maxConcurrency.
func (c *course) describeNext(stage *placement.StageStatus, limit int) {
	for i := range stage.Clusters {
		s := &stage.Clusters[i]
		switch {
		case meta.FindStatusCondition(s.Conditions, placement.ClusterStarted) != nil:
		case len(c.next) < min(limit, nextShown):
			c.next, c.nextStage = append(c.next, engine.Clean(s.ClusterName)), engine.Clean(stage.StageName)
		default:
			c.nextMore++
		}
	}
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
		moved := c.note()
		if moved {
			c.stage++
		}
		if finished && err == nil {
			c.finish = c.Now.Time
			return
		}
		if c.open != "" && !c.q.AssumeApprovals {
			c.awaits = engine.Clean(c.open)
			return
		}
		c.elapse(wait, err, !c.acted && !moved && !happened)
	}
	c.never = engine.Lit("the run does not end within the steps that a forecast takes")
}

// note records what the last pass did to the stage, and reports whether it ended.
func (c *course) note() (ended bool) {
	m, status := &c.moments[c.stage], c.Status().DeletionStageStatus
	if c.stage < len(c.Status().StagesStatus) {
		status = &c.Status().StagesStatus[c.stage]
	}
	if c.open != "" && m.asked.IsZero() && !c.requested[c.open] {
		m.asked = c.Now.Time
	}
	ended = pass.TrueAt(status.Conditions, placement.StageSucceeded, c.Run.Generation)
	if m.updated.IsZero() && (ended || allSucceeded(status)) {
		m.updated = c.Now.Time
	}
	if ended {
		m.ended = c.Now.Time
	}
	return ended
}

func allSucceeded(s *placement.StageStatus) bool {
	return !slices.ContainsFunc(s.Clusters, func(s placement.ClusterStatus) bool {
		return !meta.IsStatusConditionTrue(s.Conditions, placement.ClusterSucceeded)
	})
}

// elapse advances the clock to the next pass that can make a difference. After an idle
// pass the next ones are idle too, until a member acts.
func (c *course) elapse(wait time.Duration, err error, idle bool) {
	if c.open != "" {
		// The approval is granted at once and triggers a pass.
		c.approved[c.open], c.open = true, ""
		return
	}
	d := drive.Decision{Next: drive.After, Wait: wait}
	if err != nil {
		d.Next = drive.Retry
	} else if wait <= 0 {
		d.Next = drive.Again
	}
	for {
		wait, _, c.failures = d.Schedule(c.failures, c.Timing)
		c.Now.Time = c.Now.Add(wait)
		if !idle || len(c.due) == 0 || !c.Now.Time.Before(c.due[0].at) {
			return
		}
		if steady(c.Timing, d, c.failures) {
			c.Now.Time = c.Now.Add(multiple(c.due[0].at.Sub(c.Now.Time), wait))
		}
	}
}
