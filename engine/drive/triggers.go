package drive

import (
	"k8s.io/apimachinery/pkg/api/meta"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// RunChanged reports whether an update of a run triggers a pass: a change of
// generation, which a new deletionTimestamp is, too. Creation and deletion
// always trigger one (docs/kubefleet.md#reconcile, triggers). Bindings,
// placements, strategies, snapshots and members are polled.
func RunChanged(before, after *placement.StagedUpdateRun) bool {
	return before.Generation != after.Generation
}

// ApprovalChanged reports whether an update of an approval request triggers a
// pass of its run: it became approved, or is no longer.
func ApprovalChanged(before, after *placement.ApprovalRequest) bool {
	return approvedAt(before) != approvedAt(after)
}

// ApprovalDeleted reports whether the deletion of an approval request triggers
// a pass of its run: unless it was approved and accepted.
func ApprovalDeleted(request *placement.ApprovalRequest) bool {
	return meta.FindStatusCondition(request.Status.Conditions, placement.ApprovalApproved) == nil ||
		!pass.TrueAt(request.Status.Conditions, placement.ApprovalAccepted, request.Generation)
}

// RunOf returns the name of the run of an approval request, which is in the
// request's namespace.
func RunOf(request *placement.ApprovalRequest) string { return request.Spec.ParentStageRollout }

func approvedAt(request *placement.ApprovalRequest) bool {
	return pass.TrueAt(request.Status.Conditions, placement.ApprovalApproved, request.Generation)
}
