package forecast

import (
	"cmp"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/drive"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// silentAfter is how long a member may send no heartbeat.
const silentAfter = 5 * time.Minute

// event is the act of a member: it reports the cluster as available or, with gone,
// releases the binding.
type event struct {
	at      time.Time
	binding *placement.ResourceBinding
	gone    bool
}

// resume adds what is in progress in the stage: members that update or release a binding,
// and when the controller polls next. It returns why there is no estimate, if so; then
// a person has to act.
func (c *course) resume() (never engine.Text) {
	stages := c.Status().StagesStatus
	status, clean := c.Status().DeletionStageStatus, []time.Time(nil)
	var waiting []string
	if c.stage < len(stages) {
		status = &stages[c.stage]
		never = c.resumeUpdates()
		for _, s := range status.Clusters {
			if !unfinished(s) {
				continue
			}
			waiting = append(waiting, s.ClusterName)
			if clean == nil && pass.TrueAt(s.Conditions, placement.ClusterStarted, c.Run.Generation) {
				clean, c.waited = cleanPasses(status), true
			}
		}
	} else {
		clean, waiting, never = c.resumeDeletions()
	}
	switch {
	case never.IsZero() && c.unknown != nil:
		return engine.Clean(c.unknown.Error())
	case never.IsZero():
		never = c.silent(waiting)
	}
	if c.held = !never.IsZero(); c.held {
		return never
	}
	if len(clean) > 0 {
		_, c.Now.Time, c.failures = c.seen.around(clean, c.Now.Time)
	} else if status != nil && status.StartTime == nil && meta.FindStatusCondition(status.Conditions, placement.StageProgressing) == nil {
		c.resumePause(stages[:min(c.stage, len(stages))])
	}
	return engine.Text{}
}

// resumeUpdates adds the members that update, also those whose bindings are newer than
// the run's status: the run was read before it recorded the start, or the members update
// to the same version already. The pass writes nothing to those bindings
// (docs/kubefleet.md#execute, row 5), and starts no cluster whose binding fails: one
// that has failed for longer than the stuck threshold has no estimate.
func (c *course) resumeUpdates() engine.Text {
	snapshot := c.SnapshotName()
	var stuck []engine.Text
	for i := c.stage; i < len(c.Status().StagesStatus); i++ {
		clusters := c.Status().StagesStatus[i].Clusters
		for j := range clusters {
			s := &clusters[j]
			slot, known := c.at[s.ClusterName]
			if !known || meta.FindStatusCondition(s.Conditions, placement.ClusterSucceeded) != nil || reported(c.Selected[slot]) {
				continue
			}
			b := c.Selected[slot]
			begun := meta.FindStatusCondition(s.Conditions, placement.ClusterStarted)
			switch started := pass.TrueAt(s.Conditions, placement.ClusterStarted, c.Run.Generation); {
			case started && c.IsStuck(s):
				stuck = append(stuck, engine.Clean(s.ClusterName))
				continue
			case started:
			case c.HeldByOther(s, b, snapshot):
				continue
			default:
				begun = meta.FindStatusCondition(b.Status.Conditions, placement.BindingRolloutStarted)
				if drive.BindingFailed(b) && c.Now.Sub(begun.LastTransitionTime.Time) > c.Timing.StuckAfter {
					return engine.Textf("%s has snapshot %s already and fails: the controller does not start its update", s.ClusterName, c.Status().ResourceSnapshotIndexUsed)
				}
			}
			c.update(b, begun)
		}
	}
	if len(stuck) > 0 {
		return engine.Textf("the run is stuck on %s", engine.Join(stuck, ", "))
	}
	return engine.Text{}
}

// resumePause continues the pause between two stages: the controller waits as long as
// the failures of the last stage made it back off
// (docs/kubefleet.md#observed, 10.1).
func (c *course) resumePause(before []placement.StageStatus) {
	if len(before) == 0 {
		return
	}
	ended, failures := before[len(before)-1].EndTime, 0
	for len(before) > 1 && len(before[len(before)-1].Clusters) == 0 { // a stage that is skipped
		before, failures = before[:len(before)-1], failures+1
	}
	last := &before[len(before)-1]
	if ended == nil || last.EndTime == nil || len(last.Clusters) == 0 {
		return
	}
	// A wait for tasks after the stage resets the failure count.
	if len(last.AfterStageTaskStatus) == 0 {
		_, _, backedOff := c.seen.around(cleanPasses(last), last.EndTime.Add(-time.Second))
		failures += backedOff
	}
	if at := ended.Add(drive.Backoff(failures, c.Timing)); at.After(c.Now.Time) {
		c.Now.Time, c.failures = at, failures+1
	}
}

// resumeDeletions continues deletions, which the controller polls from their request on.
// It names a binding whose deletion a finalizer of another controller holds, else the
// clusters whose bindings have been deleting for longer than the stuck threshold.
func (c *course) resumeDeletions() (clean []time.Time, clusters []string, never engine.Text) {
	var stuck []engine.Text
	for i, b := range c.Leaving {
		clusters = append(clusters, b.Spec.TargetCluster)
		if b.DeletionTimestamp == nil {
			continue
		}
		if others := engine.ForeignFinalizers(b.Finalizers); len(others) > 0 {
			never = engine.Textf("finalizer %q of binding %s blocks the deletion from %s", others[0], b.Name, b.Spec.TargetCluster)
			if silent := c.silent([]string{b.Spec.TargetCluster}); !silent.IsZero() {
				never = engine.Textf("%s; %s", never, silent)
			}
			return nil, nil, never
		}
		asked := b.DeletionTimestamp.Time
		elapsed := c.Now.Sub(asked)
		if elapsed > c.Timing.StuckAfter {
			stuck = append(stuck, engine.Clean(b.Spec.TargetCluster))
		}
		took := c.deletion(i)
		if took < elapsed {
			took = overdue(elapsed, c.bound)
		}
		c.expect(event{at: asked.Add(took), binding: b, gone: true})
		clean = []time.Time{asked}
	}
	if len(stuck) > 0 {
		never = engine.Textf("the deletion stage is stuck on %s", engine.Join(stuck, ", "))
	}
	return clean, clusters, never
}

// deletion is how long the member of a binding takes to release it: a quantile of the
// observed durations, else until the first poll.
func (c *course) deletion(i int) time.Duration {
	if observed := c.seen.deletions; len(observed) > 0 {
		return observed[(2*i+1)*len(observed)/(2*len(c.Leaving))]
	}
	return c.Timing.ClusterCheck / 2
}

// silent names the clusters whose members have sent no heartbeat for too long.
func (c *course) silent(clusters []string) engine.Text {
	var silent []engine.Text
	for _, m := range c.In.Members {
		var last time.Time
		for _, agent := range m.Status.AgentStatus {
			if t := agent.LastReceivedHeartbeat; t != nil && t.After(last) {
				last = t.Time
			}
		}
		limit := max(silentAfter, 3*time.Duration(m.Spec.HeartbeatPeriodSeconds)*time.Second)
		if !last.IsZero() && c.Now.Sub(last) >= limit && slices.Contains(clusters, m.Name) {
			silent = append(silent, engine.Clean(m.Name))
		}
	}
	if len(silent) == 0 {
		return engine.Text{}
	}
	return engine.Textf("no heartbeat from %s", engine.Join(silent, ", "))
}

// reported reports whether a binding shows that its cluster is updated.
func reported(b *placement.ResourceBinding) bool {
	return pass.TrueAt(b.Status.Conditions, placement.BindingAvailable, b.Generation) || pass.TrueAt(b.Status.Conditions, placement.BindingDiffReported, b.Generation)
}

// update lets the member of a binding update; started is the condition that shows when
// it began, nil when it begins now.
func (c *course) update(b *placement.ResourceBinding, started *metav1.Condition) {
	var elapsed time.Duration
	if started != nil {
		elapsed = max(c.Now.Sub(started.LastTransitionTime.Time), 1)
	}
	c.updates = true
	name := b.Spec.TargetCluster
	took, ok := c.seen.of(name, c.ordinal[name], c.waves[c.stage], c.bound, elapsed)
	if !ok {
		c.unknown = errNothingSeen
		return
	}
	if c.seen.backsOff {
		c.available(b, metav1.ConditionFalse, "NotAllWorkAreAvailable")
	}
	c.expect(event{at: c.Now.Add(took - elapsed), binding: b})
}

func (c *course) available(b *placement.ResourceBinding, status metav1.ConditionStatus, reason string) {
	meta.SetStatusCondition(&b.Status.Conditions, metav1.Condition{Type: placement.BindingAvailable, Status: status, Reason: reason, ObservedGeneration: b.Generation})
}

// expect adds an act of a member in order.
func (c *course) expect(e event) {
	c.waited = true
	i, _ := slices.BinarySearchFunc(c.due, e, func(x, y event) int { return cmp.Or(x.at.Compare(y.at), -1) })
	c.due = slices.Insert(c.due, i, e)
}

// deliver executes the acts of members that are due, and reports whether any was.
func (c *course) deliver() bool {
	n := 0
	for ; n < len(c.due) && !c.due[n].at.After(c.Now.Time); n++ {
		e := c.due[n]
		if e.gone {
			c.Leaving = slices.DeleteFunc(c.Leaving, func(b *placement.ResourceBinding) bool { return b == e.binding })
		} else {
			c.available(e.binding, metav1.ConditionTrue, "AllWorkAreAvailable")
		}
	}
	c.due = slices.Delete(c.due, 0, n)
	return n > 0
}

// answer answers a request of a pass as a hub does whose members accept everything.
func (c *course) answer(e pass.Effect) (pass.Answer, error) {
	switch o := e.Object.(type) {
	case *placement.ResourceBinding:
		return c.answerBinding(e.Op, o)
	case *placement.ApprovalRequest:
		return c.answerApproval(e.Op, o)
	case nil:
		if c.q.Read == nil {
			c.unknown = errNoRead
			return pass.Answer{}, c.unknown
		}
		return c.q.Read(e)
	}
	return pass.Answer{Object: e.Object}, nil
}

func (c *course) answerBinding(op pass.Op, b *placement.ResourceBinding) (pass.Answer, error) {
	c.acted = true
	if op == pass.OpDeleteBinding {
		now := c.Now
		b.DeletionTimestamp = &now
		c.expect(event{at: c.Now.Add(c.deletion(slices.Index(c.Leaving, b))), binding: b, gone: true})
		return pass.Answer{}, nil
	}
	c.Selected[c.at[b.Spec.TargetCluster]] = b
	switch {
	case op == pass.OpUpdateBinding:
		b.Generation++
	case !reported(b):
		c.update(b, nil)
		return pass.Answer{Object: b}, c.unknown
	}
	return pass.Answer{Object: b}, nil
}

// answerApproval treats every approval request that exists as approved.
func (c *course) answerApproval(op pass.Op, r *placement.ApprovalRequest) (pass.Answer, error) {
	kind := schema.GroupResource{Group: placement.Group, Resource: placement.ResourceApprovalRequests}
	switch {
	case op == pass.OpCreateApproval && c.granted[r.Name]:
		return pass.Answer{}, apierrors.NewAlreadyExists(kind, r.Name)
	case op == pass.OpCreateApproval:
		c.open = r.Name
	case op == pass.OpGetApproval:
		r.Spec.ParentStageRollout = c.Run.Name
		r.Spec.TargetStage = c.Status().StagesStatus[c.stage].StageName
		r.Status.Conditions = []metav1.Condition{{Type: placement.ApprovalApproved, Status: metav1.ConditionTrue, ObservedGeneration: r.Generation}}
	}
	return pass.Answer{Object: r}, nil
}
