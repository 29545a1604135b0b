package drive

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// executeDeletion deletes the bindings that the placement no longer wants and
// reports whether none was left at the start of the pass
// (docs/kubefleet.md#finish). There is no limit on how many go at once.
func (p *Executor) executeDeletion() (bool, error) {
	stage := p.Status().DeletionStageStatus
	p.markStageStarted(stage)
	remaining := deletionClusters(stage)
	for _, b := range p.Leaving {
		c, started, err := p.leavingCluster(remaining, b, "execution")
		if err != nil {
			return false, err
		}
		if started {
			continue
		}
		if _, err := p.Do(pass.Effect{Op: pass.OpDeleteBinding, Object: b}); err != nil {
			return false, pass.ServerError(err)
		}
		p.markClusterStarted(c)
	}
	p.markGone(stage, remaining)
	if len(p.Leaving) > 0 {
		return false, nil
	}
	p.markStageSucceeded(stage)
	return true, nil
}

// stopDeletion waits for deletions that have begun and begins none. The run
// stops only when no binding is left to delete at all, so that one stopped
// before its deletions goes on stopping (docs/kubefleet.md#stop).
func (p *Executor) stopDeletion() (bool, error) {
	stage := p.Status().DeletionStageStatus
	p.markStageStopping(stage)
	remaining := deletionClusters(stage)
	deleting := 0
	for _, b := range p.Leaving {
		_, started, err := p.leavingCluster(remaining, b, "stopping")
		if err != nil {
			return false, err
		}
		if started {
			deleting++
		}
	}
	p.markGone(stage, remaining)
	if deleting == 0 {
		p.markStageStopped(stage)
	}
	return len(p.Leaving) == 0, nil
}

// leavingCluster returns the status of a binding's cluster, removes it from
// remaining, and checks that both agree.
func (p *Executor) leavingCluster(remaining map[string]*placement.ClusterStatus, b *placement.ResourceBinding, during string) (c *placement.ClusterStatus, started bool, err error) {
	name := b.Spec.TargetCluster
	c = remaining[name]
	if c == nil {
		return nil, false, pass.AbortedError(pass.UnexpectedError("the to be deleted cluster `%s` is not in the deleting stage during %s", name, during))
	}
	delete(remaining, name)
	succeeded := pass.TrueAt(c.Conditions, placement.ClusterSucceeded, p.Run.Generation)
	started = pass.TrueAt(c.Conditions, placement.ClusterStarted, p.Run.Generation)
	if !succeeded && (!started || b.DeletionTimestamp != nil) {
		return c, started, nil
	}
	b, err = p.lookAgain(b)
	switch {
	case apierrors.IsNotFound(err):
		return c, true, nil // gone since the Input was read
	case err != nil:
		return nil, false, pass.ServerError(err)
	case succeeded:
		return nil, false, pass.AbortedError(pass.UnexpectedError("the deleted cluster `%s` in the deleting stage still has a binding", name))
	case b.DeletionTimestamp == nil:
		return nil, false, pass.AbortedError(pass.UnexpectedError("the cluster `%s` in the deleting stage is marked as deleting but its corresponding binding is not deleting", name))
	default:
		return c, true, nil
	}
}

// markGone marks the clusters whose bindings are gone.
func (p *Executor) markGone(stage *placement.StageStatus, remaining map[string]*placement.ClusterStatus) {
	for i := range stage.Clusters {
		c := &stage.Clusters[i]
		if _, gone := remaining[c.ClusterName]; !gone {
			continue
		}
		if meta.FindStatusCondition(c.Conditions, placement.ClusterStarted) == nil {
			p.markClusterStarted(c)
		}
		p.markClusterSucceeded(c)
	}
}
