package drive

import (
	"fmt"
	"time"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// stop lets what is in flight finish and starts nothing
// (docs/kubefleet.md#stop). finished says that the run has stopped.
func (p *Executor) stop(index int) (finished bool, wait time.Duration, err error) {
	p.markStopping()
	if index >= len(p.Status().StagesStatus) {
		finished, err = p.stopDeletion()
		p.failStage(p.Status().DeletionStageStatus, err)
		return finished, p.Timing.ClusterCheck, err
	}
	stage := &p.Status().StagesStatus[index]
	finished, err = p.stopStage(stage)
	p.failStage(stage, err)
	return finished, p.Timing.ClusterCheck, err
}

// stopStage looks at the clusters in flight only. Whether another run has
// taken one is not checked here.
func (p *Executor) stopStage(stage *placement.StageStatus) (bool, error) {
	p.markStageStopping(stage)
	bindings := p.bindingsByCluster()
	snapshot := p.SnapshotName()
	updating := 0
	var stuck []string
	var errs []error
	for i := range stage.Clusters {
		c := &stage.Clusters[i]
		if !pass.TrueAt(c.Conditions, placement.ClusterStarted, p.Run.Generation) || pass.TrueAt(c.Conditions, placement.ClusterSucceeded, p.Run.Generation) {
			continue
		}
		if pass.FalseAt(c.Conditions, placement.ClusterSucceeded, p.Run.Generation) {
			errs = append(errs, pass.AbortedError(fmt.Errorf(msgClusterFailed, c.ClusterName, stage.StageName)))
			continue
		}
		b := bindings[c.ClusterName]
		if b == nil {
			errs = append(errs, pass.AbortedError(pass.UnexpectedError("the binding for cluster `%s` in stage `%s` is not found in the toBeUpdatedBindings map during stopping", c.ClusterName, stage.StageName)))
			continue
		}
		b, err := p.current(c, b, snapshot)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		done, err := p.checkCluster(stage, c, b)
		if !done {
			updating++
			if p.IsStuck(c) {
				stuck = append(stuck, c.ClusterName)
			}
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	if len(stuck) > 0 {
		p.markStuck(stage.StageName, stuck)
	}
	if len(errs) > 0 {
		return false, utilerrors.NewAggregate(errs)
	}
	if updating > 0 {
		return false, nil
	}
	p.markStageStopped(stage)
	return true, nil
}
