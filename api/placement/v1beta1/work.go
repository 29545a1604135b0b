package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Work is what the agent of one member cluster shall apply. It lives in the
// member's namespace on the hub (docs/kubefleet.md#work).
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,categories={fleet,fleet-placement}
type Work struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +optional
	Spec WorkSpec `json:"spec,omitempty"`
	// +optional
	Status WorkStatus `json:"status,omitempty"`
}

// WorkList is a list of Works.
//
// +kubebuilder:object:root=true
type WorkList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Work `json:"items"`
}

// WorkSpec is what shall be applied, and how.
type WorkSpec struct {
	// Workload is what shall be applied.
	//
	// +optional
	Workload WorkloadTemplate `json:"workload,omitempty"`

	// ApplyStrategy is how it is applied.
	//
	// +optional
	ApplyStrategy *ApplyStrategy `json:"applyStrategy,omitempty"`

	// ReportBackStrategy is whether the status of the applied resources comes
	// back to the hub. Not in v1.
	//
	// +optional
	ReportBackStrategy *ReportBackStrategy `json:"reportBackStrategy,omitempty"`
}

// WorkloadTemplate is what shall be applied.
type WorkloadTemplate struct {
	// Manifests are whole objects.
	//
	// +optional
	// +kubebuilder:validation:items:XEmbeddedResource
	Manifests []ResourceContent `json:"manifests,omitempty"`
}

// WorkStatus is what the member's agent reported.
type WorkStatus struct {
	// Conditions has Applied, Available, DiffReported and StatusTrimmed. The
	// schema requires a list: write an empty one, never nil.
	Conditions []metav1.Condition `json:"conditions"`

	// ManifestConditions has an entry for each manifest.
	//
	// +optional
	ManifestConditions []ManifestCondition `json:"manifestConditions,omitempty"`
}

// ManifestCondition is how far one manifest is.
type ManifestCondition struct {
	// Identifier names the resource.
	Identifier WorkResourceIdentifier `json:"identifier"`

	// Conditions has Applied, Available and DiffReported. The schema requires a
	// list: write an empty one, never nil.
	Conditions []metav1.Condition `json:"conditions"`

	// DriftDetails says what drifted.
	//
	// +optional
	DriftDetails *DriftDetails `json:"driftDetails,omitempty"`

	// DiffDetails says what differs.
	//
	// +optional
	DiffDetails *DiffDetails `json:"diffDetails,omitempty"`

	// BackReportedStatus is the status of the object on the member. Not in v1.
	//
	// +optional
	BackReportedStatus *BackReportedStatus `json:"backReportedStatus,omitempty"`
}

// WorkResourceIdentifier names a resource of a Work.
type WorkResourceIdentifier struct {
	// Ordinal is the position among the manifests, from 0.
	Ordinal int `json:"ordinal"`

	// Group is the API group; empty for the core group.
	//
	// +optional
	Group string `json:"group,omitempty"`

	// Version is the API version.
	//
	// +optional
	Version string `json:"version,omitempty"`

	// Kind is the kind.
	//
	// +optional
	Kind string `json:"kind,omitempty"`

	// Resource is the plural name in the request's path.
	//
	// +optional
	Resource string `json:"resource,omitempty"`

	// Namespace is empty for cluster-scoped resources.
	//
	// +optional
	Namespace string `json:"namespace,omitempty"`

	// Name is the name.
	//
	// +optional
	Name string `json:"name,omitempty"`
}

// DriftDetails says what drifted on the member.
type DriftDetails struct {
	// ObservationTime is when the drift was last seen.
	//
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=date-time
	ObservationTime metav1.Time `json:"observationTime"`

	// ObservedInMemberClusterGeneration is the generation of the object on the
	// member.
	ObservedInMemberClusterGeneration int64 `json:"observedInMemberClusterGeneration"`

	// FirstDriftedObservedTime is when a drift was first seen.
	//
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=date-time
	FirstDriftedObservedTime metav1.Time `json:"firstDriftedObservedTime"`

	// ObservedDrifts are the fields that drifted.
	//
	// +optional
	ObservedDrifts []PatchDetail `json:"observedDrifts,omitempty"`
}

// DiffDetails says what differs between hub and member.
type DiffDetails struct {
	// ObservationTime is when the difference was last seen.
	//
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=date-time
	ObservationTime metav1.Time `json:"observationTime"`

	// ObservedInMemberClusterGeneration is the generation of the object on the
	// member; nil when the member has no such object.
	//
	// +optional
	ObservedInMemberClusterGeneration *int64 `json:"observedInMemberClusterGeneration,omitempty"`

	// FirstDiffedObservedTime is when a difference was first seen.
	//
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=date-time
	FirstDiffedObservedTime metav1.Time `json:"firstDiffedObservedTime"`

	// ObservedDiffs are the fields that differ.
	//
	// +optional
	ObservedDiffs []PatchDetail `json:"observedDiffs,omitempty"`
}

// BackReportedStatus is the status of an object on the member.
type BackReportedStatus struct {
	// ObservedStatus is an object that holds the status.
	//
	// +optional
	// +kubebuilder:validation:EmbeddedResource
	// +kubebuilder:pruning:PreserveUnknownFields
	ObservedStatus *ResourceContent `json:"observedStatus,omitempty"`

	// ObservationTime is when it was read.
	//
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=date-time
	ObservationTime metav1.Time `json:"observationTime"`
}
