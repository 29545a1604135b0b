package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ClusterStagedUpdateRun is one rollout of a ClusterResourcePlacement's
// resources over its clusters, stage by stage (docs/kubefleet.md#run).
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=csur,categories={fleet,fleet-placement}
// +kubebuilder:printcolumn:name="Placement",type=string,JSONPath=`.spec.placementName`
// +kubebuilder:printcolumn:name="Resource-Snapshot-Index",type=string,JSONPath=`.spec.resourceSnapshotIndex`
// +kubebuilder:printcolumn:name="Policy-Snapshot-Index",type=string,JSONPath=`.status.policySnapshotIndexUsed`
// +kubebuilder:printcolumn:name="Initialized",type=string,JSONPath=`.status.conditions[?(@.type=="Initialized")].status`
// +kubebuilder:printcolumn:name="Progressing",type=string,JSONPath=`.status.conditions[?(@.type=="Progressing")].status`
// +kubebuilder:printcolumn:name="Succeeded",type=string,JSONPath=`.status.conditions[?(@.type=="Succeeded")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Strategy",type=string,priority=1,JSONPath=`.spec.stagedRolloutStrategyName`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) < 64",message="metadata.name max length is 63"
type ClusterStagedUpdateRun struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec UpdateRunSpec `json:"spec"`
	// +optional
	Status UpdateRunStatus `json:"status,omitempty"`
}

// ClusterStagedUpdateRunList is a list of ClusterStagedUpdateRuns.
//
// +kubebuilder:object:root=true
type ClusterStagedUpdateRunList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ClusterStagedUpdateRun `json:"items"`
}

// StagedUpdateRun is one rollout of a ResourcePlacement of its namespace, stage
// by stage (docs/kubefleet.md#run).
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=sur,categories={fleet,fleet-placement}
// +kubebuilder:printcolumn:name="Placement",type=string,JSONPath=`.spec.placementName`
// +kubebuilder:printcolumn:name="Resource-Snapshot-Index",type=string,JSONPath=`.spec.resourceSnapshotIndex`
// +kubebuilder:printcolumn:name="Policy-Snapshot-Index",type=string,JSONPath=`.status.policySnapshotIndexUsed`
// +kubebuilder:printcolumn:name="Initialized",type=string,JSONPath=`.status.conditions[?(@.type=="Initialized")].status`
// +kubebuilder:printcolumn:name="Progressing",type=string,JSONPath=`.status.conditions[?(@.type=="Progressing")].status`
// +kubebuilder:printcolumn:name="Succeeded",type=string,JSONPath=`.status.conditions[?(@.type=="Succeeded")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Strategy",type=string,priority=1,JSONPath=`.spec.stagedRolloutStrategyName`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) < 64",message="metadata.name max length is 63"
type StagedUpdateRun struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec UpdateRunSpec `json:"spec"`
	// +optional
	Status UpdateRunStatus `json:"status,omitempty"`
}

// StagedUpdateRunList is a list of StagedUpdateRuns.
//
// +kubebuilder:object:root=true
type StagedUpdateRunList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []StagedUpdateRun `json:"items"`
}

// State is what a person wants a run to do. An absent state means the same as
// StateInitialize to the hub, which fills it in.
//
// +kubebuilder:validation:Enum=Initialize;Run;Stop
type State string

// The states a run can be asked for. The hub refuses Initialize to Stop, and
// Run or Stop back to Initialize; every other change, and creation in any of
// the three, is accepted (docs/kubefleet.md#run).
const (
	// StateInitialize computes the stages and stops there.
	StateInitialize State = "Initialize"
	// StateRun initializes if need be, and updates clusters.
	StateRun State = "Run"
	// StateStop starts no further cluster and lets those in flight finish.
	StateStop State = "Stop"
)

// UpdateRunSpec is what a run shall roll out, how, and whether it may go on.
//
// +kubebuilder:validation:XValidation:rule="!(has(oldSelf.state) && oldSelf.state == 'Initialize' && self.state == 'Stop')",message="invalid state transition: cannot transition from Initialize to Stop"
// +kubebuilder:validation:XValidation:rule="!(has(oldSelf.state) && oldSelf.state == 'Run' && self.state == 'Initialize')",message="invalid state transition: cannot transition from Run to Initialize"
// +kubebuilder:validation:XValidation:rule="!(has(oldSelf.state) && oldSelf.state == 'Stop' && self.state == 'Initialize')",message="invalid state transition: cannot transition from Stop to Initialize"
type UpdateRunSpec struct {
	// PlacementName names the placement; for a StagedUpdateRun one of its own
	// namespace. Immutable.
	//
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="placementName is immutable"
	PlacementName string `json:"placementName"`

	// ResourceSnapshotIndex is the resource-index label of the snapshot to roll
	// out, as written by the author: it is compared letter by letter. Empty
	// takes or creates the newest one. Immutable once present. It is always
	// serialised, as upstream's clients do: a field that is present and empty
	// cannot be filled in later.
	//
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="resourceSnapshotIndex is immutable"
	ResourceSnapshotIndex string `json:"resourceSnapshotIndex"`

	// StagedRolloutStrategyName names the strategy; for a StagedUpdateRun one of
	// its own namespace. Immutable.
	//
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="stagedRolloutStrategyName is immutable"
	StagedRolloutStrategyName string `json:"stagedRolloutStrategyName"`

	// State is what the run shall do. Hubs older than v0.1.2 do not know it and
	// execute every run.
	//
	// +optional
	// +kubebuilder:default=Initialize
	State State `json:"state,omitempty"`
}

// UpdateRunStatus is what the hub recorded about a run. Only the update run
// controller writes it.
type UpdateRunStatus struct {
	// PolicySnapshotIndexUsed is the policy-index label of the policy snapshot
	// that was the latest at initialization.
	//
	// +optional
	PolicySnapshotIndexUsed string `json:"policySnapshotIndexUsed,omitempty"`

	// PolicyObservedClusterCount is the number of clusters the policy asks for,
	// or for PickAll the number of selected bindings
	// (docs/kubefleet.md#initialize, rows 6 and 8b).
	//
	// +optional
	PolicyObservedClusterCount int `json:"policyObservedClusterCount,omitempty"`

	// ResourceSnapshotIndexUsed is the resource-index label of the snapshot that
	// is rolled out.
	//
	// +optional
	ResourceSnapshotIndexUsed string `json:"resourceSnapshotIndexUsed,omitempty"`

	// AppliedStrategy is the placement's apply strategy, after defaulting, as it
	// was at initialization.
	//
	// +optional
	AppliedStrategy *ApplyStrategy `json:"appliedStrategy,omitempty"`

	// StagedUpdateStrategySnapshot is the strategy's spec as it was at
	// initialization. Later changes of the strategy do not reach the run.
	//
	// +optional
	StagedUpdateStrategySnapshot *UpdateStrategySpec `json:"stagedUpdateStrategySnapshot,omitempty"`

	// StagesStatus has one entry for each stage of the snapshot, in its order.
	//
	// +optional
	StagesStatus []StageStatus `json:"stagesStatus,omitempty"`

	// DeletionStageStatus is the last stage: it removes the resources from the
	// clusters that the policy no longer picks. Its name is DeletionStageName.
	//
	// +optional
	DeletionStageStatus *StageStatus `json:"deletionStageStatus,omitempty"`

	// Conditions has at most Initialized, Progressing and Succeeded.
	//
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// StageStatus is how far one stage is.
type StageStatus struct {
	// StageName is the stage's name in the strategy, or DeletionStageName.
	StageName string `json:"stageName"`

	// Clusters are the clusters of the stage in the order of their update. The
	// schema requires a list: write an empty one, never nil, when there is no
	// cluster.
	Clusters []ClusterStatus `json:"clusters"`

	// BeforeStageTaskStatus has one entry for each before-stage task.
	//
	// +optional
	// +kubebuilder:validation:MaxItems=1
	BeforeStageTaskStatus []TaskStatus `json:"beforeStageTaskStatus,omitempty"`

	// AfterStageTaskStatus has one entry for each after-stage task.
	//
	// +optional
	// +kubebuilder:validation:MaxItems=2
	AfterStageTaskStatus []TaskStatus `json:"afterStageTaskStatus,omitempty"`

	// StartTime is when the first cluster of the stage was started.
	//
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=date-time
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// EndTime is when the stage was done.
	//
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=date-time
	EndTime *metav1.Time `json:"endTime,omitempty"`

	// Conditions has at most Progressing and Succeeded.
	//
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// ClusterStatus is how far one cluster of a stage is.
type ClusterStatus struct {
	// ClusterName is the name of the MemberCluster.
	ClusterName string `json:"clusterName"`

	// ResourceOverrideSnapshots are the namespaced overrides that apply on the
	// cluster, sorted by namespace and name.
	//
	// +optional
	ResourceOverrideSnapshots []NamespacedName `json:"resourceOverrideSnapshots,omitempty"`

	// ClusterResourceOverrideSnapshots are the names of the cluster-scoped
	// overrides that apply on the cluster, sorted.
	//
	// +optional
	ClusterResourceOverrideSnapshots []string `json:"clusterResourceOverrideSnapshots,omitempty"`

	// Conditions has at most Started and Succeeded.
	//
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// TaskStatus is how far one before- or after-stage task is.
type TaskStatus struct {
	// Type is the task's type in the strategy.
	Type TaskType `json:"type"`

	// ApprovalRequestName names the approval request of an Approval task; it is
	// set at initialization, before the request exists. An ApprovalRequest lives
	// in its run's namespace.
	//
	// +optional
	ApprovalRequestName string `json:"approvalRequestName,omitempty"`

	// Conditions has at most ApprovalRequestCreated, ApprovalRequestApproved and
	// WaitTimeElapsed.
	//
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
