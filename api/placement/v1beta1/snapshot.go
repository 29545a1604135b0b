package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ClusterResourceSnapshot is a part of what a ClusterResourcePlacement selected
// at one time (docs/kubefleet.md#snapshots).
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=crs,categories={fleet,fleet-placement}
// +kubebuilder:printcolumn:name="Gen",type=string,JSONPath=`.metadata.generation`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ClusterResourceSnapshot struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ResourceSnapshotSpec `json:"spec"`
	// +optional
	Status ResourceSnapshotStatus `json:"status,omitempty"`
}

// ClusterResourceSnapshotList is a list of ClusterResourceSnapshots.
//
// +kubebuilder:object:root=true
type ClusterResourceSnapshotList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ClusterResourceSnapshot `json:"items"`
}

// ResourceSnapshot is a part of what a ResourcePlacement of its namespace
// selected at one time (docs/kubefleet.md#snapshots). Hubs serve it in v1beta1
// only.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=rs,categories={fleet,fleet-placement}
// +kubebuilder:printcolumn:name="Gen",type=string,JSONPath=`.metadata.generation`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ResourceSnapshot struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ResourceSnapshotSpec `json:"spec"`
	// +optional
	Status ResourceSnapshotStatus `json:"status,omitempty"`
}

// ResourceSnapshotList is a list of ResourceSnapshots.
//
// +kubebuilder:object:root=true
type ResourceSnapshotList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ResourceSnapshot `json:"items"`
}

// ResourceSnapshotSpec is the selected resources.
type ResourceSnapshotSpec struct {
	// SelectedResources are whole objects, without what a hub adds to them. The
	// schema requires a list: write an empty one, never nil.
	//
	// +kubebuilder:validation:items:XEmbeddedResource
	SelectedResources []ResourceContent `json:"selectedResources"`
}

// ResourceSnapshotStatus is there for its conditions; nothing sets one.
type ResourceSnapshotStatus struct {
	// Conditions is empty on hubs so far.
	//
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// ClusterSchedulingPolicySnapshot is a ClusterResourcePlacement's policy at one
// time, and what the scheduler made of it (docs/kubefleet.md#snapshots).
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=csps,categories={fleet,fleet-placement}
// +kubebuilder:printcolumn:name="Gen",type=string,JSONPath=`.metadata.generation`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ClusterSchedulingPolicySnapshot struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec PolicySnapshotSpec `json:"spec"`
	// +optional
	Status PolicySnapshotStatus `json:"status,omitempty"`
}

// ClusterSchedulingPolicySnapshotList is a list of
// ClusterSchedulingPolicySnapshots.
//
// +kubebuilder:object:root=true
type ClusterSchedulingPolicySnapshotList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ClusterSchedulingPolicySnapshot `json:"items"`
}

// SchedulingPolicySnapshot is a ResourcePlacement's policy at one time, and
// what the scheduler made of it (docs/kubefleet.md#snapshots). Hubs serve it in
// v1beta1 only.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=sps,categories={fleet,fleet-placement}
// +kubebuilder:printcolumn:name="Gen",type=string,JSONPath=`.metadata.generation`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type SchedulingPolicySnapshot struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec PolicySnapshotSpec `json:"spec"`
	// +optional
	Status PolicySnapshotStatus `json:"status,omitempty"`
}

// SchedulingPolicySnapshotList is a list of SchedulingPolicySnapshots.
//
// +kubebuilder:object:root=true
type SchedulingPolicySnapshotList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []SchedulingPolicySnapshot `json:"items"`
}

// PolicySnapshotSpec is the policy at one time.
type PolicySnapshotSpec struct {
	// Policy is nil when the placement has none, which picks all.
	//
	// +optional
	Policy *PlacementPolicy `json:"policy,omitempty"`

	// PolicyHash is the hash by which the hub sees whether the policy changed.
	// The schema requires it: never nil.
	PolicyHash []byte `json:"policyHash"`
}

// PolicySnapshotStatus is what the scheduler decided.
type PolicySnapshotStatus struct {
	// ObservedCRPGeneration is the generation of the placement, of either scope,
	// that was scheduled.
	ObservedCRPGeneration int64 `json:"observedCRPGeneration"`

	// Conditions has Scheduled.
	//
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// TargetClusters are the decisions, picked clusters first.
	//
	// +optional
	// +kubebuilder:validation:MaxItems=1000
	TargetClusters []ClusterDecision `json:"targetClusters,omitempty"`
}
