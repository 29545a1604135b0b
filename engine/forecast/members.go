package forecast

import (
	"cmp"
	"errors"
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

// errUnknown ends a pass whose answer is unknown: never has the reason.
var errUnknown = errors.New("unknown")

// event is the act of a member: it reports the cluster as available or, with gone,
// releases the binding.
type event struct {
	at      time.Time
	binding *placement.ResourceBinding
	gone    bool
}

// resume adds what is in progress in the stage: members that update or release a binding.
// It returns why there is no estimate, if a person
// has to act.
func (c *course) resume() (held engine.Text) {
	var waiting []string
	if c.stage < len(c.Status().StagesStatus) {
		held = c.resumeUpdates()
		clusters := c.current().Clusters
		for i := range clusters {
			if s := &clusters[i]; unfinished(*s) {
				waiting = append(waiting, s.ClusterName)
				c.waited = c.waited || pass.TrueAt(s.Conditions, placement.ClusterStarted, c.Run.Generation)
			}
		}
	} else {
		waiting, held = c.resumeDeletions()
	}
	if held.IsZero() && c.never.IsZero() {
		held = c.silent(waiting)
	}
	return held
}

// resumePolls finds the next poll. Before a stage starts the controller waits as long as
// the failures of the last one made it back off (docs/kubefleet.md#observed, 10.1), unless
// that one awaited a task.
func (c *course) resumePolls() {
	status, before := c.current(), c.Status().StagesStatus[:c.stage]
	for len(before) > 0 && len(before[len(before)-1].Clusters) == 0 { // a stage that is skipped
		before = before[:len(before)-1]
	}
	n, asked := len(before), time.Time{}
	for _, b := range c.Leaving {
		if b.DeletionTimestamp != nil {
			asked = b.DeletionTimestamp.Time
		}
	}
	switch {
	case c.stage == len(c.Status().StagesStatus) && c.waited:
		_, c.Now.Time, _ = reach(c.Timing, drive.Decision{Next: drive.After, Wait: c.Timing.ClusterCheck}, asked, 0, c.Now.Time)
	case c.waited:
		_, c.Now.Time, c.failures = c.seen.around(cleanPasses(status), c.Now.Time)
	case n > 0 && c.seen.backsOff && len(status.Conditions)+len(before[n-1].AfterStageTaskStatus) == 0:
		_, c.Now.Time, c.failures = c.seen.around(cleanPasses(&before[n-1]), c.Now.Time)
	}
}

// resumeUpdates adds the members that update, also those whose bindings are newer than
// the run's status: the run was read before it recorded the start, or the members update
// to the same version already. The pass writes nothing to those bindings
// (docs/kubefleet.md#execute, row 5), and starts no cluster whose binding fails: one
// that has failed for longer than the stuck threshold has no estimate.
func (c *course) resumeUpdates() engine.Text {
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
			began := since(s.Conditions, placement.ClusterStarted)
			switch started := pass.TrueAt(s.Conditions, placement.ClusterStarted, c.Run.Generation); {
			case started && c.IsStuck(s):
				stuck = append(stuck, engine.Clean(s.ClusterName))
				continue
			case started:
			case c.HeldByOther(s, b, c.SnapshotName()):
				continue
			default:
				began = since(b.Status.Conditions, placement.BindingRolloutStarted)
				if drive.BindingFailed(b) && c.Now.Sub(began) > c.Timing.StuckAfter {
					return engine.Textf("%s has snapshot %s already and fails: the controller does not start its update", s.ClusterName, c.Status().ResourceSnapshotIndexUsed)
				}
			}
			c.update(b, began)
		}
	}
	if len(stuck) > 0 {
		return engine.Textf("the run is stuck on %s", engine.Join(stuck, ", "))
	}
	return engine.Text{}
}

// resumeDeletions adds the members that release a binding, and lists the clusters of the
// deletion stage. It names a binding whose deletion a finalizer of another controller
// holds, else the clusters whose bindings have been deleting for longer than the stuck
// threshold.
func (c *course) resumeDeletions() (clusters []string, held engine.Text) {
	var stuck []engine.Text
	for _, b := range c.Leaving {
		name := b.Spec.TargetCluster
		clusters = append(clusters, name)
		if b.DeletionTimestamp == nil {
			continue
		}
		if others := engine.ForeignFinalizers(b.Finalizers); len(others) > 0 {
			held = engine.Textf("finalizer %q of binding %s blocks the deletion from %s", others[0], b.Name, name)
			if silent := c.silent([]string{name}); !silent.IsZero() {
				held = engine.Textf("%s; %s", held, silent)
			}
			return nil, held
		}
		if c.Now.Sub(b.DeletionTimestamp.Time) > c.Timing.StuckAfter {
			stuck = append(stuck, engine.Clean(name))
		}
		c.release(b, b.DeletionTimestamp.Time)
	}
	if len(stuck) > 0 {
		held = engine.Textf("the deletion stage is stuck on %s", engine.Join(stuck, ", "))
	}
	return clusters, held
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

// update lets the member of a binding update; it began then.
func (c *course) update(b *placement.ResourceBinding, began time.Time) {
	elapsed := c.Now.Sub(began)
	took, ok := c.seen.updates.of(b.Spec.TargetCluster, c.ordinal[b.Spec.TargetCluster], c.waves[c.stage], c.bound, elapsed)
	if c.updating = true; !ok {
		c.never = engine.Lit("no update of this placement was seen yet")
		return
	}
	if c.seen.backsOff {
		c.available(b, metav1.ConditionFalse, "NotAllWorkAreAvailable")
	}
	c.expect(event{at: c.Now.Add(took - elapsed), binding: b})
}

// release lets the member of a binding release it; it began then. It takes until the
// first poll if no deletion was observed.
func (c *course) release(b *placement.ResourceBinding, began time.Time) {
	elapsed := c.Now.Sub(began)
	took, ok := c.seen.deletions.of(b.Spec.TargetCluster, slices.Index(c.Leaving, b)+1, 1, c.bound, elapsed)
	if !ok {
		took = max(elapsed, c.Timing.ClusterCheck/2)
	}
	c.expect(event{at: c.Now.Add(took - elapsed), binding: b, gone: true})
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

// deliver executes the acts of members that are due.
func (c *course) deliver() {
	for len(c.due) > 0 && !c.due[0].at.After(c.Now.Time) {
		e := c.due[0]
		c.due, c.acted = c.due[1:], true
		if e.gone {
			c.Leaving = slices.DeleteFunc(c.Leaving, func(b *placement.ResourceBinding) bool { return b == e.binding })
		} else {
			c.available(e.binding, metav1.ConditionTrue, "AllWorkAreAvailable")
		}
	}
}

// answer answers a request of a pass as a hub does whose members accept everything. It
// treats every approval request that exists as approved.
func (c *course) answer(e pass.Effect) (pass.Answer, error) {
	var err error
	switch o := e.Object.(type) {
	case *placement.ResourceBinding:
		c.acted = true
		switch {
		case e.Op == pass.OpDeleteBinding:
			o.DeletionTimestamp = c.Now.DeepCopy()
			c.release(o, c.Now.Time)
		case e.Op == pass.OpUpdateBinding:
			o.Generation++
		case !reported(o):
			c.update(o, c.Now.Time)
		}
		if slot, ok := c.at[o.Spec.TargetCluster]; ok && e.Op != pass.OpDeleteBinding {
			c.Selected[slot] = o
		}
	case *placement.ApprovalRequest:
		switch {
		case e.Op == pass.OpCreateApproval && c.granted[o.Name]:
			err = apierrors.NewAlreadyExists(schema.GroupResource{Group: placement.Group, Resource: placement.ResourceApprovalRequests}, o.Name)
		case e.Op == pass.OpCreateApproval:
			c.open = o.Name
		case e.Op == pass.OpGetApproval:
			o.Spec = placement.ApprovalRequestSpec{ParentStageRollout: c.Run.Name, TargetStage: c.current().StageName}
			o.Status.Conditions = []metav1.Condition{{Type: placement.ApprovalApproved, Status: metav1.ConditionTrue, ObservedGeneration: o.Generation}}
		}
	case nil:
		if c.q.Read != nil {
			return c.q.Read(e)
		}
		c.never = engine.Lit("what the placement selects was not read")
	}
	if err == nil && !c.never.IsZero() {
		err = errUnknown
	}
	return pass.Answer{Object: e.Object}, err
}
