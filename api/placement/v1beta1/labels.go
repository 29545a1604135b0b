package v1beta1

// Prefix begins every label, annotation and finalizer of Fleet
// (docs/kubefleet.md#names).
const Prefix = "kubernetes-fleet.io/"

// Labels (docs/kubefleet.md#names).
const (
	// LabelParentPlacement is on bindings, snapshots and Works. Its value is the
	// name of the placement, of either scope in spite of the label's name.
	LabelParentPlacement = Prefix + "parent-CRP"
	// LabelIsLatestSnapshot is "true" or "false" on master resource snapshots,
	// policy snapshots and override snapshots.
	LabelIsLatestSnapshot = Prefix + "is-latest-snapshot"
	// LabelResourceIndex is the index of a resource snapshot, master or part.
	LabelResourceIndex = Prefix + "resource-index"
	// LabelPolicyIndex is the index of a policy snapshot.
	LabelPolicyIndex = Prefix + "policy-index"
	// LabelTargetUpdateRun is the run of an approval request.
	LabelTargetUpdateRun = Prefix + "targetUpdateRun"
	// LabelTargetUpdatingStage is the stage of an approval request.
	LabelTargetUpdatingStage = Prefix + "targetUpdatingStage"
	// LabelTaskType is TaskBeforeStage or TaskAfterStage on an approval request.
	LabelTaskType = Prefix + "taskType"
	// LabelIsLatestUpdateRunApproval is always "true" on an approval request.
	LabelIsLatestUpdateRunApproval = Prefix + "isLatestUpdateRunApproval"
	// LabelParentBinding is the name of a Work's binding.
	LabelParentBinding = Prefix + "parent-resource-binding"
	// LabelParentPlacementNamespace is the namespace of a Work's
	// ResourcePlacement; Works of a ClusterResourcePlacement have none.
	LabelParentPlacementNamespace = Prefix + "parent-placement-namespace"
	// LabelParentResourceSnapshotIndex is the index that a Work carries.
	LabelParentResourceSnapshotIndex = Prefix + "parent-resource-snapshot-index"
	// LabelEnvelopeType is the envelope's type on the Work of an envelope.
	LabelEnvelopeType = Prefix + "envelope-work"
	// LabelEnvelopeName is the envelope's name on the Work of an envelope.
	LabelEnvelopeName = Prefix + "envelope-name"
	// LabelEnvelopeNamespace is the envelope's namespace on the Work of an
	// envelope.
	LabelEnvelopeNamespace = Prefix + "envelope-namespace"
	// LabelMemberName is a MemberCluster's own name; the hub adds it.
	LabelMemberName = Prefix + "member-name"
	// LabelIsFleetResource is "true" on what Fleet made for itself, such as
	// member namespaces.
	LabelIsFleetResource = Prefix + "is-fleet-resource"
)

// Values of LabelTaskType.
const (
	TaskBeforeStage = "beforeStage"
	TaskAfterStage  = "afterStage"
)

// Annotations (docs/kubefleet.md#names).
const (
	// AnnotationResourceHash is the hash of the selected resources, on a master
	// resource snapshot. It is what makes a snapshot the master of its index.
	AnnotationResourceHash = Prefix + "resource-hash"
	// AnnotationNumberOfResourceSnapshots is how many objects, master and parts,
	// the index has.
	AnnotationNumberOfResourceSnapshots = Prefix + "number-of-resource-snapshots"
	// AnnotationNumberOfEnvelopedObject is how many envelopes the index has.
	AnnotationNumberOfEnvelopedObject = Prefix + "number-of-enveloped-object"
	// AnnotationSubindex is the position of a part, from 0.
	AnnotationSubindex = Prefix + "subindex-of-resource-snapshot"
	// AnnotationNextCandidateDetectionTime is when a newer snapshot was first
	// wanted, on a master resource snapshot (docs/kubefleet.md#new-snapshot,
	// H).
	AnnotationNextCandidateDetectionTime = Prefix + "next-resource-snapshot-candidate-detection-time"
	// AnnotationNumberOfClusters is the N of a policy snapshot of type PickN.
	AnnotationNumberOfClusters = Prefix + "number-of-clusters"
	// AnnotationPlacementGeneration is the placement's generation on a policy
	// snapshot.
	AnnotationPlacementGeneration = Prefix + "CRP-generation"
	// AnnotationPreviousBindingState is what an unscheduled binding was before.
	AnnotationPreviousBindingState = Prefix + "previous-binding-state"
	// AnnotationParentResourceSnapshotName is the snapshot that a Work carries.
	AnnotationParentResourceSnapshotName = Prefix + "parent-resource-snapshot-name"
	// AnnotationParentResourceOverrideSnapshotHash is the hash of a Work's
	// namespaced override snapshots.
	AnnotationParentResourceOverrideSnapshotHash = Prefix + "parent-resource-override-snapshot-hash"
	// AnnotationParentClusterResourceOverrideSnapshotHash is the hash of a
	// Work's cluster-scoped override snapshots.
	AnnotationParentClusterResourceOverrideSnapshotHash = Prefix + "parent-cluster-resource-override-snapshot-hash"
)

// Finalizers (docs/kubefleet.md#names).
const (
	// FinalizerUpdateRun is on runs of both scopes.
	FinalizerUpdateRun = Prefix + "stagedupdaterun-finalizer"
	// FinalizerWork is on bindings and Works.
	FinalizerWork = Prefix + "work-cleanup"
	// FinalizerSchedulerBinding is on bindings.
	FinalizerSchedulerBinding = Prefix + "scheduler-crb-cleanup"
	// FinalizerPlacement is on placements of both scopes.
	FinalizerPlacement = Prefix + "crp-cleanup"
	// FinalizerSchedulerPlacement is on placements of both scopes.
	FinalizerSchedulerPlacement = Prefix + "scheduler-cleanup"
	// FinalizerMemberCluster is on MemberClusters.
	FinalizerMemberCluster = Prefix + "membercluster-finalizer"
	// FinalizerOverride is on overrides.
	FinalizerOverride = Prefix + "override-cleanup"
)

// FieldManagerUpdateRun is the field manager under which the update run
// controller adds its finalizer (docs/kubefleet.md#names).
const FieldManagerUpdateRun = "cluster-staged-update-run-controller"
