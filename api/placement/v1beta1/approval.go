package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ClusterApprovalRequest is the question of a ClusterStagedUpdateRun whether a
// stage may begin or may end (docs/kubefleet.md#approval-request, #approval).
// It has no owner reference and no finalizer; its labels tie it to its run.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=careq,categories={fleet,fleet-placement}
// +kubebuilder:printcolumn:name="Update-Run",type=string,JSONPath=`.spec.parentStageRollout`
// +kubebuilder:printcolumn:name="Stage",type=string,JSONPath=`.spec.targetStage`
// +kubebuilder:printcolumn:name="Approved",type=string,JSONPath=`.status.conditions[?(@.type=="Approved")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ClusterApprovalRequest struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="The spec field is immutable"
	Spec ApprovalRequestSpec `json:"spec"`
	// +optional
	Status ApprovalRequestStatus `json:"status,omitempty"`
}

// ClusterApprovalRequestList is a list of ClusterApprovalRequests.
//
// +kubebuilder:object:root=true
type ClusterApprovalRequestList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ClusterApprovalRequest `json:"items"`
}

// ApprovalRequest is the question of a StagedUpdateRun of its namespace whether
// a stage may begin or may end (docs/kubefleet.md#approval-request, #approval).
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=areq,categories={fleet,fleet-placement}
// +kubebuilder:printcolumn:name="Update-Run",type=string,JSONPath=`.spec.parentStageRollout`
// +kubebuilder:printcolumn:name="Stage",type=string,JSONPath=`.spec.targetStage`
// +kubebuilder:printcolumn:name="Approved",type=string,JSONPath=`.status.conditions[?(@.type=="Approved")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ApprovalRequest struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="The spec field is immutable"
	Spec ApprovalRequestSpec `json:"spec"`
	// +optional
	Status ApprovalRequestStatus `json:"status,omitempty"`
}

// ApprovalRequestList is a list of ApprovalRequests.
//
// +kubebuilder:object:root=true
type ApprovalRequestList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ApprovalRequest `json:"items"`
}

// ApprovalRequestSpec says which stage of which run waits. It is immutable.
type ApprovalRequestSpec struct {
	// ParentStageRollout is the name of the run.
	ParentStageRollout string `json:"parentStageRollout"`

	// TargetStage is the name of the stage.
	TargetStage string `json:"targetStage"`
}

// ApprovalRequestStatus is the answer.
type ApprovalRequestStatus struct {
	// Conditions has Approved, written by a person with the observedGeneration
	// of the request, and ApprovalAccepted, written by the controller.
	//
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
