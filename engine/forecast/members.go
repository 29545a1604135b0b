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
	"github.com/stagewatch/stagewatch/engine/recheck"
)

// silentAfter is how long a member may send no heartbeat.
const silentAfter = 5 * time.Minute

// event is the act of a member: it reports the cluster as available, or releases the
// binding of one that leaves.
type event struct {
	at      time.Time
	binding *placement.ResourceBinding
}

// resume adds what is in progress: members that update or release a binding. There is no
// estimate if a person has to act.
func (c *course) resume() {
	what, inProgress := engine.Lit("the run"), c.resumeUpdates
	if c.stage == len(c.Status().StagesStatus) {
		what, inProgress = engine.Lit("the deletion stage"), c.resumeDeletions
	}
	stuck, held := inProgress()
	if len(stuck) > 0 {
		held = engine.Textf("%s is stuck on %s", what, engine.Join(stuck, ", "))
	}
	reasons := slices.DeleteFunc([]engine.Text{held, c.silent(c.current().Clusters)}, engine.Text.IsZero)
	if len(reasons) > 0 {
		c.out.Held, c.out.Never = true, engine.Join(reasons, "; ")
	}
}

// resumeUpdates adds the members that update, also those whose bindings are newer than
// the run's status: the run was read before it recorded the start, or the members update
// to the same version already. The pass writes nothing to those bindings
// (docs/kubefleet.md#execute, row 5), and starts no cluster whose binding fails: one
// that has failed for longer than the stuck threshold has no estimate.
func (c *course) resumeUpdates() (stuck []engine.Text, held engine.Text) {
	for _, stage := range c.Status().StagesStatus[c.stage:] {
		for i := range stage.Clusters {
			s := &stage.Clusters[i]
			slot, known := c.slot[s.ClusterName]
			if !known || !unfinished(*s) {
				continue
			}
			b, started := c.Selected[slot], since(s.Conditions, placement.ClusterStarted)
			began := cmp.Or(started, since(b.Status.Conditions, placement.BindingRolloutStarted))
			switch {
			case drive.BindingDone(b) && started.IsZero() || c.HeldByOther(s, b, c.SnapshotName()):
			case c.IsStuck(s) && !drive.BindingDone(b):
				stuck = append(stuck, engine.Clean(s.ClusterName))
			case started.IsZero() && drive.BindingFailed(b) && c.Now.Sub(began) > c.Timing.StuckAfter:
				return nil, engine.Textf("%s already has snapshot %s and fails: the controller does not start its update", s.ClusterName, c.Status().ResourceSnapshotIndexUsed)
			default:
				var by time.Time
				if !started.IsZero() && drive.BindingDone(b) {
					landed := cmp.Or(since(b.Status.Conditions, placement.BindingAvailable), since(b.Status.Conditions, placement.BindingDiffReported))
					by = landed.Add(recheck.Within(landed.Sub(recheck.Since(&stage))))
				}
				c.expect(b, began, by)
			}
		}
	}
	return stuck, held
}

// resumeDeletions adds the members that release a binding. held names one that a finalizer
// of another controller holds, stuck those that take longer than the stuck threshold.
func (c *course) resumeDeletions() (stuck []engine.Text, held engine.Text) {
	for _, b := range c.Leaving {
		if b.DeletionTimestamp == nil {
			continue
		}
		if others := placement.ForeignFinalizers(b.Finalizers); len(others) > 0 {
			return nil, engine.Textf("finalizer %q of binding %s blocks the deletion from %s", others[0], b.Name, b.Spec.TargetCluster)
		}
		if c.Now.Sub(b.DeletionTimestamp.Time) > c.Timing.StuckAfter {
			stuck = append(stuck, engine.Clean(b.Spec.TargetCluster))
		}
		c.expect(b, b.DeletionTimestamp.Time, time.Time{})
	}
	return stuck, held
}

// silent names the unfinished clusters whose members have sent no heartbeat for too long.
func (c *course) silent(clusters []placement.ClusterStatus) engine.Text {
	var silent []engine.Text
	for _, m := range c.In.Members {
		var last time.Time
		for _, agent := range m.Status.AgentStatus {
			if t := agent.LastReceivedHeartbeat; t != nil && t.After(last) {
				last = t.Time
			}
		}
		limit := max(silentAfter, 3*time.Duration(m.Spec.HeartbeatPeriodSeconds)*time.Second)
		if !last.IsZero() && c.Now.Sub(last) >= limit &&
			slices.ContainsFunc(clusters, func(s placement.ClusterStatus) bool { return s.ClusterName == m.Name && unfinished(s) }) {
			silent = append(silent, engine.Clean(m.Name))
		}
	}
	if len(silent) == 0 {
		return engine.Text{}
	}
	return engine.Textf("no heartbeat from %s", engine.Join(silent, ", "))
}

// expect lets the member of a binding update it, or release one that leaves; it began then.
// A release takes until the first poll if none was observed. by is until when the controller
// notices a member that is done already, zero or in the past if it is not known.
func (c *course) expect(b *placement.ResourceBinding, began, by time.Time) {
	elapsed, gone := c.Now.Sub(began), slices.Contains(c.Leaving, b)
	observed, updates := &c.seen.deletions, 1
	if !gone {
		observed, updates = &c.seen.updates, c.waves[c.stage]
		c.out.Seen, c.out.Runs = c.seen.seen, c.seen.runs
	}
	took, ok := observed.of(b.Spec.TargetCluster, c.awaited, updates, c.bound, elapsed)
	switch {
	case !ok && !gone:
		c.out.Never = cmp.Or(c.out.Never, engine.Lit("no update of this placement has been observed yet"))
	case !ok:
		took = noticed(elapsed, c.Timing)
	case !gone:
		meta.RemoveStatusCondition(&b.Status.Conditions, placement.BindingAvailable)
		meta.RemoveStatusCondition(&b.Status.Conditions, placement.BindingDiffReported)
	}
	e := event{at: c.Now.Add(max(0, took-elapsed)), binding: b}
	if !by.Before(c.Now.Time) && by.Before(e.at) {
		e.at = by
	}
	i, _ := slices.BinarySearchFunc(c.due, e, func(x, y event) int { return cmp.Or(x.at.Compare(y.at), -1) })
	c.due, c.awaited = slices.Insert(c.due, i, e), c.awaited+1
}

// deliver executes the acts of members that are due.
func (c *course) deliver() {
	for len(c.due) > 0 && !c.due[0].at.After(c.Now.Time) {
		b := c.due[0].binding
		c.due = c.due[1:]
		if i := slices.Index(c.Leaving, b); i >= 0 {
			c.Leaving = slices.Delete(c.Leaving, i, i+1)
		} else {
			meta.SetStatusCondition(&b.Status.Conditions, metav1.Condition{Type: placement.BindingAvailable, Status: metav1.ConditionTrue, ObservedGeneration: b.Generation})
		}
	}
}

// answer answers a request of a pass as a hub does whose members accept everything.
func (c *course) answer(e pass.Effect) (pass.Answer, error) {
	var err error
	switch o := e.Object.(type) {
	case *placement.ResourceBinding:
		if e.Op == pass.OpGetBinding {
			return c.find(o)
		}
		c.write(e.Op, o)
	case *placement.ApprovalRequest:
		err = c.approve(e.Op, o)
	case nil:
		if c.q.Read != nil {
			return c.q.Read(e)
		}
		c.out.Never = engine.Lit("what the placement selects was not read")
	}
	if !c.out.Never.IsZero() {
		err = errors.New(c.out.Never.String()) // ends the pass
	}
	return pass.Answer{Object: e.Object}, err
}

// find returns the binding of a name as it is at that moment of the course.
func (c *course) find(o *placement.ResourceBinding) (pass.Answer, error) {
	for _, b := range slices.Concat(c.Selected, c.Leaving) {
		if b.Namespace == o.Namespace && b.Name == o.Name {
			return pass.Answer{Object: b.DeepCopy()}, nil
		}
	}
	return pass.Answer{}, apierrors.NewNotFound(schema.GroupResource{}, o.Name)
}

// write stores a binding, which its member then updates or releases.
func (c *course) write(op pass.Op, b *placement.ResourceBinding) {
	switch {
	case op == pass.OpDeleteBinding:
		b.DeletionTimestamp = c.Now.DeepCopy()
		c.expect(b, c.Now.Time, time.Time{})
	case op == pass.OpUpdateBinding:
		b.Generation++
	case !drive.BindingDone(b):
		c.expect(b, c.Now.Time, time.Time{})
	}
	if slot, ok := c.slot[b.Spec.TargetCluster]; ok && op != pass.OpDeleteBinding {
		c.Selected[slot] = b
	}
}

// approve grants an approval as soon as it is requested, or ends the estimate there. One
// that was requested before the present waits for a person.
func (c *course) approve(op pass.Op, o *placement.ApprovalRequest) error {
	switch op {
	case pass.OpCreateApproval:
		s, tasks := &c.out.Stages[c.stage], slices.Concat(c.current().BeforeStageTaskStatus, c.current().AfterStageTaskStatus)
		open := slices.ContainsFunc(tasks, func(t placement.TaskStatus) bool {
			return t.ApprovalRequestName == o.Name && meta.IsStatusConditionTrue(t.Conditions, placement.TaskApprovalRequestCreated)
		})
		switch {
		case open && !c.q.AssumeOpen:
			side := engine.Lit("after")
			if o.Labels[placement.LabelTaskType] == placement.TaskBeforeStage {
				side = engine.Lit("before")
			}
			c.out.Held, c.out.Never = true, engine.Textf("waits for the approval %s stage %s", side, o.Spec.TargetStage)
		case !open && s.Asked.IsZero():
			s.Asked = c.moment()
		}
		if c.q.AssumeApprovals {
			return apierrors.NewAlreadyExists(schema.GroupResource{}, o.Name)
		}
		c.out.Awaits = engine.Clean(o.Name)
	case pass.OpGetApproval:
		o.Spec = placement.ApprovalRequestSpec{ParentStageRollout: c.Run.Name, TargetStage: c.current().StageName}
		o.Status.Conditions = []metav1.Condition{{Type: placement.ApprovalApproved, Status: metav1.ConditionTrue, ObservedGeneration: o.Generation}}
	}
	return nil
}
