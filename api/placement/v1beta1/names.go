package v1beta1

import "strconv"

// DeletionStageName is the name of a run's deletion stage. No strategy can have
// a stage of this name.
const DeletionStageName = Prefix + "deleteStage"

// Variables that overrides can use: the name of the cluster, and the value of
// one of its labels with the label's key before the closing brace
// (docs/kubefleet.md#names).
const (
	OverrideClusterNameVariable        = "${MEMBER-CLUSTER-NAME}"
	OverrideClusterLabelVariablePrefix = "${MEMBER-CLUSTER-LABEL-KEY-"
)

// memberNamespacePrefix begins the namespace of a member on the hub.
const memberNamespacePrefix = "fleet-member-"

// BeforeApprovalName is the name of the approval request that a run makes before
// the stage.
func BeforeApprovalName(run, stage string) string { return run + "-before-" + stage }

// AfterApprovalName is the name of the approval request that a run makes after
// the stage.
func AfterApprovalName(run, stage string) string { return run + "-after-" + stage }

// MasterSnapshotName is the name of the master resource snapshot of an index, as
// bindings refer to it. The index is the text of LabelResourceIndex.
func MasterSnapshotName(placement, index string) string {
	return placement + "-" + index + "-snapshot"
}

// PartSnapshotName is the name of a further resource snapshot of an index; parts
// count from 0.
func PartSnapshotName(placement, index string, part int) string {
	return placement + "-" + index + "-" + strconv.Itoa(part)
}

// PolicySnapshotName is the name of a policy snapshot. The index is the text of
// LabelPolicyIndex.
func PolicySnapshotName(placement, index string) string { return placement + "-" + index }

// BindingName is the name of a binding. Placement and cluster are cut, so that
// the name tells neither for sure; suffix is 8 random hexadecimal digits.
func BindingName(placement, cluster, suffix string) string {
	return placement[:min(len(placement), 26)] + "-" + cluster[:min(len(cluster), 27)] + "-" + suffix
}

// WorkBaseName begins the names of a placement's Works in every member
// namespace. The namespace is empty for a ClusterResourcePlacement.
func WorkBaseName(namespace, placement string) string {
	if namespace == "" {
		return placement
	}
	return namespace + "." + placement
}

// WorkName is the name of the Work for a master resource snapshot.
func WorkName(namespace, placement string) string {
	return WorkBaseName(namespace, placement) + "-work"
}

// PartWorkName is the name of the Work for a part of a resource snapshot; parts
// count from 0.
func PartWorkName(namespace, placement string, part int) string {
	return WorkBaseName(namespace, placement) + "-" + strconv.Itoa(part)
}

// MemberNamespace is the namespace on the hub where a member's Works live.
func MemberNamespace(cluster string) string { return memberNamespacePrefix + cluster }
