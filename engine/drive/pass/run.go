package pass

import (
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/stagewatch/stagewatch/engine"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// Initialized reports whether a stored run has been initialized. As in InitFailed
// and Finished, the generation of the condition does not matter: each pass sets it
// to that of the run (docs/kubefleet.md#reconcile, #generations).
func Initialized(run *placement.StagedUpdateRun) bool {
	return meta.IsStatusConditionTrue(run.Status.Conditions, placement.RunInitialized)
}

// InitFailed reports whether a stored run failed initialization, which is final.
func InitFailed(run *placement.StagedUpdateRun) bool {
	return meta.IsStatusConditionFalse(run.Status.Conditions, placement.RunInitialized)
}

// Finished reports whether a stored run has succeeded or failed, which is final.
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

// IDOf returns the ID of a run, of either scope, without its hub.
func IDOf(run *placement.StagedUpdateRun) engine.ID {
	kind := engine.KindStagedUpdateRun
	if run.Namespace == "" {
		kind = engine.KindClusterStagedUpdateRun
	}
	return engine.NewID(kind, run.Namespace, run.Name, string(run.UID))
}
