package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Group is the API group of every kind in this package.
const Group = "placement.kubernetes-fleet.io"

// Version is the version of every kind in this package and the one hubs store.
const Version = "v1beta1"

// VersionV1 is the second version that hubs serve most of these kinds in
// (docs/kubefleet.md#kinds). It is read and written only where v1beta1 is not
// served.
const VersionV1 = "v1"

// GroupVersion is the group and version that AddToScheme registers.
var GroupVersion = schema.GroupVersion{Group: Group, Version: Version}

// Kinds of this group, as they stand in an object's kind field.
const (
	KindClusterStagedUpdateRun          = "ClusterStagedUpdateRun"
	KindStagedUpdateRun                 = "StagedUpdateRun"
	KindClusterStagedUpdateStrategy     = "ClusterStagedUpdateStrategy"
	KindStagedUpdateStrategy            = "StagedUpdateStrategy"
	KindClusterApprovalRequest          = "ClusterApprovalRequest"
	KindApprovalRequest                 = "ApprovalRequest"
	KindClusterResourcePlacement        = "ClusterResourcePlacement"
	KindResourcePlacement               = "ResourcePlacement"
	KindClusterResourceBinding          = "ClusterResourceBinding"
	KindResourceBinding                 = "ResourceBinding"
	KindClusterResourceSnapshot         = "ClusterResourceSnapshot"
	KindResourceSnapshot                = "ResourceSnapshot"
	KindClusterSchedulingPolicySnapshot = "ClusterSchedulingPolicySnapshot"
	KindSchedulingPolicySnapshot        = "SchedulingPolicySnapshot"
	KindClusterResourceOverrideSnapshot = "ClusterResourceOverrideSnapshot"
	KindResourceOverrideSnapshot        = "ResourceOverrideSnapshot"
	KindWork                            = "Work"
)

// Resources of this group: the plural names that stand in a request's path.
const (
	ResourceClusterStagedUpdateRuns          = "clusterstagedupdateruns"
	ResourceStagedUpdateRuns                 = "stagedupdateruns"
	ResourceClusterStagedUpdateStrategies    = "clusterstagedupdatestrategies"
	ResourceStagedUpdateStrategies           = "stagedupdatestrategies"
	ResourceClusterApprovalRequests          = "clusterapprovalrequests"
	ResourceApprovalRequests                 = "approvalrequests"
	ResourceClusterResourcePlacements        = "clusterresourceplacements"
	ResourceResourcePlacements               = "resourceplacements"
	ResourceClusterResourceBindings          = "clusterresourcebindings"
	ResourceResourceBindings                 = "resourcebindings"
	ResourceClusterResourceSnapshots         = "clusterresourcesnapshots"
	ResourceResourceSnapshots                = "resourcesnapshots"
	ResourceClusterSchedulingPolicySnapshots = "clusterschedulingpolicysnapshots"
	ResourceSchedulingPolicySnapshots        = "schedulingpolicysnapshots"
	ResourceClusterResourceOverrideSnapshots = "clusterresourceoverridesnapshots"
	ResourceResourceOverrideSnapshots        = "resourceoverridesnapshots"
	ResourceWorks                            = "works"
)

// AddToScheme registers every kind of this package, and its list, with the
// scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion,
		&ClusterStagedUpdateRun{}, &ClusterStagedUpdateRunList{},
		&StagedUpdateRun{}, &StagedUpdateRunList{},
		&ClusterStagedUpdateStrategy{}, &ClusterStagedUpdateStrategyList{},
		&StagedUpdateStrategy{}, &StagedUpdateStrategyList{},
		&ClusterApprovalRequest{}, &ClusterApprovalRequestList{},
		&ApprovalRequest{}, &ApprovalRequestList{},
		&ClusterResourcePlacement{}, &ClusterResourcePlacementList{},
		&ResourcePlacement{}, &ResourcePlacementList{},
		&ClusterResourceBinding{}, &ClusterResourceBindingList{},
		&ResourceBinding{}, &ResourceBindingList{},
		&ClusterResourceSnapshot{}, &ClusterResourceSnapshotList{},
		&ResourceSnapshot{}, &ResourceSnapshotList{},
		&ClusterSchedulingPolicySnapshot{}, &ClusterSchedulingPolicySnapshotList{},
		&SchedulingPolicySnapshot{}, &SchedulingPolicySnapshotList{},
		&ClusterResourceOverrideSnapshot{}, &ClusterResourceOverrideSnapshotList{},
		&ResourceOverrideSnapshot{}, &ResourceOverrideSnapshotList{},
		&Work{}, &WorkList{},
	)
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
