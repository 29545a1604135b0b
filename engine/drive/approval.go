package drive

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// approval takes an approval task further and reports whether it is granted
// (docs/kubefleet.md#approval). A task that was granted once stays so, whatever
// becomes of its request; one that was not has its request created, again if
// need be.
func (p *Executor) approval(task *placement.TaskStatus, config *placement.StageConfig, before bool) (bool, error) {
	if pass.TrueAt(task.Conditions, placement.TaskApprovalRequestApproved, p.Run.Generation) {
		return true, nil
	}
	_, err := p.Do(pass.Effect{Op: pass.OpCreateApproval, Object: p.newRequest(task.ApprovalRequestName, config.Name, before)})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return false, pass.ServerError(err)
	}
	p.Set(&task.Conditions, placement.TaskApprovalRequestCreated, metav1.ConditionTrue, placement.ReasonApprovalRequestCreated, msgApprovalCreated)
	if err == nil {
		return false, nil
	}
	wanted := &placement.ApprovalRequest{ObjectMeta: metav1.ObjectMeta{Namespace: p.Run.Namespace, Name: task.ApprovalRequestName}}
	answer, err := p.Do(pass.Effect{Op: pass.OpGetApproval, Object: wanted})
	if err != nil {
		return false, pass.ServerError(err)
	}
	request, ok := answer.Object.(*placement.ApprovalRequest)
	if !ok || request == nil {
		return false, pass.NoObject(pass.OpGetApproval, answer)
	}
	if request.Spec.ParentStageRollout != p.Run.Name || request.Spec.TargetStage != config.Name {
		ns := p.Run.Namespace
		// The wire text lacks one backtick (docs/kubefleet.md#approval).
		return false, pass.AbortedError(pass.UnexpectedError("the approval request task `%s` is targeting update run `%s` and stage `%s`, want target update run `%s and stage `%s`",
			pass.Key(ns, task.ApprovalRequestName), pass.Key(ns, request.Spec.ParentStageRollout), request.Spec.TargetStage, pass.Key(ns, p.Run.Name), config.Name))
	}
	return p.grant(task, request)
}

// grant accepts an approved request and marks its task.
func (p *Executor) grant(task *placement.TaskStatus, request *placement.ApprovalRequest) (bool, error) {
	approved := pass.TrueAt(request.Status.Conditions, placement.ApprovalApproved, request.Generation)
	accepted := pass.TrueAt(request.Status.Conditions, placement.ApprovalAccepted, request.Generation)
	if !approved && !accepted {
		return false, nil
	}
	if !accepted {
		request = request.DeepCopy()
		meta.SetStatusCondition(&request.Status.Conditions, metav1.Condition{
			Type:               placement.ApprovalAccepted,
			Status:             metav1.ConditionTrue,
			ObservedGeneration: request.Generation,
			LastTransitionTime: p.Now,
			Reason:             placement.ReasonApprovalAccepted,
			Message:            msgApprovalAccepted,
		})
		if _, err := p.Do(pass.Effect{Op: pass.OpAcceptApproval, Object: request}); err != nil {
			return false, pass.WriteError(err)
		}
	}
	p.Set(&task.Conditions, placement.TaskApprovalRequestApproved, metav1.ConditionTrue, placement.ReasonApprovalRequestApproved, msgApprovalApproved)
	return true, nil
}

// newRequest builds the approval request of a task, with the labels by which it
// is found and deleted again (docs/kubefleet.md#names).
func (p *Executor) newRequest(name, stage string, before bool) *placement.ApprovalRequest {
	kind := placement.TaskAfterStage
	if before {
		kind = placement.TaskBeforeStage
	}
	return &placement.ApprovalRequest{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: p.Run.Namespace,
			Name:      name,
			Labels: map[string]string{
				placement.LabelTargetUpdateRun:           p.Run.Name,
				placement.LabelTargetUpdatingStage:       stage,
				placement.LabelTaskType:                  kind,
				placement.LabelIsLatestUpdateRunApproval: pass.LabelTrue,
			},
		},
		Spec: placement.ApprovalRequestSpec{ParentStageRollout: p.Run.Name, TargetStage: stage},
	}
}
