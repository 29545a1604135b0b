package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// NamespacedName names a namespaced object.
type NamespacedName struct {
	// Name is the name.
	Name string `json:"name"`

	// Namespace is the namespace.
	Namespace string `json:"namespace"`
}

// ResourceContent is a whole object as JSON, of any kind. Raw holds the bytes.
//
// +kubebuilder:pruning:PreserveUnknownFields
type ResourceContent struct {
	runtime.RawExtension `json:",inline"`
}

// ResourceIdentifier names a placed resource.
type ResourceIdentifier struct {
	// Group is the API group; empty for the core group.
	//
	// +optional
	Group string `json:"group,omitempty"`

	// Version is the API version.
	Version string `json:"version"`

	// Kind is the kind.
	Kind string `json:"kind"`

	// Name is the name.
	Name string `json:"name"`

	// Namespace is empty for cluster-scoped resources.
	//
	// +optional
	Namespace string `json:"namespace,omitempty"`

	// Envelope is the object that the resource was wrapped in, if any.
	//
	// +optional
	Envelope *EnvelopeIdentifier `json:"envelope,omitempty"`
}

// EnvelopeIdentifier names the object that a resource was wrapped in.
type EnvelopeIdentifier struct {
	// Name is the envelope's name.
	Name string `json:"name"`

	// Namespace is empty for a ClusterResourceEnvelope.
	//
	// +optional
	Namespace string `json:"namespace,omitempty"`

	// Type is the envelope's kind. ConfigMap is known to v1beta1 only.
	//
	// +optional
	// +kubebuilder:default=ConfigMap
	Type EnvelopeType `json:"type,omitempty"`
}

// EnvelopeType is the kind of an envelope.
//
// +kubebuilder:validation:Enum=ConfigMap;ClusterResourceEnvelope;ResourceEnvelope
type EnvelopeType string

// The envelope types.
const (
	// EnvelopeConfigMap is the retired way of wrapping.
	EnvelopeConfigMap EnvelopeType = "ConfigMap"
	// EnvelopeCluster wraps cluster-scoped resources.
	EnvelopeCluster EnvelopeType = "ClusterResourceEnvelope"
	// EnvelopeNamespaced wraps resources of its namespace.
	EnvelopeNamespaced EnvelopeType = "ResourceEnvelope"
)

// FailedResourcePlacement is a resource that could not be applied or is not
// available.
type FailedResourcePlacement struct {
	ResourceIdentifier `json:",inline"`

	// Condition is Applied or Available with status False; its
	// observedGeneration is that of the object on the member.
	Condition metav1.Condition `json:"condition"`
}

// DriftedResourcePlacement is a resource that was changed on the member after
// it was applied.
type DriftedResourcePlacement struct {
	ResourceIdentifier `json:",inline"`

	// ObservationTime is when the drift was last seen.
	//
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=date-time
	ObservationTime metav1.Time `json:"observationTime"`

	// TargetClusterObservedGeneration is the generation of the object on the
	// member.
	TargetClusterObservedGeneration int64 `json:"targetClusterObservedGeneration"`

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

// DiffedResourcePlacement is a resource that differs from the hub's.
type DiffedResourcePlacement struct {
	ResourceIdentifier `json:",inline"`

	// ObservationTime is when the difference was last seen.
	//
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=date-time
	ObservationTime metav1.Time `json:"observationTime"`

	// TargetClusterObservedGeneration is the generation of the object on the
	// member; nil when the member has no such object.
	//
	// +optional
	TargetClusterObservedGeneration *int64 `json:"targetClusterObservedGeneration,omitempty"`

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

// PatchDetail is one field that differs.
type PatchDetail struct {
	// Path is a JSON pointer to the field.
	Path string `json:"path"`

	// ValueInMember is empty when the member does not have the field.
	//
	// +optional
	ValueInMember string `json:"valueInMember,omitempty"`

	// ValueInHub is empty when the hub does not have the field.
	//
	// +optional
	ValueInHub string `json:"valueInHub,omitempty"`
}
