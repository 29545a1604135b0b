package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// ClusterStagedUpdateStrategy tells ClusterStagedUpdateRuns in which stages to
// update clusters (docs/kubefleet.md#strategy).
//
// The CRD declares a status subresource although there is no status: that is
// how hubs have it, and a client that asks discovery shall find the same.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=csus,categories={fleet,fleet-placement}
type ClusterStagedUpdateStrategy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec UpdateStrategySpec `json:"spec"`
}

// ClusterStagedUpdateStrategyList is a list of ClusterStagedUpdateStrategies.
//
// +kubebuilder:object:root=true
type ClusterStagedUpdateStrategyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ClusterStagedUpdateStrategy `json:"items"`
}

// StagedUpdateStrategy tells the StagedUpdateRuns of its namespace in which
// stages to update clusters (docs/kubefleet.md#strategy).
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,shortName=sus,categories={fleet,fleet-placement}
type StagedUpdateStrategy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec UpdateStrategySpec `json:"spec"`
}

// StagedUpdateStrategyList is a list of StagedUpdateStrategies.
//
// +kubebuilder:object:root=true
type StagedUpdateStrategyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []StagedUpdateStrategy `json:"items"`
}

// UpdateStrategySpec is the order of stages. It stays mutable; a run freezes a
// copy when it initializes.
type UpdateStrategySpec struct {
	// Stages run one after the other. Nothing makes their names unique.
	//
	// +kubebuilder:validation:MaxItems=31
	Stages []StageConfig `json:"stages"`
}

// StageConfig is one stage: which clusters, how many at a time, and what has to
// happen before and after them.
type StageConfig struct {
	// Name is the stage's name.
	//
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern="^[a-z0-9]+$"
	Name string `json:"name"`

	// LabelSelector selects MemberClusters among those the placement picked. An
	// empty selector selects all of them, nil none.
	//
	// +optional
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`

	// SortingLabelKey is a label of MemberClusters with integer values; clusters
	// are updated in ascending order of it, then by name. Nil orders by name.
	//
	// +optional
	SortingLabelKey *string `json:"sortingLabelKey,omitempty"`

	// MaxConcurrency is how many clusters may be in flight at once: a number, or
	// a percentage of the stage's clusters, rounded down and at least 1.
	//
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:Pattern="^(100|[1-9][0-9]?)%$"
	// +kubebuilder:validation:XValidation:rule="self == null || type(self) != int || self >= 1",message="maxConcurrency must be at least 1"
	MaxConcurrency *intstr.IntOrString `json:"maxConcurrency,omitempty"`

	// BeforeStageTasks must be done before the first cluster of the stage is
	// started. Only an Approval is allowed.
	//
	// +optional
	// +kubebuilder:validation:MaxItems=1
	// +kubebuilder:validation:XValidation:rule="!self.exists(e, e.type == 'Approval' && has(e.waitTime))",message="AfterStageTaskType is Approval, waitTime is not allowed"
	// +kubebuilder:validation:XValidation:rule="!self.exists(e, e.type == 'TimedWait')",message="BeforeStageTaskType cannot be TimedWait"
	BeforeStageTasks []StageTask `json:"beforeStageTasks,omitempty"`

	// AfterStageTasks must be done after the last cluster of the stage is
	// updated and before the next stage begins.
	//
	// +optional
	// +kubebuilder:validation:MaxItems=2
	// +kubebuilder:validation:XValidation:rule="!self.exists(e, e.type == 'Approval' && has(e.waitTime))",message="AfterStageTaskType is Approval, waitTime is not allowed"
	// +kubebuilder:validation:XValidation:rule="!self.exists(e, e.type == 'TimedWait' && !has(e.waitTime))",message="AfterStageTaskType is TimedWait, waitTime is required"
	AfterStageTasks []StageTask `json:"afterStageTasks,omitempty"`
}

// StageTask is something that holds a stage until it is done.
type StageTask struct {
	// Type is what the task waits for.
	Type TaskType `json:"type"`

	// WaitTime is how long a TimedWait waits; other tasks have none. The schema
	// accepts hours, minutes and seconds only, and zero, which initialization
	// then refuses.
	//
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern="^(?:(?:0|[1-9][0-9]*)(\\.[0-9]+)?(?:s|m|h))+$"
	WaitTime *metav1.Duration `json:"waitTime,omitempty"`
}

// TaskType is what a stage task waits for.
//
// +kubebuilder:validation:Enum=TimedWait;Approval
type TaskType string

// The task types.
const (
	// TaskTimedWait waits for a time after the last cluster was updated.
	TaskTimedWait TaskType = "TimedWait"
	// TaskApproval waits for a person to approve an approval request.
	TaskApproval TaskType = "Approval"
)
