package forecast

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// waitsForApproval says which stage waits for an approval that was requested;
// empty when none does.
func waitsForApproval(run *placement.StagedUpdateRun) engine.Text {
	for i := range run.Status.StagesStatus {
		s := &run.Status.StagesStatus[i]
		if meta.IsStatusConditionTrue(s.Conditions, placement.StageSucceeded) {
			continue
		}
		if requested(s.BeforeStageTaskStatus) {
			return engine.Textf("waits for the approval before stage %s", s.StageName)
		}
		if requested(s.AfterStageTaskStatus) {
			return engine.Textf("waits for the approval after stage %s", s.StageName)
		}
		return engine.Text{}
	}
	return engine.Text{}
}

// requested reports whether an approval is requested and not given.
func requested(tasks []placement.TaskStatus) bool {
	return slices.ContainsFunc(tasks, func(t placement.TaskStatus) bool {
		return t.Type == placement.TaskApproval && meta.IsStatusConditionTrue(t.Conditions, placement.TaskApprovalRequestCreated) &&
			!meta.IsStatusConditionTrue(t.Conditions, placement.TaskApprovalRequestApproved)
	})
}

// requestedIn are the names of all approvals that a run has requested.
func requestedIn(run *placement.StagedUpdateRun) map[string]bool {
	names := map[string]bool{}
	for i := range run.Status.StagesStatus {
		s := &run.Status.StagesStatus[i]
		for _, t := range slices.Concat(s.BeforeStageTaskStatus, s.AfterStageTaskStatus) {
			if meta.IsStatusConditionTrue(t.Conditions, placement.TaskApprovalRequestCreated) {
				names[t.ApprovalRequestName] = true
			}
		}
	}
	return names
}

// missing lists the approval requests of tasks that are not granted.
func missing(tasks []placement.TaskStatus) []engine.Text {
	var out []engine.Text
	for i := range tasks {
		if tasks[i].Type == placement.TaskApproval && !meta.IsStatusConditionTrue(tasks[i].Conditions, placement.TaskApprovalRequestApproved) {
			out = append(out, engine.Clean(tasks[i].ApprovalRequestName))
		}
	}
	return out
}
