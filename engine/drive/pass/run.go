package pass

import (
	"github.com/stagewatch/stagewatch/engine"
	"k8s.io/apimachinery/pkg/api/meta"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// Initialized, initFailed and finished look at a run as it is stored: the
// generation does not matter, since each pass stamps it anew
// (docs/kubefleet.md#reconcile, #generations).
func Initialized(run *placement.StagedUpdateRun) bool {
	return meta.IsStatusConditionTrue(run.Status.Conditions, placement.RunInitialized)
}

func InitFailed(run *placement.StagedUpdateRun) bool {
	return meta.IsStatusConditionFalse(run.Status.Conditions, placement.RunInitialized)
}

func Finished(run *placement.StagedUpdateRun) bool {
	return meta.IsStatusConditionTrue(run.Status.Conditions, placement.RunSucceeded) ||
		meta.IsStatusConditionFalse(run.Status.Conditions, placement.RunSucceeded)
}

// dropApprovalWaits removes wait times that approvals cannot have from the
// frozen strategy (docs/kubefleet.md#reconcile, row 2).
func dropApprovalWaits(strategy *placement.UpdateStrategySpec) {
	if strategy == nil {
		return
	}
	for i := range strategy.Stages {
		for _, tasks := range [][]placement.StageTask{strategy.Stages[i].BeforeStageTasks, strategy.Stages[i].AfterStageTasks} {
			for j := range tasks {
				if tasks[j].Type == placement.TaskApproval {
					tasks[j].WaitTime = nil
				}
			}
		}
	}
}

// IDOf returns the identity of a run, of either scope.
func IDOf(run *placement.StagedUpdateRun) engine.ID {
	kind := engine.KindStagedUpdateRun
	if run.Namespace == "" {
		kind = engine.KindClusterStagedUpdateRun
	}
	return engine.NewID(kind, run.Namespace, run.Name, string(run.UID))
}
