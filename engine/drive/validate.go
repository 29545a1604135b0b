package drive

import (
	"errors"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/initialize"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// Progress is where a run stands: the stage that is updating and the last one
// that finished, -1 for none.
type Progress struct{ updating, finished int }

// NewProgress returns the progress of a run without a stage that has started.
func NewProgress() Progress { return Progress{-1, -1} }

// validate checks that the recorded status still holds and returns the index of the
// next stage: the number of stages stands for the deletion
// stage, -1 for nothing left to do (docs/kubefleet.md#validate). It changes
// nothing but what collect finds.
func (p *Executor) validate() (int, error) {
	// What is computed anew goes to a scratch status, so that a failure leaves
	// the recorded one as it was.
	var now placement.UpdateRunStatus
	for _, check := range []func(*placement.UpdateRunStatus) error{
		p.ReadPlacement, p.CheckApplied, p.ReadPolicy, p.CheckIndex, p.CheckCount, p.Collect,
	} {
		if err := check(&now); err != nil {
			return 0, err
		}
	}
	if err := p.CheckFrozen(); err != nil {
		return 0, err
	}
	plan, err := p.Plan(p.Status().StagedUpdateStrategySnapshot)
	if err != nil {
		return 0, err
	}
	at, err := p.locate(plan)
	if err != nil {
		return 0, err
	}
	return p.LocateDeletion(at)
}

// CheckApplied compares the apply strategy of the placement with the recorded one.
func (p *Executor) CheckApplied(now *placement.UpdateRunStatus) error {
	if reflect.DeepEqual(p.Status().AppliedStrategy, now.AppliedStrategy) {
		return nil
	}
	return pass.AbortedError(pass.UserError("the applyStrategy in the updateRun is outdated, latest: %v, recorded: %v", now.AppliedStrategy, p.Status().AppliedStrategy))
}

// CheckIndex compares the index of the latest policy snapshot with the recorded one.
func (p *Executor) CheckIndex(now *placement.UpdateRunStatus) error {
	if now.PolicySnapshotIndexUsed == p.Status().PolicySnapshotIndexUsed {
		return nil
	}
	return pass.AbortedError(fmt.Errorf("the policy snapshot index used in the updateRun is outdated, latest: %s, recorded: %s", now.PolicySnapshotIndexUsed, p.Status().PolicySnapshotIndexUsed))
}

// CheckCount compares the number of clusters that the policy asks for with the recorded
// one.
func (p *Executor) CheckCount(now *placement.UpdateRunStatus) error {
	if n := now.PolicyObservedClusterCount; n != initialize.CountAll && n != p.Status().PolicyObservedClusterCount {
		return pass.AbortedError(fmt.Errorf("the cluster count initialized in the updateRun is outdated, latest: %d, recorded: %d", n, p.Status().PolicyObservedClusterCount))
	}
	return nil
}

// CheckFrozen returns an error for a run without a recorded strategy.
func (p *Executor) CheckFrozen() error {
	if p.Status().StagedUpdateStrategySnapshot == nil {
		return pass.AbortedError(pass.UnexpectedError("the updateRun has nil updateStrategySnapshot"))
	}
	return nil
}

// locate compares the recorded stages with the plan of now and finds where the
// run stands.
func (p *Executor) locate(plan []initialize.PlannedStage) (Progress, error) {
	at := NewProgress()
	if err := p.CheckStages(plan); err != nil {
		return at, err
	}
	for i := range plan {
		if err := Unchanged(i, &p.Status().StagesStatus[i], &plan[i]); err != nil {
			return at, err
		}
		if err := p.LocateStage(i, &plan[i], &at); err != nil {
			return at, pass.AbortedError(err)
		}
	}
	return at, nil
}

// CheckStages compares the names and the number of the recorded stages with the plan.
func (p *Executor) CheckStages(plan []initialize.PlannedStage) error {
	stages := p.Status().StagesStatus
	if stages == nil {
		return pass.AbortedError(pass.UnexpectedError("the updateRun has nil stagesStatus"))
	}
	if len(stages) != len(plan) {
		return pass.AbortedError(fmt.Errorf("the number of stages in the updateRun has changed, new: %d, existing: %d", len(plan), len(stages)))
	}
	return nil
}

// Unchanged returns an error when the clusters of a recorded stage are no longer those
// that its selector matches.
func Unchanged(i int, stage *placement.StageStatus, planned *initialize.PlannedStage) error {
	if stage.StageName != planned.Config.Name {
		return pass.AbortedError(fmt.Errorf("index `%d` stage name in the updateRun has changed, new: %s, existing: %s", i, planned.Config.Name, stage.StageName))
	}
	if len(stage.Clusters) != len(planned.Clusters) {
		return pass.AbortedError(fmt.Errorf("the number of clusters in index `%d` stage has changed, new: %d, existing: %d", i, len(planned.Clusters), len(stage.Clusters)))
	}
	for j := range stage.Clusters {
		if name := stage.Clusters[j].ClusterName; name != planned.Clusters[j] {
			return pass.AbortedError(fmt.Errorf("the `%d` cluster in the `%d` stage has changed, new: %s, existing: %s", j, i, planned.Clusters[j], name))
		}
	}
	return nil
}

// LocateStage checks one stage against those before it.
func (p *Executor) LocateStage(i int, planned *initialize.PlannedStage, at *Progress) error {
	stage := &p.Status().StagesStatus[i]
	limit, err := initialize.MaxConcurrency(planned.Config, len(stage.Clusters))
	if err != nil {
		return err
	}
	switch {
	case pass.TrueAt(stage.Conditions, placement.StageSucceeded, p.Run.Generation):
		if at.updating != -1 && i > at.updating {
			return pass.UnexpectedError("the finished stage `%d` is after the updating stage `%d`", i, at.updating)
		}
		for j := range stage.Clusters {
			if !pass.TrueAt(stage.Clusters[j].Conditions, placement.ClusterSucceeded, p.Run.Generation) {
				return pass.UnexpectedError("cluster `%s` in the finished stage `%s` has not succeeded", stage.Clusters[j].ClusterName, stage.StageName)
			}
		}
		if i != at.finished+1 {
			return pass.UnexpectedError("the finished stage `%s` is not right after the last finished stage with index `%d`", stage.StageName, at.finished)
		}
		at.finished = i
	case pass.FalseAt(stage.Conditions, placement.StageSucceeded, p.Run.Generation):
		return fmt.Errorf("the stage `%s` has failed, err: %s", stage.StageName, meta.FindStatusCondition(stage.Conditions, placement.StageSucceeded).Message)
	case meta.FindStatusCondition(stage.Conditions, placement.StageProgressing) != nil:
		if at.updating != -1 {
			return pass.UnexpectedError("the stage `%s` is updating, but there is already a stage with index `%d` updating", stage.StageName, at.updating)
		}
		if i != at.finished+1 {
			return pass.UnexpectedError("the updating stage `%s` is not right after the last finished stage with index `%d`", stage.StageName, at.finished)
		}
		at.updating = i
		if n := p.updatingClusters(stage); n > limit {
			return pass.UnexpectedError("the number of updating clusters `%d` in the updating stage `%s` exceeds maxConcurrency `%d`", n, stage.StageName, limit)
		}
	}
	return nil
}

// updatingClusters counts the clusters of a stage that have started and not succeeded.
func (p *Executor) updatingClusters(stage *placement.StageStatus) int {
	n := 0
	for i := range stage.Clusters {
		c := stage.Clusters[i].Conditions
		if pass.TrueAt(c, placement.ClusterStarted, p.Run.Generation) && !pass.TrueAt(c, placement.ClusterSucceeded, p.Run.Generation) {
			n++
		}
	}
	return n
}

// LocateDeletion checks the deletion stage and turns the progress into the
// index of what is up next.
func (p *Executor) LocateDeletion(at Progress) (int, error) {
	deletion := p.Status().DeletionStageStatus
	if deletion == nil {
		return 0, pass.AbortedError(pass.UnexpectedError("the updateRun has nil deletionStageStatus"))
	}
	known := deletionClusters(deletion)
	for _, b := range p.Leaving {
		if _, ok := known[b.Spec.TargetCluster]; !ok {
			return 0, pass.AbortedError(pass.UnexpectedError("the cluster `%s` to be deleted is not in the delete stage", b.Spec.TargetCluster))
		}
	}
	ended := meta.FindStatusCondition(deletion.Conditions, placement.StageSucceeded)
	if stages := len(p.Status().StagesStatus); at.updating != -1 || at.finished < stages-1 {
		if ended != nil || pass.TrueAt(deletion.Conditions, placement.StageProgressing, p.Run.Generation) {
			return 0, pass.AbortedError(pass.UnexpectedError("the delete stage is active, but there are still stages updating, updatingStageIndex: %d, lastFinishedStageIndex: %d", at.updating, at.finished))
		}
		if at.updating == -1 {
			return at.finished + 1, nil
		}
		return at.updating, nil
	}
	if pass.TrueAt(deletion.Conditions, placement.StageSucceeded, p.Run.Generation) {
		return -1, nil
	}
	if pass.FalseAt(deletion.Conditions, placement.StageSucceeded, p.Run.Generation) {
		return 0, pass.AbortedError(errors.New("the delete stage has failed, err: " + ended.Message))
	}
	return len(p.Status().StagesStatus), nil
}

func deletionClusters(stage *placement.StageStatus) map[string]*placement.ClusterStatus {
	clusters := make(map[string]*placement.ClusterStatus, len(stage.Clusters))
	for i := range stage.Clusters {
		clusters[stage.Clusters[i].ClusterName] = &stage.Clusters[i]
	}
	return clusters
}
