package drive

import (
	"fmt"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"k8s.io/apimachinery/pkg/labels"
)

// Labels, annotations and names (facts 2).
const (
	labelPlacement   = "kubernetes-fleet.io/parent-CRP"
	labelLatest      = "kubernetes-fleet.io/is-latest-snapshot"
	labelIndex       = "kubernetes-fleet.io/resource-index"
	labelPolicyIndex = "kubernetes-fleet.io/policy-index"
	labelRun         = "kubernetes-fleet.io/targetUpdateRun"
	labelStage       = "kubernetes-fleet.io/targetUpdatingStage"
	labelTask        = "kubernetes-fleet.io/taskType"
	labelLatestRun   = "kubernetes-fleet.io/isLatestUpdateRunApproval"

	annotationHash      = "kubernetes-fleet.io/resource-hash"
	annotationCount     = "kubernetes-fleet.io/number-of-resource-snapshots"
	annotationEnvelopes = "kubernetes-fleet.io/number-of-enveloped-object"
	annotationSubindex  = "kubernetes-fleet.io/subindex-of-resource-snapshot"
	annotationClusters  = "kubernetes-fleet.io/number-of-clusters"

	taskBefore = "beforeStage"
	taskAfter  = "afterStage"

	yes = "true"
	no  = "false"
)

// DeletionStage is the name of the stage that removes bindings which the
// placement no longer wants (facts 2).
const DeletionStage = "kubernetes-fleet.io/deleteStage"

// ApprovalName returns the name of the approval request of a stage's before
// or after task.
func ApprovalName(run, stage string, before bool) string {
	if before {
		return fmt.Sprintf("%s-before-%s", run, stage)
	}
	return fmt.Sprintf("%s-after-%s", run, stage)
}

// MasterName returns the name of the master resource snapshot of an index.
func MasterName(placementName string, index int) string {
	return fmt.Sprintf("%s-%d-snapshot", placementName, index)
}

// PartName returns the name of a further part of a resource snapshot group.
func PartName(placementName string, index, part int) string {
	return fmt.Sprintf("%s-%d-%d", placementName, index, part)
}

// key prints namespace/name, with an empty namespace for cluster scope.
func key(namespace, name string) string { return namespace + "/" + name }

// objectName prints a name, after its namespace if it has one.
func objectName(o Object) string {
	if o.GetNamespace() == "" {
		return o.GetName()
	}
	return key(o.GetNamespace(), o.GetName())
}

func approvalsOf(run string) labels.Selector {
	return labels.SelectorFromSet(labels.Set{labelRun: run})
}

// owned reports whether an object belongs to the run's placement.
func (p *pass) owned(o Object) bool {
	return o.GetNamespace() == p.run.Namespace && o.GetLabels()[labelPlacement] == p.run.Spec.PlacementName
}

// placementKey is how messages write the run's placement.
func (p *pass) placementKey() string { return key(p.run.Namespace, p.run.Spec.PlacementName) }

// applyDefaults returns the apply strategy of a placement with the values
// that upstream's webhook-less defaulting fills in (facts 1.1).
func applyDefaults(spec *placement.PlacementSpec) *placement.ApplyStrategy {
	apply := spec.Strategy.ApplyStrategy.DeepCopy()
	if apply == nil {
		apply = &placement.ApplyStrategy{}
	}
	if apply.Type == "" {
		apply.Type = placement.ApplyClientSide
	}
	if apply.ComparisonOption == "" {
		apply.ComparisonOption = placement.ComparePartial
	}
	if apply.WhenToApply == "" {
		apply.WhenToApply = placement.ApplyAlways
	}
	if apply.WhenToTakeOver == "" {
		apply.WhenToTakeOver = placement.TakeOverAlways
	}
	if apply.Type == placement.ApplyServerSide && apply.ServerSideApplyConfig == nil {
		apply.ServerSideApplyConfig = &placement.ServerSideApplyConfig{}
	}
	return apply
}
