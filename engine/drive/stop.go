package drive

import (
	"fmt"
	"time"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// stop lets what is in flight finish and starts nothing
// (docs/kubefleet.md#stop). finished says that the run has stopped.
func (p *executor) stop(index int) (finished bool, wait time.Duration, err error) {
	p.markStopping()
	if index >= len(p.status().StagesStatus) {
		finished, err = p.stopDeletion()
		p.failStage(p.status().DeletionStageStatus, err)
		return finished, p.timing.ClusterCheck, err
	}
	stage := &p.status().StagesStatus[index]
	finished, err = p.stopStage(stage)
	p.failStage(stage, err)
	return finished, p.timing.ClusterCheck, err
}

// stopStage looks at the clusters in flight only. Whether another run has
// taken one is not checked here.
func (p *executor) stopStage(stage *placement.StageStatus) (bool, error) {
	p.markStageStopping(stage)
	bindings := p.bindingsByCluster()
	snapshot := p.snapshotName()
	updating := 0
	var stuck []string
	var errs []error
	for i := range stage.Clusters {
		c := &stage.Clusters[i]
		if !trueAt(c.Conditions, placement.ClusterStarted, p.run.Generation) || trueAt(c.Conditions, placement.ClusterSucceeded, p.run.Generation) {
			continue
		}
		if falseAt(c.Conditions, placement.ClusterSucceeded, p.run.Generation) {
			errs = append(errs, aborted(fmt.Errorf(msgClusterFailed, c.ClusterName, stage.StageName)))
			continue
		}
		b := bindings[c.ClusterName]
		if b == nil {
			errs = append(errs, aborted(unexpected("the binding for cluster `%s` in stage `%s` is not found in the toBeUpdatedBindings map during stopping", c.ClusterName, stage.StageName)))
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
			if p.isStuck(c) {
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
