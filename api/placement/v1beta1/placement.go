package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// ClusterResourcePlacement says which cluster-scoped resources and namespaces
// go to which clusters (docs/kubefleet.md#placement).
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=crp,categories={fleet,fleet-placement}
// +kubebuilder:printcolumn:name="Gen",type=string,JSONPath=`.metadata.generation`
// +kubebuilder:printcolumn:name="Type",type=string,priority=1,JSONPath=`.spec.policy.placementType`
// +kubebuilder:printcolumn:name="Scheduled",type=string,JSONPath=`.status.conditions[?(@.type=="ClusterResourcePlacementScheduled")].status`
// +kubebuilder:printcolumn:name="Scheduled-Gen",type=string,JSONPath=`.status.conditions[?(@.type=="ClusterResourcePlacementScheduled")].observedGeneration`
// +kubebuilder:printcolumn:name="Work-Synchronized",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="ClusterResourcePlacementWorkSynchronized")].status`
// +kubebuilder:printcolumn:name="Work-Synchronized-Gen",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="ClusterResourcePlacementWorkSynchronized")].observedGeneration`
// +kubebuilder:printcolumn:name="Available",type=string,JSONPath=`.status.conditions[?(@.type=="ClusterResourcePlacementAvailable")].status`
// +kubebuilder:printcolumn:name="Available-Gen",type=string,JSONPath=`.status.conditions[?(@.type=="ClusterResourcePlacementAvailable")].observedGeneration`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ClusterResourcePlacement struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +kubebuilder:validation:XValidation:rule="!(has(oldSelf.policy) && !has(self.policy))",message="policy cannot be removed once set"
	// +kubebuilder:validation:XValidation:rule="!(self.statusReportingScope == 'NamespaceAccessible' && size(self.resourceSelectors.filter(x, x.kind == 'Namespace')) != 1)",message="when statusReportingScope is NamespaceAccessible, exactly one resourceSelector with kind 'Namespace' is required"
	// +kubebuilder:validation:XValidation:rule="!has(oldSelf.statusReportingScope) || self.statusReportingScope == oldSelf.statusReportingScope",message="statusReportingScope is immutable"
	// +kubebuilder:validation:XValidation:rule="size(self.resourceSelectors.filter(x, x.kind == 'Namespace' && x.group == \"\" && x.version == 'v1' && has(x.selectionScope) && x.selectionScope == 'NamespaceWithResourceSelectors')) <= 1",message="only one namespace selector with NamespaceWithResourceSelectors mode is allowed"
	// +kubebuilder:validation:XValidation:rule="size(self.resourceSelectors.filter(x, x.kind == 'Namespace' && x.group == \"\" && x.version == 'v1' && has(x.selectionScope) && x.selectionScope == 'NamespaceWithResourceSelectors')) == 0 || (size(self.resourceSelectors.filter(x, x.kind == 'Namespace' && x.group == \"\" && x.version == 'v1' && has(x.selectionScope) && x.selectionScope == 'NamespaceWithResourceSelectors' && has(x.name) && size(x.name) > 0 && !has(x.labelSelector))) == 1)",message="namespace selector with NamespaceWithResourceSelectors mode must select by name (not by label)"
	// +kubebuilder:validation:XValidation:rule="size(self.resourceSelectors.filter(x, x.kind == 'Namespace' && x.group == \"\" && x.version == 'v1' && has(x.selectionScope) && x.selectionScope == 'NamespaceWithResourceSelectors')) == 0 || size(self.resourceSelectors.filter(x, x.kind == 'Namespace' && x.group == \"\" && x.version == 'v1')) == 1",message="when using NamespaceWithResourceSelectors mode, only one namespace selector is allowed (cannot mix with other namespace selectors)"
	Spec PlacementSpec `json:"spec"`
	// +optional
	Status PlacementStatus `json:"status,omitempty"`
}

// ClusterResourcePlacementList is a list of ClusterResourcePlacements.
//
// +kubebuilder:object:root=true
type ClusterResourcePlacementList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ClusterResourcePlacement `json:"items"`
}

// ResourcePlacement says which resources of its namespace go to which clusters
// (docs/kubefleet.md#placement).
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=rp,categories={fleet,fleet-placement}
// +kubebuilder:printcolumn:name="Gen",type=string,JSONPath=`.metadata.generation`
// +kubebuilder:printcolumn:name="Type",type=string,priority=1,JSONPath=`.spec.policy.placementType`
// +kubebuilder:printcolumn:name="Scheduled",type=string,JSONPath=`.status.conditions[?(@.type=="ResourcePlacementScheduled")].status`
// +kubebuilder:printcolumn:name="Scheduled-Gen",type=string,JSONPath=`.status.conditions[?(@.type=="ResourcePlacementScheduled")].observedGeneration`
// +kubebuilder:printcolumn:name="Work-Synchronized",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="ResourcePlacementWorkSynchronized")].status`
// +kubebuilder:printcolumn:name="Work-Synchronized-Gen",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="ResourcePlacementWorkSynchronized")].observedGeneration`
// +kubebuilder:printcolumn:name="Available",type=string,JSONPath=`.status.conditions[?(@.type=="ResourcePlacementAvailable")].status`
// +kubebuilder:printcolumn:name="Available-Gen",type=string,JSONPath=`.status.conditions[?(@.type=="ResourcePlacementAvailable")].observedGeneration`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ResourcePlacement struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +kubebuilder:validation:XValidation:rule="!(has(oldSelf.policy) && !has(self.policy))",message="policy cannot be removed once set"
	// +kubebuilder:validation:XValidation:rule="size(self.resourceSelectors.filter(x, x.kind == 'Namespace' && x.group == \"\" && x.version == 'v1' && has(x.selectionScope) && x.selectionScope == 'NamespaceWithResourceSelectors')) <= 1",message="only one namespace selector with NamespaceWithResourceSelectors mode is allowed"
	// +kubebuilder:validation:XValidation:rule="size(self.resourceSelectors.filter(x, x.kind == 'Namespace' && x.group == \"\" && x.version == 'v1' && has(x.selectionScope) && x.selectionScope == 'NamespaceWithResourceSelectors')) == 0 || (size(self.resourceSelectors.filter(x, x.kind == 'Namespace' && x.group == \"\" && x.version == 'v1' && has(x.selectionScope) && x.selectionScope == 'NamespaceWithResourceSelectors' && has(x.name) && size(x.name) > 0 && !has(x.labelSelector))) == 1)",message="namespace selector with NamespaceWithResourceSelectors mode must select by name (not by label)"
	// +kubebuilder:validation:XValidation:rule="size(self.resourceSelectors.filter(x, x.kind == 'Namespace' && x.group == \"\" && x.version == 'v1' && has(x.selectionScope) && x.selectionScope == 'NamespaceWithResourceSelectors')) == 0 || size(self.resourceSelectors.filter(x, x.kind == 'Namespace' && x.group == \"\" && x.version == 'v1')) == 1",message="when using NamespaceWithResourceSelectors mode, only one namespace selector is allowed (cannot mix with other namespace selectors)"
	Spec PlacementSpec `json:"spec"`
	// +optional
	Status PlacementStatus `json:"status,omitempty"`
}

// ResourcePlacementList is a list of ResourcePlacements.
//
// +kubebuilder:object:root=true
type ResourcePlacementList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ResourcePlacement `json:"items"`
}

// PlacementSpec is what goes where, and how.
type PlacementSpec struct {
	// ResourceSelectors select what is placed; a resource that any of them
	// selects is.
	//
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:XValidation:rule="self.all(x, !(has(x.name) && size(x.name) > 0 && has(x.labelSelector)))",message="name and labelSelector are mutually exclusive in a resource selector"
	ResourceSelectors []ResourceSelectorTerm `json:"resourceSelectors"`

	// Policy is how clusters are picked; nil picks all. It cannot be removed
	// once set.
	//
	// +optional
	// +kubebuilder:validation:XValidation:rule="!(self.placementType != oldSelf.placementType)",message="placement type is immutable"
	// +kubebuilder:validation:XValidation:rule="self.placementType != 'PickFixed' || (!has(self.affinity) && !has(self.numberOfClusters) && !has(self.topologySpreadConstraints) && !has(self.tolerations))",message="affinity, numberOfClusters, topologySpreadConstraints, and tolerations cannot be set when placementType is PickFixed"
	// +kubebuilder:validation:XValidation:rule="self.placementType != 'PickAll' || (!has(self.clusterNames) && !has(self.numberOfClusters) && !has(self.topologySpreadConstraints))",message="clusterNames, numberOfClusters, and topologySpreadConstraints cannot be set when placementType is PickAll"
	// +kubebuilder:validation:XValidation:rule="self.placementType != 'PickN' || (!has(self.clusterNames) && has(self.numberOfClusters))",message="clusterNames cannot be set and numberOfClusters must be set when placementType is PickN"
	Policy *PlacementPolicy `json:"policy,omitempty"`

	// Strategy is who rolls changes out, and how they are applied.
	//
	// +optional
	Strategy RolloutStrategy `json:"strategy,omitempty"`

	// RevisionHistoryLimit is how many resource snapshots are kept.
	//
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	RevisionHistoryLimit *int32 `json:"revisionHistoryLimit,omitempty"`

	// StatusReportingScope is where the status can be read. It means something
	// for a ClusterResourcePlacement only, where it is immutable.
	//
	// +optional
	// +kubebuilder:default=ClusterScopeOnly
	// +kubebuilder:validation:Enum=ClusterScopeOnly;NamespaceAccessible
	StatusReportingScope string `json:"statusReportingScope,omitempty"`
}

// ResourceSelectorTerm selects resources of one kind, by name or by label, or
// all of the kind.
type ResourceSelectorTerm struct {
	// Group is the API group; empty for the core group.
	Group string `json:"group"`

	// Version is the API version.
	Version string `json:"version"`

	// Kind is the kind. A Namespace stands for its contents too, as
	// SelectionScope says.
	Kind string `json:"kind"`

	// Name is the name of the one resource.
	//
	// +optional
	Name string `json:"name,omitempty"`

	// LabelSelector selects by label; not together with Name.
	//
	// +optional
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`

	// SelectionScope is what a selected Namespace stands for.
	//
	// +optional
	// +kubebuilder:default=NamespaceWithResources
	SelectionScope SelectionScope `json:"selectionScope,omitempty"`
}

// SelectionScope is what a selected Namespace stands for.
//
// +kubebuilder:validation:Enum=NamespaceOnly;NamespaceWithResources;NamespaceWithResourceSelectors
type SelectionScope string

// The selection scopes.
const (
	// SelectNamespaceOnly selects the Namespace object alone.
	SelectNamespaceOnly SelectionScope = "NamespaceOnly"
	// SelectNamespaceWithResources selects the Namespace and all in it.
	SelectNamespaceWithResources SelectionScope = "NamespaceWithResources"
	// SelectNamespaceWithResourceSelectors selects the Namespace and what the
	// other selectors select in it.
	SelectNamespaceWithResourceSelectors SelectionScope = "NamespaceWithResourceSelectors"
)

// RolloutStrategy is who rolls changes out, and how they are applied.
type RolloutStrategy struct {
	// Type is who rolls out. External, which staged update runs need, cannot be
	// left again.
	//
	// +optional
	// +kubebuilder:default=RollingUpdate
	// +kubebuilder:validation:Enum=RollingUpdate;External
	// +kubebuilder:validation:XValidation:rule="!(self != 'External' && oldSelf == 'External')",message="cannot change rollout strategy type from 'External' to other types"
	Type RolloutStrategyType `json:"type,omitempty"`

	// RollingUpdate tunes the RollingUpdate type.
	//
	// +optional
	RollingUpdate *RollingUpdateConfig `json:"rollingUpdate,omitempty"`

	// ApplyStrategy is how resources are applied on a member.
	//
	// +optional
	ApplyStrategy *ApplyStrategy `json:"applyStrategy,omitempty"`

	// DeleteStrategy is what happens on the members when the placement is
	// deleted. Not in v1.
	//
	// +optional
	DeleteStrategy *DeleteStrategy `json:"deleteStrategy,omitempty"`

	// ReportBackStrategy is whether the status of the applied resources comes
	// back to the hub. Not in v1.
	//
	// +optional
	// +kubebuilder:validation:XValidation:rule="(self == null) || (self.type == 'Mirror' ? size(self.destination) != 0 : true)",message="when reportBackStrategy.type is 'Mirror', a destination must be specified"
	ReportBackStrategy *ReportBackStrategy `json:"reportBackStrategy,omitempty"`
}

// RolloutStrategyType is who rolls changes out.
type RolloutStrategyType string

// The rollout strategy types.
const (
	// RolloutRollingUpdate is the hub's own rolling update.
	RolloutRollingUpdate RolloutStrategyType = "RollingUpdate"
	// RolloutExternal leaves it to somebody else: staged update runs.
	RolloutExternal RolloutStrategyType = "External"
)

// RollingUpdateConfig tunes the hub's own rolling update.
type RollingUpdateConfig struct {
	// MaxUnavailable is how many clusters may be unavailable: a number or a
	// percentage.
	//
	// +optional
	// +kubebuilder:default="25%"
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:Pattern="^((100|[0-9]{1,2})%|[0-9]+)$"
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty"`

	// MaxSurge is how many clusters more than wanted may have the resources: a
	// number or a percentage.
	//
	// +optional
	// +kubebuilder:default="25%"
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:Pattern="^((100|[0-9]{1,2})%|[0-9]+)$"
	MaxSurge *intstr.IntOrString `json:"maxSurge,omitempty"`

	// UnavailablePeriodSeconds is after how many seconds a resource whose
	// availability cannot be tracked counts as available.
	//
	// +optional
	// +kubebuilder:default=60
	// +kubebuilder:validation:Minimum=0
	UnavailablePeriodSeconds *int `json:"unavailablePeriodSeconds,omitempty"`
}

// DeleteStrategy is what happens on the members when the placement is deleted.
type DeleteStrategy struct {
	// PropagationPolicy removes the resources or leaves them.
	//
	// +optional
	// +kubebuilder:default=Delete
	// +kubebuilder:validation:Enum=Abandon;Delete
	PropagationPolicy string `json:"propagationPolicy,omitempty"`
}

// PropagationAbandon leaves the resources on the members.
const PropagationAbandon = "Abandon"

// Abandons reports whether the resources stay on the members when the placement is deleted.
func (d *DeleteStrategy) Abandons() bool {
	return d != nil && d.PropagationPolicy == PropagationAbandon
}

// ReportBackStrategy is whether the status of the applied resources comes back
// to the hub.
type ReportBackStrategy struct {
	// Type is Disabled or Mirror.
	//
	// +kubebuilder:default=Disabled
	// +kubebuilder:validation:Enum=Disabled;Mirror
	Type string `json:"type"`

	// Destination is where Mirror writes.
	//
	// +optional
	// +kubebuilder:validation:Enum=OriginalResource;WorkAPI
	Destination *string `json:"destination,omitempty"`
}

// PlacementStatus is what the hub knows about a placement.
type PlacementStatus struct {
	// SelectedResources is what ObservedResourceIndex holds.
	//
	// +optional
	SelectedResources []ResourceIdentifier `json:"selectedResources,omitempty"`

	// ObservedResourceIndex is the resource index that all clusters share, or
	// empty while they do not (docs/kubefleet.md#conditions).
	//
	// +optional
	ObservedResourceIndex string `json:"observedResourceIndex,omitempty"`

	// PlacementStatuses has an entry for each cluster, and for each cluster that
	// is wanted and could not be found.
	//
	// +optional
	PlacementStatuses []PerClusterPlacementStatus `json:"placementStatuses,omitempty"`

	// Conditions has types that begin with ClusterResourcePlacement or
	// ResourcePlacement.
	//
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// PerClusterPlacementStatus is how far one cluster of a placement is.
type PerClusterPlacementStatus struct {
	// ClusterName is empty where no cluster could be found.
	//
	// +optional
	ClusterName string `json:"clusterName,omitempty"`

	// ObservedResourceIndex is the resource index the cluster has or gets; empty
	// when that snapshot was pruned.
	//
	// +optional
	ObservedResourceIndex string `json:"observedResourceIndex,omitempty"`

	// ApplicableResourceOverrides are the namespaced override snapshots in use.
	//
	// +optional
	ApplicableResourceOverrides []NamespacedName `json:"applicableResourceOverrides,omitempty"`

	// ApplicableClusterResourceOverrides are the cluster-scoped ones.
	//
	// +optional
	ApplicableClusterResourceOverrides []string `json:"applicableClusterResourceOverrides,omitempty"`

	// FailedPlacements are resources that could not be applied or are not
	// available, at most 100.
	//
	// +optional
	// +kubebuilder:validation:MaxItems=100
	FailedPlacements []FailedResourcePlacement `json:"failedPlacements,omitempty"`

	// DriftedPlacements are resources that were changed on the member, at most
	// 100.
	//
	// +optional
	// +kubebuilder:validation:MaxItems=100
	DriftedPlacements []DriftedResourcePlacement `json:"driftedPlacements,omitempty"`

	// DiffedPlacements are resources that differ from the hub's, at most 100.
	//
	// +optional
	// +kubebuilder:validation:MaxItems=100
	DiffedPlacements []DiffedResourcePlacement `json:"diffedPlacements,omitempty"`

	// Conditions are Scheduled and those of the binding, with the placement's
	// observedGeneration.
	//
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
