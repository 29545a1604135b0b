package v1beta1

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ClusterResourceOverrideSnapshot is a ClusterResourceOverride at one time: how
// cluster-scoped resources, and what is in selected namespaces, differ on some
// clusters (docs/kubefleet.md#overrides).
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories={fleet,fleet-placement}
type ClusterResourceOverrideSnapshot struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ClusterResourceOverrideSnapshotSpec `json:"spec"`
}

// ClusterResourceOverrideSnapshotList is a list of
// ClusterResourceOverrideSnapshots.
//
// +kubebuilder:object:root=true
type ClusterResourceOverrideSnapshotList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ClusterResourceOverrideSnapshot `json:"items"`
}

// ResourceOverrideSnapshot is a ResourceOverride at one time: how resources of
// its namespace differ on some clusters (docs/kubefleet.md#overrides).
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,categories={fleet,fleet-placement}
type ResourceOverrideSnapshot struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ResourceOverrideSnapshotSpec `json:"spec"`
}

// ResourceOverrideSnapshotList is a list of ResourceOverrideSnapshots.
//
// +kubebuilder:object:root=true
type ResourceOverrideSnapshotList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ResourceOverrideSnapshot `json:"items"`
}

// ClusterResourceOverrideSnapshotSpec is the override at one time.
type ClusterResourceOverrideSnapshotSpec struct {
	// OverrideSpec is the override's spec.
	OverrideSpec ClusterResourceOverrideSpec `json:"overrideSpec"`

	// OverrideHash is the hash by which the hub sees whether it changed. The
	// schema requires it: never nil.
	OverrideHash []byte `json:"overrideHash"`
}

// ResourceOverrideSnapshotSpec is the override at one time.
type ResourceOverrideSnapshotSpec struct {
	// OverrideSpec is the override's spec.
	OverrideSpec ResourceOverrideSpec `json:"overrideSpec"`

	// OverrideHash is the hash by which the hub sees whether it changed. The
	// schema requires it: never nil.
	OverrideHash []byte `json:"overrideHash"`
}

// ClusterResourceOverrideSpec is which resources differ, where and how.
//
// +kubebuilder:validation:XValidation:rule="(has(oldSelf.placement) && has(self.placement) && oldSelf.placement == self.placement) || (!has(oldSelf.placement) && !has(self.placement))",message="The placement field is immutable"
type ClusterResourceOverrideSpec struct {
	// Placement is the one placement the override is for; nil means all.
	//
	// +optional
	Placement *PlacementRef `json:"placement,omitempty"`

	// ClusterResourceSelectors select the resources.
	//
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	ClusterResourceSelectors []ResourceSelectorTerm `json:"clusterResourceSelectors"`

	// Policy is where and how they differ.
	Policy *OverridePolicy `json:"policy"`
}

// ResourceOverrideSpec is which resources differ, where and how.
//
// +kubebuilder:validation:XValidation:rule="(has(oldSelf.placement) && has(self.placement) && oldSelf.placement == self.placement) || (!has(oldSelf.placement) && !has(self.placement))",message="The placement field is immutable"
type ResourceOverrideSpec struct {
	// Placement is the one placement the override is for; nil means all.
	//
	// +optional
	Placement *PlacementRef `json:"placement,omitempty"`

	// ResourceSelectors name the resources.
	//
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	ResourceSelectors []ResourceSelector `json:"resourceSelectors"`

	// Policy is where and how they differ.
	Policy *OverridePolicy `json:"policy"`
}

// ResourceSelector names one resource of the override's namespace.
type ResourceSelector struct {
	// Group is the API group; empty for the core group.
	Group string `json:"group"`

	// Version is the API version.
	Version string `json:"version"`

	// Kind is the kind.
	Kind string `json:"kind"`

	// Name is the name.
	Name string `json:"name"`
}

// PlacementRef names a placement.
type PlacementRef struct {
	// Name is the placement's name.
	Name string `json:"name"`

	// Scope is whether it is a ClusterResourcePlacement or a ResourcePlacement
	// of the override's namespace.
	//
	// +optional
	// +kubebuilder:default=Cluster
	Scope ResourceScope `json:"scope,omitempty"`
}

// ResourceScope is the scope of a placement.
//
// +kubebuilder:validation:Enum=Cluster;Namespaced
type ResourceScope string

// The scopes of a placement.
const (
	// ScopeCluster is a ClusterResourcePlacement.
	ScopeCluster ResourceScope = "Cluster"
	// ScopeNamespaced is a ResourcePlacement.
	ScopeNamespaced ResourceScope = "Namespaced"
)

// OverridePolicy is where and how resources differ.
type OverridePolicy struct {
	// OverrideRules are applied in their order.
	//
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	OverrideRules []OverrideRule `json:"overrideRules"`
}

// OverrideRule is how resources differ on some clusters.
type OverrideRule struct {
	// ClusterSelector is where: nil nowhere, without terms everywhere.
	//
	// +optional
	ClusterSelector *ClusterSelector `json:"clusterSelector,omitempty"`

	// OverrideType is JSONPatch or Delete.
	//
	// +optional
	// +kubebuilder:default=JSONPatch
	// +kubebuilder:validation:Enum=JSONPatch;Delete
	OverrideType string `json:"overrideType,omitempty"`

	// JSONPatchOverrides are the patches of type JSONPatch.
	//
	// +optional
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	JSONPatchOverrides []JSONPatchOverride `json:"jsonPatchOverrides,omitempty"`
}

// JSONPatchOverride is one JSON patch operation.
type JSONPatchOverride struct {
	// Op is the operation.
	//
	// +kubebuilder:validation:Enum=add;remove;replace
	Op string `json:"op"`

	// Path is a JSON pointer.
	Path string `json:"path"`

	// Value is any JSON value; none with remove.
	//
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	Value json.RawMessage `json:"value,omitempty"`
}
