package v1beta1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MemberCluster is a cluster of the fleet. Its labels are what stages select
// and order by (docs/kubefleet.md#member).
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=cluster,categories={fleet,fleet-cluster}
// +kubebuilder:printcolumn:name="Joined",type=string,JSONPath=`.status.conditions[?(@.type=="Joined")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Member-Agent-Last-Seen",type=date,JSONPath=`.status.agentStatus[?(@.type=="MemberAgent")].lastReceivedHeartbeat`
// +kubebuilder:printcolumn:name="Node-Count",type=string,JSONPath=`.status.properties.kubernetes-fleet\.io/node-count.value`
// +kubebuilder:printcolumn:name="Available-CPU",type=string,JSONPath=`.status.resourceUsage.available.cpu`
// +kubebuilder:printcolumn:name="Available-Memory",type=string,JSONPath=`.status.resourceUsage.available.memory`
// +kubebuilder:printcolumn:name="Allocatable-CPU",type=string,priority=1,JSONPath=`.status.resourceUsage.allocatable.cpu`
// +kubebuilder:printcolumn:name="Allocatable-Memory",type=string,priority=1,JSONPath=`.status.resourceUsage.allocatable.memory`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) < 64",message="metadata.name max length is 63"
type MemberCluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec MemberClusterSpec `json:"spec"`
	// +optional
	Status MemberClusterStatus `json:"status,omitempty"`
}

// MemberClusterList is a list of MemberClusters.
//
// +kubebuilder:object:root=true
type MemberClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []MemberCluster `json:"items"`
}

// MemberClusterSpec is who the member's agent is and what the scheduler shall
// know.
type MemberClusterSpec struct {
	// Identity is the subject whose requests come from the member's agent.
	Identity Subject `json:"identity"`

	// HeartbeatPeriodSeconds is how often the agent reports.
	//
	// +optional
	// +kubebuilder:default=60
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=600
	HeartbeatPeriodSeconds int32 `json:"heartbeatPeriodSeconds,omitempty"`

	// Taints keep placements away that do not tolerate them.
	//
	// +optional
	// +kubebuilder:validation:MaxItems=100
	Taints []Taint `json:"taints,omitempty"`

	// DeleteOptions tunes the member's removal.
	//
	// +optional
	DeleteOptions *DeleteOptions `json:"deleteOptions,omitempty"`
}

// Subject names a user, group or service account, as RBAC does.
//
// +structType=atomic
type Subject struct {
	// Kind is User, Group or ServiceAccount.
	Kind string `json:"kind"`

	// APIGroup is rbac.authorization.k8s.io for users and groups.
	//
	// +optional
	APIGroup string `json:"apiGroup,omitempty"`

	// Name is the subject's name.
	Name string `json:"name"`

	// Namespace is that of a service account.
	//
	// +optional
	Namespace string `json:"namespace,omitempty"`
}

// Taint keeps placements away that do not tolerate it.
type Taint struct {
	// Key is the taint's key.
	Key string `json:"key"`

	// Value is the taint's value.
	//
	// +optional
	Value string `json:"value,omitempty"`

	// Effect is what the taint does.
	//
	// +kubebuilder:validation:Enum=NoSchedule
	Effect string `json:"effect"`
}

// DeleteOptions tunes a member's removal.
type DeleteOptions struct {
	// ValidationMode is whether the removal is checked first.
	//
	// +optional
	// +kubebuilder:default=Strict
	// +kubebuilder:validation:Enum=Skip;Strict
	ValidationMode string `json:"validationMode,omitempty"`
}

// MemberClusterStatus is what the member's agent reported.
type MemberClusterStatus struct {
	// Conditions has ReadyToJoin, Joined and those of the property provider.
	//
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// Properties are facts about the cluster that policies can ask for.
	//
	// +optional
	Properties map[string]PropertyValue `json:"properties,omitempty"`

	// Namespaces are the namespaces on the member that a ClusterResourcePlacement
	// made, with its name.
	//
	// +optional
	Namespaces map[string]string `json:"namespaces,omitempty"`

	// ResourceUsage is what the cluster has and what is free.
	//
	// +optional
	ResourceUsage ResourceUsage `json:"resourceUsage,omitempty"`

	// AgentStatus has an entry for each agent on the member.
	//
	// +optional
	AgentStatus []AgentStatus `json:"agentStatus,omitempty"`
}

// PropertyValue is a fact about a cluster.
type PropertyValue struct {
	// Value is a quantity, or text.
	Value string `json:"value"`

	// ObservationTime is when it was read.
	//
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=date-time
	ObservationTime metav1.Time `json:"observationTime"`
}

// ResourceUsage is what a cluster has and what is free, by resource name (cpu,
// memory).
type ResourceUsage struct {
	// Capacity is the sum over the nodes.
	//
	// +optional
	Capacity map[string]resource.Quantity `json:"capacity,omitempty"`

	// Allocatable is what pods can have.
	//
	// +optional
	Allocatable map[string]resource.Quantity `json:"allocatable,omitempty"`

	// Available is what pods have not asked for yet.
	//
	// +optional
	Available map[string]resource.Quantity `json:"available,omitempty"`

	// ObservationTime is when it was read.
	//
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=date-time
	ObservationTime *metav1.Time `json:"observationTime,omitempty"`
}

// AgentType is which agent reports.
type AgentType string

// The agents.
const (
	// AgentMember is the agent that applies Works.
	AgentMember AgentType = "MemberAgent"
	// AgentMultiClusterService is the networking agent for services.
	AgentMultiClusterService AgentType = "MultiClusterServiceAgent"
	// AgentServiceExportImport is the networking agent for exports.
	AgentServiceExportImport AgentType = "ServiceExportImportAgent"
)

// AgentStatus is what one agent reported.
type AgentStatus struct {
	// Type is which agent.
	Type AgentType `json:"type"`

	// Conditions has Joined and Healthy.
	//
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// LastReceivedHeartbeat is the hub's time of the last report.
	//
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=date-time
	LastReceivedHeartbeat *metav1.Time `json:"lastReceivedHeartbeat,omitempty"`
}
