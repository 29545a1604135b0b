package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ClusterResourceBinding is what one cluster shall have of a
// ClusterResourcePlacement (docs/kubefleet.md#binding).
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=crb,categories={fleet,fleet-placement}
// +kubebuilder:printcolumn:name="WorkSynchronized",type=string,JSONPath=`.status.conditions[?(@.type=="WorkSynchronized")].status`
// +kubebuilder:printcolumn:name="ResourcesApplied",type=string,JSONPath=`.status.conditions[?(@.type=="Applied")].status`
// +kubebuilder:printcolumn:name="ResourceAvailable",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Available")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ClusterResourceBinding struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec BindingSpec `json:"spec"`
	// +optional
	Status BindingStatus `json:"status,omitempty"`
}

// ClusterResourceBindingList is a list of ClusterResourceBindings.
//
// +kubebuilder:object:root=true
type ClusterResourceBindingList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ClusterResourceBinding `json:"items"`
}

// ResourceBinding is what one cluster shall have of a ResourcePlacement of its
// namespace (docs/kubefleet.md#binding). Hubs serve it in v1beta1 only.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=rb,categories={fleet,fleet-placement}
// +kubebuilder:printcolumn:name="WorkSynchronized",type=string,JSONPath=`.status.conditions[?(@.type=="WorkSynchronized")].status`
// +kubebuilder:printcolumn:name="ResourcesApplied",type=string,JSONPath=`.status.conditions[?(@.type=="Applied")].status`
// +kubebuilder:printcolumn:name="ResourceAvailable",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Available")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ResourceBinding struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec BindingSpec `json:"spec"`
	// +optional
	Status BindingStatus `json:"status,omitempty"`
}

// ResourceBindingList is a list of ResourceBindings.
//
// +kubebuilder:object:root=true
type ResourceBindingList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ResourceBinding `json:"items"`
}

// BindingState is how far a binding is. The schema takes any string.
type BindingState string

// The binding states.
const (
	// BindingScheduled waits for a rollout to start.
	BindingScheduled BindingState = "Scheduled"
	// BindingBound is being rolled out, or is.
	BindingBound BindingState = "Bound"
	// BindingUnscheduled is no longer picked and waits for its deletion.
	BindingUnscheduled BindingState = "Unscheduled"
)

// BindingSpec is which snapshot one cluster shall have.
type BindingSpec struct {
	// State is how far the binding is.
	State BindingState `json:"state"`

	// ResourceSnapshotName is the master snapshot; empty on a fresh binding.
	ResourceSnapshotName string `json:"resourceSnapshotName"`

	// ResourceOverrideSnapshots are the namespaced overrides to apply.
	//
	// +optional
	ResourceOverrideSnapshots []NamespacedName `json:"resourceOverrideSnapshots,omitempty"`

	// ClusterResourceOverrideSnapshots are the cluster-scoped ones, by name.
	//
	// +optional
	ClusterResourceOverrideSnapshots []string `json:"clusterResourceOverrideSnapshots,omitempty"`

	// SchedulingPolicySnapshotName is the policy snapshot that picked the
	// cluster.
	SchedulingPolicySnapshotName string `json:"schedulingPolicySnapshotName"`

	// TargetCluster is the cluster. The binding's name is cut and does not tell.
	TargetCluster string `json:"targetCluster"`

	// ClusterDecision is why the cluster was picked.
	ClusterDecision ClusterDecision `json:"clusterDecision"`

	// ApplyStrategy is how the resources are applied on the cluster.
	//
	// +optional
	ApplyStrategy *ApplyStrategy `json:"applyStrategy,omitempty"`
}

// ClusterDecision is why a cluster was picked or not.
type ClusterDecision struct {
	// ClusterName is the cluster.
	ClusterName string `json:"clusterName"`

	// Selected tells whether it was picked.
	Selected bool `json:"selected"`

	// ClusterScore is how well it fits.
	//
	// +optional
	ClusterScore *ClusterScore `json:"clusterScore,omitempty"`

	// Reason is the scheduler's explanation.
	Reason string `json:"reason"`
}

// ClusterScore is how well a cluster fits.
type ClusterScore struct {
	// AffinityScore is the sum of the weights of met preferences.
	//
	// +optional
	AffinityScore *int32 `json:"affinityScore,omitempty"`

	// PriorityScore is how well it spreads.
	//
	// +optional
	PriorityScore *int32 `json:"priorityScore,omitempty"`
}

// BindingStatus is how far the cluster is.
type BindingStatus struct {
	// FailedPlacements are resources that could not be applied or are not
	// available; cut at 100 unsorted.
	//
	// +optional
	// +kubebuilder:validation:MaxItems=100
	FailedPlacements []FailedResourcePlacement `json:"failedPlacements,omitempty"`

	// DriftedPlacements are resources that were changed on the member; sorted,
	// then cut at 100.
	//
	// +optional
	// +kubebuilder:validation:MaxItems=100
	DriftedPlacements []DriftedResourcePlacement `json:"driftedPlacements,omitempty"`

	// DiffedPlacements are resources that differ from the hub's; sorted, then
	// cut at 100.
	//
	// +optional
	// +kubebuilder:validation:MaxItems=100
	DiffedPlacements []DiffedResourcePlacement `json:"diffedPlacements,omitempty"`

	// Conditions has RolloutStarted, then Overridden, WorkSynchronized, Applied
	// and Available (or DiffReported), as far as the binding got.
	//
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
