package forecast

import (
	"cmp"
	"iter"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/drive"
	"github.com/stagewatch/stagewatch/engine/drive/initialize"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// pickUp takes over what is under way in the stage: members that are at work,
// and when the controller looks again. It says so when a cluster is stuck.
func (a *ahead) pickUp() (never engine.Text) {
	if a.stage >= len(a.Status().StagesStatus) {
		if never = a.stuckDeletions(); !never.IsZero() {
			a.held = true
			return never
		}
		a.pickUpDeletions()
		a.pickUpPause(a.Status().DeletionStageStatus)
		return engine.Text{}
	}
	status := &a.Status().StagesStatus[a.stage]
	var stuck []engine.Text
	working := 0
	for i := range status.Clusters {
		c := &status.Clusters[i]
		slot, known := a.at[c.ClusterName]
		if !known || !pass.TrueAt(c.Conditions, placement.ClusterStarted, a.Run.Generation) || meta.FindStatusCondition(c.Conditions, placement.ClusterSucceeded) != nil {
			continue
		}
		working++
		b := a.Selected[slot]
		if reported(b) {
			continue
		}
		if a.IsStuck(c) {
			stuck = append(stuck, engine.Clean(c.ClusterName))
			continue
		}
		elapsed := a.Now.Sub(meta.FindStatusCondition(c.Conditions, placement.ClusterStarted).LastTransitionTime.Time)
		if err := a.work(b, max(elapsed, 1)); err != nil {
			return engine.Clean(err.Error())
		}
	}
	if err := a.pickUpAhead(); err != nil {
		return engine.Clean(err.Error())
	}
	if a.held = len(stuck) > 0; a.held {
		return engine.Textf("the run is stuck on %s", engine.Join(stuck, ", "))
	}
	if never = a.silent(func(yield func(string) bool) {
		for i := range status.Clusters {
			if c := &status.Clusters[i]; meta.FindStatusCondition(c.Conditions, placement.ClusterSucceeded) == nil && !yield(c.ClusterName) {
				return
			}
		}
	}); !never.IsZero() {
		a.held = true
		return never
	}
	if working > 0 {
		a.Now.Time, a.failures = a.seen.looksAt(status).next(a.Now.Time)
	} else {
		a.pickUpPause(status)
	}
	return engine.Text{}
}

// pickUpAhead takes over members whose bindings are ahead of the run's status:
// the run was read before it said that it has started them, or it rolls out
// what they are taking already. The pass sends nothing to those
// (docs/kubefleet.md#execute, row 5).
func (a *ahead) pickUpAhead() error {
	snapshot := a.SnapshotName()
	for i := a.stage; i < len(a.Status().StagesStatus); i++ {
		clusters := a.Status().StagesStatus[i].Clusters
		for j := range clusters {
			c := &clusters[j]
			slot, known := a.at[c.ClusterName]
			if !known || pass.TrueAt(c.Conditions, placement.ClusterStarted, a.Run.Generation) {
				continue
			}
			b := a.Selected[slot]
			if a.HeldByOther(c, b, snapshot) || reported(b) {
				continue
			}
			elapsed := a.Now.Sub(meta.FindStatusCondition(b.Status.Conditions, placement.BindingRolloutStarted).LastTransitionTime.Time)
			if err := a.work(b, max(elapsed, 1)); err != nil {
				return err
			}
		}
	}
	return nil
}

// pickUpPause takes over the wait between two stages. What the clusters of the
// one before made the controller back off delays its look at this one
// (docs/kubefleet.md#observed, 10.1).
func (a *ahead) pickUpPause(status *placement.StageStatus) {
	if a.stage == 0 || status.StartTime != nil || meta.FindStatusCondition(status.Conditions, placement.StageProgressing) != nil {
		return
	}
	before := a.Status().StagesStatus[:a.stage]
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
	// Tasks after the stage were waited for, which forgets failures.
	if len(last.AfterStageTaskStatus) == 0 {
		_, backedOff := a.seen.looksAt(last).next(last.EndTime.Add(-time.Second))
		failures += backedOff
	}
	if at := ended.Add(drive.Backoff(failures, a.Timing)); at.After(a.Now.Time) {
		a.Now.Time, a.failures = at, failures+1
	}
}

// stuckDeletions names the clusters whose bindings have been deleting for longer
// than the stuck threshold, or whose member is silent.
func (a *ahead) stuckDeletions() engine.Text {
	var stuck []engine.Text
	for _, b := range a.Leaving {
		if since := b.DeletionTimestamp; since != nil && a.Now.Sub(since.Time) > a.Timing.StuckAfter {
			stuck = append(stuck, engine.Clean(b.Spec.TargetCluster))
		}
	}
	if len(stuck) > 0 {
		return engine.Textf("the deletion stage is stuck on %s", engine.Join(stuck, ", "))
	}
	return a.silent(func(yield func(string) bool) {
		for _, b := range a.Leaving {
			if !yield(b.Spec.TargetCluster) {
				return
			}
		}
	})
}

// silentAfter is how long a member may send no heartbeat.
const silentAfter = 5 * time.Minute

// silent names the clusters whose members have sent no heartbeat for too long.
func (a *ahead) silent(clusters iter.Seq[string]) engine.Text {
	var silent []engine.Text
	members := make(map[string]*cluster.MemberCluster, len(a.In.Members))
	for _, m := range a.In.Members {
		members[m.Name] = m
	}
	for name := range clusters {
		m := members[name]
		if m == nil {
			continue
		}
		var heard time.Time
		for _, agent := range m.Status.AgentStatus {
			if t := agent.LastReceivedHeartbeat; t != nil && t.After(heard) {
				heard = t.Time
			}
		}
		if period := 3 * time.Duration(m.Spec.HeartbeatPeriodSeconds) * time.Second; !heard.IsZero() && a.Now.Sub(heard) >= max(silentAfter, period) {
			silent = append(silent, engine.Clean(name))
		}
	}
	if len(silent) == 0 {
		return engine.Text{}
	}
	return engine.Textf("no heartbeat from %s", engine.Join(silent, ", "))
}

// pickUpDeletions takes over deletions that are under way. Those are polled.
func (a *ahead) pickUpDeletions() {
	var asked time.Time
	for i, b := range a.Leaving {
		if b.DeletionTimestamp != nil {
			asked = b.DeletionTimestamp.Time
			took := a.seen.deletion(i, len(a.Leaving))
			if elapsed := a.Now.Sub(asked); took < elapsed {
				took = overdue(elapsed, a.lean)
			}
			a.expect(event{at: asked.Add(took), binding: b, gone: true})
		}
	}
	if !asked.IsZero() {
		polls := looks{timing: a.Timing, clean: []time.Time{asked}}
		a.Now.Time, _ = polls.next(a.Now.Time)
	}
}

// reported reports whether a binding says that its cluster is updated.
func reported(b *placement.ResourceBinding) bool {
	return pass.TrueAt(b.Status.Conditions, placement.BindingAvailable, b.Generation) || pass.TrueAt(b.Status.Conditions, placement.BindingDiffReported, b.Generation)
}

// work lets the member of a binding take the new version, of which it has done
// elapsed already, 0 when it begins.
func (a *ahead) work(b *placement.ResourceBinding, elapsed time.Duration) error {
	a.drew = true
	name := b.Spec.TargetCluster
	took, ok := a.seen.draw(name, a.ordinal[name], a.waves[a.stage], a.lean, elapsed)
	if !ok {
		a.blind = errNothingSeen
		return a.blind
	}
	if a.seen.backsOff {
		meta.SetStatusCondition(&b.Status.Conditions, metav1.Condition{
			Type: placement.BindingAvailable, Status: metav1.ConditionFalse, Reason: "NotAllWorkAreAvailable", ObservedGeneration: b.Generation,
		})
	}
	a.expect(event{at: a.Now.Add(took - elapsed), binding: b})
	return nil
}

// expect keeps what is due in order.
func (a *ahead) expect(e event) {
	i, _ := slices.BinarySearchFunc(a.due, e, func(x, y event) int { return cmp.Or(x.at.Compare(y.at), -1) })
	a.due = slices.Insert(a.due, i, e)
}

// wavesOf is how many clusters of the stage one slot of it updates, one after
// the other, from the present on.
func (a *ahead) wavesOf(stage int) int {
	status := &a.Status().StagesStatus[stage]
	left := 0
	for i := range status.Clusters {
		if !meta.IsStatusConditionTrue(status.Clusters[i].Conditions, placement.ClusterSucceeded) {
			left++
		}
	}
	limit, err := initialize.MaxConcurrency(&a.Status().StagedUpdateStrategySnapshot.Stages[stage], len(status.Clusters))
	if err != nil {
		limit = 1
	}
	return max(1, (left+limit-1)/limit)
}

// deliver does what is due by now, and reports whether anything was.
func (a *ahead) deliver() bool {
	n := 0
	for n < len(a.due) && !a.due[n].at.After(a.Now.Time) {
		e := a.due[n]
		n++
		if e.gone {
			a.Leaving = slices.DeleteFunc(a.Leaving, func(b *placement.ResourceBinding) bool { return b == e.binding })
			continue
		}
		meta.SetStatusCondition(&e.binding.Status.Conditions, metav1.Condition{
			Type: placement.BindingAvailable, Status: metav1.ConditionTrue, Reason: "AllWorkAreAvailable", ObservedGeneration: e.binding.Generation,
		})
	}
	a.due = slices.Delete(a.due, 0, n)
	return n > 0
}

// answer answers an effect as a hub with willing members would.
func (a *ahead) answer(e pass.Effect) (pass.Answer, error) {
	switch o := e.Object.(type) {
	case *placement.ResourceBinding:
		return a.answerBinding(e.Op, o)
	case *placement.ApprovalRequest:
		return a.answerApproval(e.Op, o)
	case nil:
		if a.q.Read == nil {
			a.blind = errNoRead
			return pass.Answer{}, a.blind
		}
		return a.q.Read(e)
	}
	return pass.Answer{Object: e.Object}, nil
}

func (a *ahead) answerBinding(op pass.Op, b *placement.ResourceBinding) (pass.Answer, error) {
	a.acted = true
	if op == pass.OpDeleteBinding {
		now := a.Now
		b.DeletionTimestamp = &now
		i := slices.Index(a.Leaving, b)
		a.expect(event{at: a.Now.Add(a.seen.deletion(i, len(a.Leaving))), binding: b, gone: true})
		return pass.Answer{}, nil
	}
	slot := a.at[b.Spec.TargetCluster]
	if op == pass.OpUpdateBinding {
		b.Generation++
		a.Selected[slot] = b
		return pass.Answer{Object: b}, nil
	}
	a.Selected[slot] = b
	if reported(b) {
		return pass.Answer{Object: b}, nil
	}
	return pass.Answer{Object: b}, a.work(b, 0)
}

// answerApproval lets every request that exists be an approved one.
func (a *ahead) answerApproval(op pass.Op, r *placement.ApprovalRequest) (pass.Answer, error) {
	kind := schema.GroupResource{Group: placement.Group, Resource: placement.ResourceApprovalRequests}
	switch {
	case op == pass.OpCreateApproval && a.given[r.Name]:
		return pass.Answer{}, apierrors.NewAlreadyExists(kind, r.Name)
	case op == pass.OpCreateApproval:
		a.open = r.Name
	case op == pass.OpGetApproval:
		r.Spec.ParentStageRollout = a.Run.Name
		r.Spec.TargetStage = a.Status().StagesStatus[a.stage].StageName
		r.Status.Conditions = []metav1.Condition{{Type: placement.ApprovalApproved, Status: metav1.ConditionTrue, ObservedGeneration: r.Generation}}
	}
	return pass.Answer{Object: r}, nil
}
