package drive

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/api/meta"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

func (p *Executor) bindingsByCluster() map[string]*placement.ResourceBinding {
	bindings := make(map[string]*placement.ResourceBinding, len(p.Selected))
	for _, b := range p.Selected {
		bindings[b.Spec.TargetCluster] = b
	}
	return bindings
}

// SnapshotName is the master snapshot that the run rolls out. An index that
// does not parse counts as 0: runs of versions that did not record it resolve
// to that (docs/kubefleet.md#quirks, 7.14).
func (p *Executor) SnapshotName() string {
	index, err := strconv.Atoi(p.Status().ResourceSnapshotIndexUsed)
	if err != nil {
		index = 0
	}
	return placement.MasterSnapshotName(p.Run.Spec.PlacementName, strconv.Itoa(index))
}

// startCluster points the cluster's binding to what the run rolls out and marks
// the cluster as started. An error leaves it unstarted; the next pass goes on
// from what the binding says then (docs/kubefleet.md#execute, row 5).
func (p *Executor) startCluster(stage *placement.StageStatus, c *placement.ClusterStatus, b *placement.ResourceBinding, snapshot string) error {
	synced := p.InSync(b, c, snapshot)
	bound := b.Spec.State == placement.BindingBound
	switch {
	case !synced || !bound:
		put, err := p.putBinding(b, c, snapshot, synced)
		if err != nil {
			return err
		}
		if err := p.putRolloutStarted(put); err != nil {
			return err
		}
	case !pass.TrueAt(b.Status.Conditions, placement.BindingRolloutStarted, b.Generation):
		if err := p.putRolloutStarted(b.DeepCopy()); err != nil {
			return err
		}
	default:
		// Everything is set already: a run that was cut off before it could
		// say so, or one that rolls out what the cluster has. A failing
		// binding keeps the cluster unstarted.
		if _, err := p.checkCluster(stage, c, b); err != nil {
			return err
		}
	}
	p.markClusterStarted(c)
	p.markStageStarted(stage)
	return nil
}

func (p *Executor) putBinding(b *placement.ResourceBinding, c *placement.ClusterStatus, snapshot string, synced bool) (*placement.ResourceBinding, error) {
	b = b.DeepCopy()
	b.Spec.State = placement.BindingBound
	if !synced {
		b.Spec.ResourceSnapshotName = snapshot
		b.Spec.ResourceOverrideSnapshots = slices.Clone(c.ResourceOverrideSnapshots)
		b.Spec.ClusterResourceOverrideSnapshots = slices.Clone(c.ClusterResourceOverrideSnapshots)
		b.Spec.ApplyStrategy = p.Status().AppliedStrategy.DeepCopy()
	}
	answer, err := p.Do(pass.Effect{Op: pass.OpUpdateBinding, Object: b})
	if err != nil {
		return nil, pass.WriteError(err)
	}
	put, ok := answer.Object.(*placement.ResourceBinding)
	if !ok || put == nil {
		return nil, pass.NoObject(pass.OpUpdateBinding, answer)
	}
	return put, nil
}

// putRolloutStarted sets RolloutStarted at the generation that the binding has
// now. It is removed and added again, so that lastTransitionTime is the start
// (docs/kubefleet.md#conditions). It changes b.
func (p *Executor) putRolloutStarted(b *placement.ResourceBinding) error {
	meta.RemoveStatusCondition(&b.Status.Conditions, placement.BindingRolloutStarted)
	b.Status.Conditions = append(b.Status.Conditions, metav1.Condition{
		Type:               placement.BindingRolloutStarted,
		Status:             metav1.ConditionTrue,
		ObservedGeneration: b.Generation,
		LastTransitionTime: p.Now,
		Reason:             placement.ReasonRolloutStarted,
		Message:            fmt.Sprintf(msgRolloutStarted, p.Run.Spec.ResourceSnapshotIndex, p.Run.Name),
	})
	if _, err := p.Do(pass.Effect{Op: pass.OpWriteBindingStatus, Object: b}); err != nil {
		return pass.WriteError(err)
	}
	return nil
}

// HeldByOther reports whether the binding of a started cluster is no longer what this
// run made it (docs/kubefleet.md#cluster-checks).
func (p *Executor) HeldByOther(c *placement.ClusterStatus, b *placement.ResourceBinding, snapshot string) bool {
	return !p.InSync(b, c, snapshot) || b.Spec.State != placement.BindingBound || !pass.TrueAt(b.Status.Conditions, placement.BindingRolloutStarted, b.Generation)
}

// current returns the binding of a started cluster. It rereads one that another writer
// seems to hold: the Input may be older than the run's own write, and show a success
// that is not the run's.
func (p *Executor) current(c *placement.ClusterStatus, b *placement.ResourceBinding, snapshot string) (*placement.ResourceBinding, error) {
	if !p.HeldByOther(c, b, snapshot) {
		return b, nil
	}
	found, err := p.lookAgain(b)
	if err != nil {
		return nil, pass.ServerError(err)
	}
	return found, nil
}

// preempted marks a started cluster as failed when another writer has changed its
// binding
// (docs/kubefleet.md#cluster-checks).
func (p *Executor) preempted(stage *placement.StageStatus, c *placement.ClusterStatus, b *placement.ResourceBinding, snapshot string) error {
	if !p.HeldByOther(c, b, snapshot) {
		return nil
	}
	err := pass.UserError(msgPreempted, c.ClusterName, stage.StageName, pass.ObjectName(b))
	p.markClusterFailed(c, err.Error())
	return pass.AbortedError(err)
}

// reread reads a binding from the hub: a final decision is not based on an Input that
// may be older than the last write.
func (p *Executor) lookAgain(b *placement.ResourceBinding) (*placement.ResourceBinding, error) {
	wanted := &placement.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: b.Name}}
	answer, err := p.Do(pass.Effect{Op: pass.OpGetBinding, Object: wanted})
	if err != nil {
		return nil, err
	}
	found, ok := answer.Object.(*placement.ResourceBinding)
	if !ok || found == nil {
		return nil, pass.NoObject(pass.OpGetBinding, answer)
	}
	return found, nil
}

// checkCluster reports whether the cluster has finished, and an error when its
// binding looks failed. No failure is final: the member may recover
// (docs/kubefleet.md#cluster-checks).
func (p *Executor) checkCluster(stage *placement.StageStatus, c *placement.ClusterStatus, b *placement.ResourceBinding) (bool, error) {
	if BindingDone(b) {
		p.markClusterSucceeded(c)
		return true, nil
	}
	if BindingFailed(b) {
		return false, fmt.Errorf(msgClusterError, stage.StageName, p.Run.Name)
	}
	return false, nil
}

// BindingDone reports whether a binding shows that its cluster is updated.
func BindingDone(b *placement.ResourceBinding) bool {
	return pass.TrueAt(b.Status.Conditions, placement.BindingAvailable, b.Generation) || pass.TrueAt(b.Status.Conditions, placement.BindingDiffReported, b.Generation)
}

// BindingFailed reports whether a binding looks failed. The exempt reasons
// belong to placements: no binding writer uses them
// (docs/kubefleet.md#cluster-checks).
func BindingFailed(b *placement.ResourceBinding) bool {
	for _, exempt := range [...]struct{ kind, reason string }{
		{placement.BindingOverridden, "OverriddenPending"},
		{placement.BindingWorkSynchronized, "WorkNotSynchronizedYet"},
		{placement.BindingApplied, "ApplyPending"},
		{placement.BindingAvailable, "ResourceNotAvailableYet"},
	} {
		if pass.FalseAt(b.Status.Conditions, exempt.kind, b.Generation) &&
			meta.FindStatusCondition(b.Status.Conditions, exempt.kind).Reason != exempt.reason {
			return true
		}
	}
	return pass.FalseAt(b.Status.Conditions, placement.BindingDiffReported, b.Generation)
}

// IsStuck reports whether a started cluster has taken longer than StuckAfter.
// Time that the run stood stopped counts (docs/kubefleet.md#stop).
func (p *Executor) IsStuck(c *placement.ClusterStatus) bool {
	started := meta.FindStatusCondition(c.Conditions, placement.ClusterStarted)
	return started != nil && p.Now.Sub(started.LastTransitionTime.Time) > p.Timing.StuckAfter
}

// InSync reports whether a binding's spec is what the run wants for the cluster
// (docs/kubefleet.md#cluster-checks). Lists are compared deeply, so that an
// empty list is not an absent one.
func (p *Executor) InSync(b *placement.ResourceBinding, c *placement.ClusterStatus, snapshot string) bool {
	return b.Spec.ResourceSnapshotName == snapshot &&
		sameElements(b.Spec.ResourceOverrideSnapshots, c.ResourceOverrideSnapshots) &&
		sameElements(b.Spec.ClusterResourceOverrideSnapshots, c.ClusterResourceOverrideSnapshots) &&
		reflect.DeepEqual(b.Spec.ApplyStrategy, p.Status().AppliedStrategy)
}

func sameElements[T comparable](a, b []T) bool { return (a == nil) == (b == nil) && slices.Equal(a, b) }
