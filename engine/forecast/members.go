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

// resume adds what is in progress: members that update or release a binding. It returns
// why there is no estimate, if a person has to act.
func (c *course) resume() (held engine.Text) {
	if c.stage < len(c.Status().StagesStatus) {
		held = c.resumeUpdates()
	} else {
		held = c.resumeDeletions()
	}
	if held.IsZero() && c.out.Never.IsZero() {
		held = c.silent(c.current().Clusters)
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
			if !known || !unfinished(*s) {
				continue
			}
			b, started := c.Selected[slot], pass.TrueAt(s.Conditions, placement.ClusterStarted, c.Run.Generation)
			c.waited = c.waited || started && i == c.stage
			began := since(b.Status.Conditions, placement.BindingRolloutStarted)
			switch {
			case reported(b) || c.HeldByOther(s, b, c.SnapshotName()):
			case started && c.IsStuck(s):
				stuck = append(stuck, engine.Clean(s.ClusterName))
			case !started && drive.BindingFailed(b) && c.Now.Sub(began) > c.Timing.StuckAfter:
				return engine.Textf("%s has snapshot %s already and fails: the controller does not start its update", s.ClusterName, c.Status().ResourceSnapshotIndexUsed)
			default:
				c.expect(b, began, false)
			}
		}
	}
	if len(stuck) > 0 {
		return engine.Textf("the run is stuck on %s", engine.Join(stuck, ", "))
	}
	return engine.Text{}
}

// resumeDeletions adds the members that release a binding. It names a binding whose
// deletion a finalizer of another controller holds, else the clusters whose bindings have
// been deleting for longer than the stuck threshold.
func (c *course) resumeDeletions() engine.Text {
	var stuck []engine.Text
	for _, b := range c.Leaving {
		if b.DeletionTimestamp == nil {
			continue
		}
		name := b.Spec.TargetCluster
		if others := placement.ForeignFinalizers(b.Finalizers); len(others) > 0 {
			held := engine.Textf("finalizer %q of binding %s blocks the deletion from %s", others[0], b.Name, name)
			if silent := c.silent([]placement.ClusterStatus{{ClusterName: name}}); !silent.IsZero() {
				held = engine.Textf("%s; %s", held, silent)
			}
			return held
		}
		if c.Now.Sub(b.DeletionTimestamp.Time) > c.Timing.StuckAfter {
			stuck = append(stuck, engine.Clean(name))
		}
		c.expect(b, b.DeletionTimestamp.Time, true)
	}
	if len(stuck) > 0 {
		return engine.Textf("the deletion stage is stuck on %s", engine.Join(stuck, ", "))
	}
	return engine.Text{}
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

// reported reports whether a binding shows that its cluster is updated.
func reported(b *placement.ResourceBinding) bool {
	return pass.TrueAt(b.Status.Conditions, placement.BindingAvailable, b.Generation) || pass.TrueAt(b.Status.Conditions, placement.BindingDiffReported, b.Generation)
}

// expect lets the member of a binding update or, with gone, release it; it began then.
// A release takes until the first poll if none was observed.
func (c *course) expect(b *placement.ResourceBinding, began time.Time, gone bool) {
	elapsed := c.Now.Sub(began)
	name, observed, updates := b.Spec.TargetCluster, &c.seen.updates, 1
	if gone {
		observed = &c.seen.deletions
	} else {
		c.updating, updates = true, c.waves[c.stage]
	}
	took, ok := observed.of(name, c.ordinal[name], updates, c.bound, elapsed)
	switch {
	case !ok && !gone:
		c.out.Never = engine.Lit("no update of this placement was seen yet")
	case !ok:
		took = max(elapsed, c.Timing.ClusterCheck/2)
	case !gone && c.seen.backsOff:
		c.available(b, metav1.ConditionFalse, "NotAllWorkAreAvailable")
	}
	e := event{at: c.Now.Add(took - elapsed), binding: b, gone: gone}
	i, _ := slices.BinarySearchFunc(c.due, e, func(x, y event) int { return cmp.Or(x.at.Compare(y.at), -1) })
	c.due, c.waited = slices.Insert(c.due, i, e), true
}

func (c *course) available(b *placement.ResourceBinding, status metav1.ConditionStatus, reason string) {
	meta.SetStatusCondition(&b.Status.Conditions, metav1.Condition{Type: placement.BindingAvailable, Status: status, Reason: reason, ObservedGeneration: b.Generation})
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
			c.expect(o, c.Now.Time, true)
		case e.Op == pass.OpUpdateBinding:
			o.Generation++
		case !reported(o):
			c.expect(o, c.Now.Time, false)
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
		c.out.Never = engine.Lit("what the placement selects was not read")
	}
	if err == nil && !c.out.Never.IsZero() {
		err = errUnknown
	}
	return pass.Answer{Object: e.Object}, err
}
