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

// resume adds what is in progress in the stage: members that update, and when the
// controller polls next. It returns why there is no estimate, if so.
func (c *course) resume() (never engine.Text) {
	if c.stage >= len(c.Status().StagesStatus) {
		if never = c.stuckDeletions(); !never.IsZero() {
			c.held = true
			return never
		}
		c.resumeDeletions()
		c.resumePause(c.Status().DeletionStageStatus)
		return engine.Text{}
	}
	status := &c.Status().StagesStatus[c.stage]
	var stuck []engine.Text
	var unfinished []string
	updating := false
	for i := range status.Clusters {
		s := &status.Clusters[i]
		if meta.FindStatusCondition(s.Conditions, placement.ClusterSucceeded) != nil {
			continue
		}
		unfinished = append(unfinished, s.ClusterName)
		slot, known := c.at[s.ClusterName]
		if !known || !pass.TrueAt(s.Conditions, placement.ClusterStarted, c.Run.Generation) {
			continue
		}
		updating = true
		switch b := c.Selected[slot]; {
		case reported(b):
		case c.IsStuck(s):
			stuck = append(stuck, engine.Clean(s.ClusterName))
		default:
			c.update(b, meta.FindStatusCondition(s.Conditions, placement.ClusterStarted))
		}
	}
	if never = c.resumeBindings(); !never.IsZero() {
		c.held = true
		return never
	}
	if c.unknown != nil {
		return engine.Clean(c.unknown.Error())
	}
	if c.held = len(stuck) > 0; c.held {
		return engine.Textf("the run is stuck on %s", engine.Join(stuck, ", "))
	}
	if never = c.silent(unfinished); !never.IsZero() {
		c.held = true
		return never
	}
	if updating {
		_, c.Now.Time, c.failures = c.seen.pollsOf(status).around(c.Now.Time)
	} else {
		c.resumePause(status)
	}
	return engine.Text{}
}

// resumeBindings adds members whose bindings are newer than the run's status: the run
// was read before it recorded the start, or the members update to the same version
// already. The pass writes nothing to those bindings (docs/kubefleet.md#execute, row 5),
// and starts no cluster whose binding fails: one that has failed for longer than the
// stuck threshold has no estimate.
func (c *course) resumeBindings() (never engine.Text) {
	snapshot := c.SnapshotName()
	for i := c.stage; i < len(c.Status().StagesStatus); i++ {
		clusters := c.Status().StagesStatus[i].Clusters
		for j := range clusters {
			s := &clusters[j]
			slot, known := c.at[s.ClusterName]
			if !known || pass.TrueAt(s.Conditions, placement.ClusterStarted, c.Run.Generation) {
				continue
			}
			b := c.Selected[slot]
			if c.HeldByOther(s, b, snapshot) || reported(b) {
				continue
			}
			start := meta.FindStatusCondition(b.Status.Conditions, placement.BindingRolloutStarted)
			if drive.BindingFailed(b) && c.Now.Sub(start.LastTransitionTime.Time) > c.Timing.StuckAfter {
				return engine.Textf("%s has snapshot %s already and fails: the controller does not start its update", s.ClusterName, c.Status().ResourceSnapshotIndexUsed)
			}
			c.update(b, start)
		}
	}
	return engine.Text{}
}

// resumePause continues the pause between two stages: the controller waits as long as
// the failures of the last stage made it back off
// (docs/kubefleet.md#observed, 10.1).
func (c *course) resumePause(status *placement.StageStatus) {
	if c.stage == 0 || status.StartTime != nil || meta.FindStatusCondition(status.Conditions, placement.StageProgressing) != nil {
		return
	}
	before := c.Status().StagesStatus[:c.stage]
	ended := before[len(before)-1].EndTime
	skipped := 0
	for len(before) > 1 && len(before[len(before)-1].Clusters) == 0 {
		before, skipped = before[:len(before)-1], skipped+1
	}
	last := &before[len(before)-1]
	if ended == nil || last.EndTime == nil || len(last.Clusters) == 0 {
		return
	}
	failures := skipped
	// A wait for tasks after the stage resets the failure count.
	if len(last.AfterStageTaskStatus) == 0 {
		_, _, backedOff := c.seen.pollsOf(last).around(last.EndTime.Add(-time.Second))
		failures += backedOff
	}
	if at := ended.Add(drive.Backoff(failures, c.Timing)); at.After(c.Now.Time) {
		c.Now.Time, c.failures = at, failures+1
	}
}

// stuckDeletions names a binding whose deletion a finalizer of another controller holds,
// else the clusters whose bindings have been deleting for longer than the stuck
// threshold, or whose members send no heartbeat.
func (c *course) stuckDeletions() engine.Text {
	var stuck []engine.Text
	var clusters []string
	for _, b := range c.Leaving {
		clusters = append(clusters, b.Spec.TargetCluster)
		if others := engine.ForeignFinalizers(b.Finalizers); b.DeletionTimestamp != nil && len(others) > 0 {
			return engine.Textf("finalizer %q of binding %s blocks the deletion from %s", others[0], b.Name, b.Spec.TargetCluster)
		}
		if since := b.DeletionTimestamp; since != nil && c.Now.Sub(since.Time) > c.Timing.StuckAfter {
			stuck = append(stuck, engine.Clean(b.Spec.TargetCluster))
		}
	}
	if len(stuck) > 0 {
		return engine.Textf("the deletion stage is stuck on %s", engine.Join(stuck, ", "))
	}
	return c.silent(clusters)
}

// silentAfter is how long a member may send no heartbeat.
const silentAfter = 5 * time.Minute

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

// resumeDeletions continues deletions, which the controller polls.
func (c *course) resumeDeletions() {
	var asked time.Time
	for i, b := range c.Leaving {
		if b.DeletionTimestamp != nil {
			asked = b.DeletionTimestamp.Time
			took := c.seen.deletion(i, len(c.Leaving))
			if elapsed := c.Now.Sub(asked); took < elapsed {
				took = overdue(elapsed, c.bound)
			}
			c.expect(event{at: asked.Add(took), binding: b, gone: true})
		}
	}
	if !asked.IsZero() {
		p := polls{timing: c.Timing, clean: []time.Time{asked}}
		_, c.Now.Time, _ = p.around(c.Now.Time)
	}
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
	took, ok := c.seen.duration(name, c.ordinal[name], c.waves[c.stage], c.bound, elapsed)
	if !ok {
		c.unknown = errNothingSeen
		return
	}
	if c.seen.backsOff {
		meta.SetStatusCondition(&b.Status.Conditions, metav1.Condition{
			Type: placement.BindingAvailable, Status: metav1.ConditionFalse, Reason: "NotAllWorkAreAvailable", ObservedGeneration: b.Generation,
		})
	}
	c.expect(event{at: c.Now.Add(took - elapsed), binding: b})
}

// expect adds an act of a member in order.
func (c *course) expect(e event) {
	i, _ := slices.BinarySearchFunc(c.due, e, func(x, y event) int { return cmp.Or(x.at.Compare(y.at), -1) })
	c.due = slices.Insert(c.due, i, e)
}

// deliver executes the acts of members that are due, and reports whether any was.
func (c *course) deliver() bool {
	n := 0
	for n < len(c.due) && !c.due[n].at.After(c.Now.Time) {
		e := c.due[n]
		n++
		if e.gone {
			c.Leaving = slices.DeleteFunc(c.Leaving, func(b *placement.ResourceBinding) bool { return b == e.binding })
			continue
		}
		meta.SetStatusCondition(&e.binding.Status.Conditions, metav1.Condition{
			Type: placement.BindingAvailable, Status: metav1.ConditionTrue, Reason: "AllWorkAreAvailable", ObservedGeneration: e.binding.Generation,
		})
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
		i := slices.Index(c.Leaving, b)
		c.expect(event{at: c.Now.Add(c.seen.deletion(i, len(c.Leaving))), binding: b, gone: true})
		return pass.Answer{}, nil
	}
	slot := c.at[b.Spec.TargetCluster]
	if op == pass.OpUpdateBinding {
		b.Generation++
		c.Selected[slot] = b
		return pass.Answer{Object: b}, nil
	}
	c.Selected[slot] = b
	if reported(b) {
		return pass.Answer{Object: b}, nil
	}
	c.update(b, nil)
	return pass.Answer{Object: b}, c.unknown
}

// answerApproval treats every approval request that exists as approved.
func (c *course) answerApproval(op pass.Op, r *placement.ApprovalRequest) (pass.Answer, error) {
	kind := schema.GroupResource{Group: placement.Group, Resource: placement.ResourceApprovalRequests}
	switch {
	case op == pass.OpCreateApproval && c.approved[r.Name]:
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
