package v1beta1

// ApplyStrategy is how the resources are applied on a member cluster.
type ApplyStrategy struct {
	// ComparisonOption is which differences between hub and member count.
	//
	// +optional
	// +kubebuilder:default=PartialComparison
	// +kubebuilder:validation:Enum=PartialComparison;FullComparison
	ComparisonOption ComparisonOption `json:"comparisonOption,omitempty"`

	// WhenToApply is whether a resource that drifted on the member is
	// overwritten.
	//
	// +optional
	// +kubebuilder:default=Always
	// +kubebuilder:validation:Enum=Always;IfNotDrifted
	WhenToApply WhenToApply `json:"whenToApply,omitempty"`

	// Type is the way of applying, or ReportDiff, which applies nothing.
	//
	// +optional
	// +kubebuilder:default=ClientSideApply
	// +kubebuilder:validation:Enum=ClientSideApply;ServerSideApply;ReportDiff
	Type ApplyStrategyType `json:"type,omitempty"`

	// AllowCoOwnership lets Fleet share a resource with other owners.
	//
	// +optional
	AllowCoOwnership bool `json:"allowCoOwnership,omitempty"`

	// ServerSideApplyConfig is read when Type is ServerSideApply.
	//
	// +optional
	ServerSideApplyConfig *ServerSideApplyConfig `json:"serverSideApplyConfig,omitempty"`

	// WhenToTakeOver is whether a resource that already exists on the member,
	// and is not Fleet's, is taken over.
	//
	// +optional
	// +kubebuilder:default=Always
	// +kubebuilder:validation:Enum=Always;IfNoDiff;Never
	WhenToTakeOver WhenToTakeOver `json:"whenToTakeOver,omitempty"`
}

// ComparisonOption is which differences between hub and member count.
type ComparisonOption string

// The comparison options.
const (
	// ComparePartial looks at the fields that the hub's manifest sets.
	ComparePartial ComparisonOption = "PartialComparison"
	// CompareFull looks at all fields.
	CompareFull ComparisonOption = "FullComparison"
)

// WhenToApply is whether a drifted resource is overwritten.
type WhenToApply string

// The answers to drift.
const (
	// ApplyAlways overwrites what drifted.
	ApplyAlways WhenToApply = "Always"
	// ApplyIfNotDrifted leaves what drifted and reports it as failed.
	ApplyIfNotDrifted WhenToApply = "IfNotDrifted"
)

// ApplyStrategyType is the way of applying.
type ApplyStrategyType string

// The ways of applying.
const (
	// ApplyClientSide is a three-way merge patch made by the member's agent.
	ApplyClientSide ApplyStrategyType = "ClientSideApply"
	// ApplyServerSide is a server-side apply on the member.
	ApplyServerSide ApplyStrategyType = "ServerSideApply"
	// ApplyReportDiff applies nothing and reports the differences.
	ApplyReportDiff ApplyStrategyType = "ReportDiff"
)

// WhenToTakeOver is whether existing foreign resources are taken over.
type WhenToTakeOver string

// The answers to an existing resource.
const (
	// TakeOverAlways takes it over.
	TakeOverAlways WhenToTakeOver = "Always"
	// TakeOverIfNoDiff takes it over when it is as the hub wants it.
	TakeOverIfNoDiff WhenToTakeOver = "IfNoDiff"
	// TakeOverNever leaves it and reports it as failed.
	TakeOverNever WhenToTakeOver = "Never"
)

// ServerSideApplyConfig tunes ServerSideApply.
type ServerSideApplyConfig struct {
	// Force takes fields over from other managers.
	//
	// +optional
	Force bool `json:"force"`
}
