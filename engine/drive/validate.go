package drive

import (
	"errors"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// progress is where a run stands: the stage that is updating and the last one
// that finished, -1 for none.
type progress struct{ updating, finished int }

func newProgress() progress { return progress{-1, -1} }

// validate checks that what the run recorded still holds and returns the index
// of the stage that is up next: the number of stages stands for the deletion
// stage, -1 for nothing left to do (docs/kubefleet.md#validate). It changes
// nothing but what collect finds.
func (p *executor) validate() (int, error) {
	// What is computed anew goes to a scratch status, so that a failure leaves
	// the recorded one as it was.
	var now placement.UpdateRunStatus
	for _, check := range []func(*placement.UpdateRunStatus) error{
		p.readPlacement, p.checkApplied, p.readPolicy, p.checkIndex, p.checkCount, p.collect,
	} {
		if err := check(&now); err != nil {
			return 0, err
		}
	}
	if err := p.checkFrozen(); err != nil {
		return 0, err
	}
	plan, err := p.plan(p.status().StagedUpdateStrategySnapshot)
	if err != nil {
		return 0, err
	}
	at, err := p.locate(plan)
	if err != nil {
		return 0, err
	}
	return p.locateDeletion(at)
}

func (p *executor) checkApplied(now *placement.UpdateRunStatus) error {
	if reflect.DeepEqual(p.status().AppliedStrategy, now.AppliedStrategy) {
		return nil
	}
	return aborted(user("the applyStrategy in the updateRun is outdated, latest: %v, recorded: %v", now.AppliedStrategy, p.status().AppliedStrategy))
}

func (p *executor) checkIndex(now *placement.UpdateRunStatus) error {
	if now.PolicySnapshotIndexUsed == p.status().PolicySnapshotIndexUsed {
		return nil
	}
	return aborted(fmt.Errorf("the policy snapshot index used in the updateRun is outdated, latest: %s, recorded: %s", now.PolicySnapshotIndexUsed, p.status().PolicySnapshotIndexUsed))
}

func (p *executor) checkCount(now *placement.UpdateRunStatus) error {
	if n := now.PolicyObservedClusterCount; n != countAll && n != p.status().PolicyObservedClusterCount {
		return aborted(fmt.Errorf("the cluster count initialized in the updateRun is outdated, latest: %d, recorded: %d", n, p.status().PolicyObservedClusterCount))
	}
	return nil
}

func (p *executor) checkFrozen() error {
	if p.status().StagedUpdateStrategySnapshot == nil {
		return aborted(unexpected("the updateRun has nil updateStrategySnapshot"))
	}
	return nil
}

// locate compares the recorded stages with the plan of now and finds where the
// run stands.
func (p *executor) locate(plan []plannedStage) (progress, error) {
	at := newProgress()
	if err := p.checkStages(plan); err != nil {
		return at, err
	}
	for i := range plan {
		if err := unchanged(i, &p.status().StagesStatus[i], &plan[i]); err != nil {
			return at, err
		}
		if err := p.locateStage(i, &plan[i], &at); err != nil {
			return at, aborted(err)
		}
	}
	return at, nil
}

func (p *executor) checkStages(plan []plannedStage) error {
	stages := p.status().StagesStatus
	if stages == nil {
		return aborted(unexpected("the updateRun has nil stagesStatus"))
	}
	if len(stages) != len(plan) {
		return aborted(fmt.Errorf("the number of stages in the updateRun has changed, new: %d, existing: %d", len(plan), len(stages)))
	}
	return nil
}

func unchanged(i int, stage *placement.StageStatus, planned *plannedStage) error {
	if stage.StageName != planned.config.Name {
		return aborted(fmt.Errorf("index `%d` stage name in the updateRun has changed, new: %s, existing: %s", i, planned.config.Name, stage.StageName))
	}
	if len(stage.Clusters) != len(planned.clusters) {
		return aborted(fmt.Errorf("the number of clusters in index `%d` stage has changed, new: %d, existing: %d", i, len(planned.clusters), len(stage.Clusters)))
	}
	for j := range stage.Clusters {
		if name := stage.Clusters[j].ClusterName; name != planned.clusters[j] {
			return aborted(fmt.Errorf("the `%d` cluster in the `%d` stage has changed, new: %s, existing: %s", j, i, planned.clusters[j], name))
		}
	}
	return nil
}

// locateStage checks one stage against those before it.
func (p *executor) locateStage(i int, planned *plannedStage, at *progress) error {
	stage := &p.status().StagesStatus[i]
	limit, err := maxConcurrency(planned.config, len(stage.Clusters))
	if err != nil {
		return err
	}
	switch {
	case trueAt(stage.Conditions, placement.StageSucceeded, p.run.Generation):
		if at.updating != -1 && i > at.updating {
			return unexpected("the finished stage `%d` is after the updating stage `%d`", i, at.updating)
		}
		for j := range stage.Clusters {
			if !trueAt(stage.Clusters[j].Conditions, placement.ClusterSucceeded, p.run.Generation) {
				return unexpected("cluster `%s` in the finished stage `%s` has not succeeded", stage.Clusters[j].ClusterName, stage.StageName)
			}
		}
		if i != at.finished+1 {
			return unexpected("the finished stage `%s` is not right after the last finished stage with index `%d`", stage.StageName, at.finished)
		}
		at.finished = i
	case falseAt(stage.Conditions, placement.StageSucceeded, p.run.Generation):
		return fmt.Errorf("the stage `%s` has failed, err: %s", stage.StageName, meta.FindStatusCondition(stage.Conditions, placement.StageSucceeded).Message)
	case meta.FindStatusCondition(stage.Conditions, placement.StageProgressing) != nil:
		if at.updating != -1 {
			return unexpected("the stage `%s` is updating, but there is already a stage with index `%d` updating", stage.StageName, at.updating)
		}
		if i != at.finished+1 {
			return unexpected("the updating stage `%s` is not right after the last finished stage with index `%d`", stage.StageName, at.finished)
		}
		at.updating = i
		if n := p.inFlight(stage); n > limit {
			return unexpected("the number of updating clusters `%d` in the updating stage `%s` exceeds maxConcurrency `%d`", n, stage.StageName, limit)
		}
	}
	return nil
}

// inFlight counts the clusters of a stage that have started and not succeeded.
func (p *executor) inFlight(stage *placement.StageStatus) int {
	n := 0
	for i := range stage.Clusters {
		c := stage.Clusters[i].Conditions
		if trueAt(c, placement.ClusterStarted, p.run.Generation) && !trueAt(c, placement.ClusterSucceeded, p.run.Generation) {
			n++
		}
	}
	return n
}

// locateDeletion checks the deletion stage and turns the progress into the
// index of what is up next.
func (p *executor) locateDeletion(at progress) (int, error) {
	deletion := p.status().DeletionStageStatus
	if deletion == nil {
		return 0, aborted(unexpected("the updateRun has nil deletionStageStatus"))
	}
	known := deletionClusters(deletion)
	for _, b := range p.leaving {
		if _, ok := known[b.Spec.TargetCluster]; !ok {
			return 0, aborted(unexpected("the cluster `%s` to be deleted is not in the delete stage", b.Spec.TargetCluster))
		}
	}
	ended := meta.FindStatusCondition(deletion.Conditions, placement.StageSucceeded)
	if stages := len(p.status().StagesStatus); at.updating != -1 || at.finished < stages-1 {
		if ended != nil || trueAt(deletion.Conditions, placement.StageProgressing, p.run.Generation) {
			return 0, aborted(unexpected("the delete stage is active, but there are still stages updating, updatingStageIndex: %d, lastFinishedStageIndex: %d", at.updating, at.finished))
		}
		if at.updating == -1 {
			return at.finished + 1, nil
		}
		return at.updating, nil
	}
	if trueAt(deletion.Conditions, placement.StageSucceeded, p.run.Generation) {
		return -1, nil
	}
	if falseAt(deletion.Conditions, placement.StageSucceeded, p.run.Generation) {
		return 0, aborted(errors.New("the delete stage has failed, err: " + ended.Message))
	}
	return len(p.status().StagesStatus), nil
}

func deletionClusters(stage *placement.StageStatus) map[string]*placement.ClusterStatus {
	clusters := make(map[string]*placement.ClusterStatus, len(stage.Clusters))
	for i := range stage.Clusters {
		clusters[stage.Clusters[i].ClusterName] = &stage.Clusters[i]
	}
	return clusters
}
