package drive

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/initialize"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// Execute continues the stage with this index (docs/kubefleet.md#execute). finished is
// true when the whole run is; otherwise wait is the time to the next pass, 0 for at once.
func (p *Executor) Execute(index int) (finished bool, wait time.Duration, err error) {
	if !p.waitingOrStuck() {
		p.markProgressing()
	}
	if index >= len(p.Status().StagesStatus) {
		finished, err = p.executeDeletion()
		p.failStage(p.Status().DeletionStageStatus, err)
		return finished, p.Timing.ClusterCheck, err
	}
	stage := &p.Status().StagesStatus[index]
	wait, err = p.executeStage(stage, &p.Status().StagedUpdateStrategySnapshot.Stages[index])
	p.failStage(stage, err)
	return false, wait, err
}

// waitingOrStuck reports whether the run says so: then it is not marked as
// progressing just to be marked as waiting again, which would move
// lastTransitionTime.
func (p *Executor) waitingOrStuck() bool {
	c := meta.FindStatusCondition(p.Status().Conditions, placement.RunProgressing)
	return c != nil && c.Status == metav1.ConditionFalse && (c.Reason == placement.ReasonRunWaiting || c.Reason == placement.ReasonRunStuck)
}

// failStage records the error that ends the run at the stage it happened in.
func (p *Executor) failStage(stage *placement.StageStatus, err error) {
	if pass.IsAborted(err) {
		p.markStageFailed(stage, err.Error())
	}
}

func (p *Executor) executeStage(stage *placement.StageStatus, config *placement.StageConfig) (time.Duration, error) {
	if len(stage.Clusters) == 0 {
		p.markStageSkipped(stage)
		return 0, nil
	}
	approved, err := p.beforeTasks(stage, config)
	if err != nil {
		return 0, err
	}
	if !approved {
		p.markStageWaiting(stage, msgPreviousStage)
		p.markWaiting(beforeStage, stage.StageName)
		return p.Timing.StageCheck, nil
	}
	limit, err := initialize.MaxConcurrency(config, len(stage.Clusters))
	if err != nil {
		return 0, pass.AbortedError(err)
	}
	done, err := p.updateClusters(stage, limit)
	if err != nil {
		return 0, err
	}
	if !done {
		return p.Timing.ClusterCheck, nil
	}
	return p.completeStage(stage, config)
}

// updateClusters walks the clusters in their order while there is room, and
// reports whether all have finished (docs/kubefleet.md#execute, rows 5 to 8).
// Errors of single clusters do not keep it from looking at the others.
func (p *Executor) updateClusters(stage *placement.StageStatus, limit int) (bool, error) {
	bindings := p.bindingsByCluster()
	snapshot := p.SnapshotName()
	finished, occupied := 0, 0
	var stuck []string
	var errs []error
	for i := 0; i < len(stage.Clusters) && occupied < limit; i++ {
		c := &stage.Clusters[i]
		if pass.TrueAt(c.Conditions, placement.ClusterSucceeded, p.Run.Generation) {
			finished++
			continue
		}
		occupied++
		if pass.FalseAt(c.Conditions, placement.ClusterSucceeded, p.Run.Generation) {
			errs = append(errs, pass.AbortedError(fmt.Errorf(msgClusterFailed, c.ClusterName, stage.StageName)))
			continue
		}
		b := bindings[c.ClusterName]
		if b == nil {
			errs = append(errs, pass.AbortedError(pass.UnexpectedError("the binding for cluster `%s` in stage `%s` is not found in the toBeUpdatedBindings map", c.ClusterName, stage.StageName)))
			continue
		}
		if !pass.TrueAt(c.Conditions, placement.ClusterStarted, p.Run.Generation) {
			if err := p.startCluster(stage, c, b, snapshot); err != nil {
				errs = append(errs, err)
			}
			continue
		}
		b, err := p.current(c, b, snapshot)
		if err == nil {
			err = p.preempted(stage, c, b, snapshot)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		done, err := p.checkCluster(stage, c, b)
		switch {
		case done:
			finished++
			occupied--
		case p.IsStuck(c):
			stuck = append(stuck, c.ClusterName)
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	if len(stuck) > 0 {
		p.markStuck(stage.StageName, stuck)
	} else {
		p.markProgressing()
	}
	if len(errs) > 0 {
		return false, utilerrors.NewAggregate(errs)
	}
	return finished == len(stage.Clusters), nil
}

// completeStage runs the after-stage tasks of a stage whose clusters have all
// finished, and closes it when they pass (docs/kubefleet.md#execute,
// row 8).
func (p *Executor) completeStage(stage *placement.StageStatus, config *placement.StageConfig) (time.Duration, error) {
	p.markWaiting(afterStage, stage.StageName)
	p.markStageWaiting(stage, msgStageAfter)
	passed, wait, err := p.afterTasks(stage, config)
	if err != nil {
		return 0, err
	}
	if !passed {
		return wait, nil
	}
	p.markProgressing()
	p.markStageSucceeded(stage)
	return 0, nil
}

func (p *Executor) beforeTasks(stage *placement.StageStatus, config *placement.StageConfig) (bool, error) {
	for i, task := range config.BeforeStageTasks {
		if task.Type != placement.TaskApproval {
			return false, pass.AbortedError(pass.UnexpectedError("found unsupported task type in before stage tasks: %s", task.Type))
		}
		if i >= len(stage.BeforeStageTaskStatus) {
			return false, pass.AbortedError(pass.UnexpectedError("the before stage task `%d` of stage `%s` has no status", i, stage.StageName))
		}
		granted, err := p.approval(&stage.BeforeStageTaskStatus[i], config, true)
		if err != nil || !granted {
			return false, err
		}
	}
	return true, nil
}

// afterTasks looks at every task, also when an earlier one has not passed, and
// returns how long to wait: what is left of a timed wait, else StageCheck.
func (p *Executor) afterTasks(stage *placement.StageStatus, config *placement.StageConfig) (passed bool, wait time.Duration, err error) {
	passed, wait = true, p.Timing.StageCheck
	for i, task := range config.AfterStageTasks {
		if i >= len(stage.AfterStageTaskStatus) {
			return false, 0, pass.AbortedError(pass.UnexpectedError("the after stage task `%d` of stage `%s` has no status", i, stage.StageName))
		}
		status := &stage.AfterStageTaskStatus[i]
		switch task.Type {
		case placement.TaskTimedWait:
			if left := p.waitLeft(stage, task); left > 0 {
				passed, wait = false, left
			} else {
				p.Set(&status.Conditions, placement.TaskWaitTimeElapsed, metav1.ConditionTrue, placement.ReasonWaitTimeElapsed, msgWaitElapsed)
			}
		case placement.TaskApproval:
			granted, err := p.approval(status, config, false)
			if err != nil {
				return false, 0, err
			}
			passed = passed && granted
		}
	}
	return passed, wait, nil
}

// waitLeft is what is left of a timed wait: it begins when the stage's
// Progressing turned False and is worked out anew each time, so that a stop
// starts it again (docs/kubefleet.md#stop).
func (p *Executor) waitLeft(stage *placement.StageStatus, task placement.StageTask) time.Duration {
	if task.WaitTime == nil {
		return 0
	}
	begin := meta.FindStatusCondition(stage.Conditions, placement.StageProgressing).LastTransitionTime
	return begin.Add(task.WaitTime.Duration).Sub(p.Now.Time)
}
