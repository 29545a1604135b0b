package v1beta1

import (
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PlacementType is how a policy picks clusters.
//
// +kubebuilder:validation:Enum=PickAll;PickN;PickFixed
type PlacementType string

// The placement types.
const (
	// PickAll picks every cluster that qualifies.
	PickAll PlacementType = "PickAll"
	// PickN picks a number of clusters that qualify.
	PickN PlacementType = "PickN"
	// PickFixed picks clusters by name.
	PickFixed PlacementType = "PickFixed"
)

// PlacementPolicy is how clusters are picked.
type PlacementPolicy struct {
	// PlacementType is immutable in a placement.
	//
	// +optional
	// +kubebuilder:default=PickAll
	PlacementType PlacementType `json:"placementType,omitempty"`

	// ClusterNames are the clusters of PickFixed.
	//
	// +optional
	// +kubebuilder:validation:MaxItems=100
	ClusterNames []string `json:"clusterNames,omitempty"`

	// NumberOfClusters is the N of PickN.
	//
	// +optional
	// +kubebuilder:validation:Minimum=0
	NumberOfClusters *int32 `json:"numberOfClusters,omitempty"`

	// Affinity narrows and ranks the clusters that qualify.
	//
	// +optional
	Affinity *Affinity `json:"affinity,omitempty"`

	// TopologySpreadConstraints spread the clusters of PickN.
	//
	// +optional
	TopologySpreadConstraints []TopologySpreadConstraint `json:"topologySpreadConstraints,omitempty"`

	// Tolerations let tainted clusters qualify.
	//
	// +optional
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:XValidation:rule="self.all(x, x.operator != 'Exists' || !has(x.value) || size(x.value) == 0)",message="value must be empty when operator is Exists"
	// +kubebuilder:validation:XValidation:rule="self.all(x, (has(x.key) && size(x.key) > 0) || x.operator == 'Exists')",message="operator must be Exists when key is empty"
	Tolerations []Toleration `json:"tolerations,omitempty"`
}

// SelectsAs reports whether two policies select alike, apart from the number of clusters, which a
// policy snapshot has in an annotation. No policy is PickAll, as the hub defaults it.
func (p *PlacementPolicy) SelectsAs(other *PlacementPolicy) bool {
	countless := func(p *PlacementPolicy) *PlacementPolicy {
		if p == nil {
			return &PlacementPolicy{PlacementType: PickAll}
		}
		p = p.DeepCopy()
		p.NumberOfClusters = nil
		return p
	}
	return equality.Semantic.DeepEqual(countless(p), countless(other))
}

// Affinity narrows and ranks clusters.
type Affinity struct {
	// ClusterAffinity is the only kind of affinity there is.
	//
	// +optional
	ClusterAffinity *ClusterAffinity `json:"clusterAffinity,omitempty"`
}

// ClusterAffinity narrows and ranks clusters by their labels and properties.
type ClusterAffinity struct {
	// RequiredDuringSchedulingIgnoredDuringExecution narrows.
	//
	// +optional
	RequiredDuringSchedulingIgnoredDuringExecution *ClusterSelector `json:"requiredDuringSchedulingIgnoredDuringExecution,omitempty"`

	// PreferredDuringSchedulingIgnoredDuringExecution ranks.
	//
	// +optional
	PreferredDuringSchedulingIgnoredDuringExecution []PreferredClusterSelector `json:"preferredDuringSchedulingIgnoredDuringExecution,omitempty"`
}

// ClusterSelector selects the clusters that match any of its terms. In an
// override rule a nil selector selects none and one without terms all of them
// (docs/kubefleet.md#initialize, row 13).
type ClusterSelector struct {
	// ClusterSelectorTerms are alternatives.
	//
	// +kubebuilder:validation:MaxItems=10
	ClusterSelectorTerms []ClusterSelectorTerm `json:"clusterSelectorTerms"`
}

// ClusterSelectorTerm is met by a cluster that meets all of its parts.
type ClusterSelectorTerm struct {
	// LabelSelector looks at the MemberCluster's labels.
	//
	// +optional
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`

	// PropertySelector looks at the MemberCluster's properties.
	//
	// +optional
	PropertySelector *PropertySelector `json:"propertySelector,omitempty"`

	// PropertySorter ranks by a property.
	//
	// +optional
	PropertySorter *PropertySorter `json:"propertySorter,omitempty"`
}

// PropertySelector is met by a cluster that meets all of its expressions.
type PropertySelector struct {
	// MatchExpressions are all to be met.
	MatchExpressions []PropertySelectorRequirement `json:"matchExpressions"`
}

// PropertySelectorRequirement compares one cluster property with a value.
type PropertySelectorRequirement struct {
	// Name is the name of the property.
	Name string `json:"name"`

	// Operator is one of Gt, Ge, Eq, Ne, Lt, Le.
	Operator string `json:"operator"`

	// Values holds the one quantity to compare with.
	//
	// +kubebuilder:validation:MaxItems=1
	Values []string `json:"values"`
}

// PropertySorter ranks clusters by a property.
type PropertySorter struct {
	// Name is the name of the property.
	Name string `json:"name"`

	// SortOrder is which end is better.
	//
	// +kubebuilder:validation:Enum=Ascending;Descending
	SortOrder string `json:"sortOrder"`
}

// PreferredClusterSelector adds its weight to the clusters that meet it.
type PreferredClusterSelector struct {
	// Weight is added to the affinity score.
	//
	// +kubebuilder:validation:Minimum=-100
	// +kubebuilder:validation:Maximum=100
	Weight int32 `json:"weight"`

	// Preference is what a cluster has to meet.
	Preference ClusterSelectorTerm `json:"preference"`
}

// TopologySpreadConstraint spreads picked clusters over the values of a label.
type TopologySpreadConstraint struct {
	// MaxSkew is the largest difference between two values.
	//
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	MaxSkew *int32 `json:"maxSkew,omitempty"`

	// TopologyKey is the label of MemberClusters.
	TopologyKey string `json:"topologyKey"`

	// WhenUnsatisfiable is whether the constraint is hard.
	//
	// +optional
	// +kubebuilder:default=DoNotSchedule
	// +kubebuilder:validation:Enum=DoNotSchedule;ScheduleAnyway
	WhenUnsatisfiable string `json:"whenUnsatisfiable,omitempty"`
}

// Toleration lets clusters with a matching taint qualify.
type Toleration struct {
	// Key is the taint's key; empty, with operator Exists, means every taint.
	//
	// +optional
	Key string `json:"key,omitempty"`

	// Operator is how Value is compared.
	//
	// +optional
	// +kubebuilder:default=Equal
	// +kubebuilder:validation:Enum=Equal;Exists
	Operator string `json:"operator,omitempty"`

	// Value is the taint's value.
	//
	// +optional
	Value string `json:"value,omitempty"`

	// Effect is the taint's effect; empty means every effect.
	//
	// +optional
	// +kubebuilder:validation:Enum=NoSchedule
	Effect string `json:"effect,omitempty"`
}
