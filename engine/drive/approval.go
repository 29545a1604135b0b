package drive

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// approval takes an approval task further and reports whether it is granted
// (docs/kubefleet.md#approval). A task that was granted once stays so, whatever
// becomes of its request; one that was not has its request created, again if
// need be.
func (p *executor) approval(task *placement.TaskStatus, config *placement.StageConfig, before bool) (bool, error) {
	if trueAt(task.Conditions, placement.TaskApprovalRequestApproved, p.run.Generation) {
		return true, nil
	}
	_, err := p.do(Effect{Op: OpCreateApproval, Object: p.newRequest(task.ApprovalRequestName, config.Name, before)})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return false, server(err)
	}
	p.set(&task.Conditions, placement.TaskApprovalRequestCreated, metav1.ConditionTrue, placement.ReasonApprovalRequestCreated, msgApprovalCreated)
	if err == nil {
		return false, nil
	}
	wanted := &placement.ApprovalRequest{ObjectMeta: metav1.ObjectMeta{Namespace: p.run.Namespace, Name: task.ApprovalRequestName}}
	answer, err := p.do(Effect{Op: OpGetApproval, Object: wanted})
	if err != nil {
		return false, server(err)
	}
	request, ok := answer.Object.(*placement.ApprovalRequest)
	if !ok || request == nil {
		return false, noObject(OpGetApproval, answer)
	}
	if request.Spec.ParentStageRollout != p.run.Name || request.Spec.TargetStage != config.Name {
		ns := p.run.Namespace
		// The wire text lacks one backtick (docs/kubefleet.md#approval).
		return false, aborted(unexpected("the approval request task `%s` is targeting update run `%s` and stage `%s`, want target update run `%s and stage `%s`",
			key(ns, task.ApprovalRequestName), key(ns, request.Spec.ParentStageRollout), request.Spec.TargetStage, key(ns, p.run.Name), config.Name))
	}
	return p.grant(task, request)
}

// grant accepts an approved request and marks its task.
func (p *executor) grant(task *placement.TaskStatus, request *placement.ApprovalRequest) (bool, error) {
	approved := trueAt(request.Status.Conditions, placement.ApprovalApproved, request.Generation)
	accepted := trueAt(request.Status.Conditions, placement.ApprovalAccepted, request.Generation)
	if !approved && !accepted {
		return false, nil
	}
	if !accepted {
		request = request.DeepCopy()
		meta.SetStatusCondition(&request.Status.Conditions, metav1.Condition{
			Type:               placement.ApprovalAccepted,
			Status:             metav1.ConditionTrue,
			ObservedGeneration: request.Generation,
			LastTransitionTime: p.now,
			Reason:             placement.ReasonApprovalAccepted,
			Message:            msgApprovalAccepted,
		})
		if _, err := p.do(Effect{Op: OpAcceptApproval, Object: request}); err != nil {
			return false, writeError(err)
		}
	}
	p.set(&task.Conditions, placement.TaskApprovalRequestApproved, metav1.ConditionTrue, placement.ReasonApprovalRequestApproved, msgApprovalApproved)
	return true, nil
}

// newRequest builds the approval request of a task, with the labels by which it
// is found and deleted again (docs/kubefleet.md#names).
func (p *executor) newRequest(name, stage string, before bool) *placement.ApprovalRequest {
	kind := placement.TaskAfterStage
	if before {
		kind = placement.TaskBeforeStage
	}
	return &placement.ApprovalRequest{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: p.run.Namespace,
			Name:      name,
			Labels: map[string]string{
				placement.LabelTargetUpdateRun:           p.run.Name,
				placement.LabelTargetUpdatingStage:       stage,
				placement.LabelTaskType:                  kind,
				placement.LabelIsLatestUpdateRunApproval: yes,
			},
		},
		Spec: placement.ApprovalRequestSpec{ParentStageRollout: p.run.Name, TargetStage: stage},
	}
}
