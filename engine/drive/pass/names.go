package pass

import (
	"k8s.io/apimachinery/pkg/labels"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// yes and no are the values of labels that say so.
const (
	LabelTrue  = "true"
	LabelFalse = "false"
)

// Key prints namespace/name, with an empty namespace for cluster scope.
func Key(namespace, name string) string { return namespace + "/" + name }

// ObjectName prints a name, after its namespace if it has one.
func ObjectName(o Object) string {
	if o.GetNamespace() == "" {
		return o.GetName()
	}
	return Key(o.GetNamespace(), o.GetName())
}

// ApprovalsOf selects the approval requests of a run.
func ApprovalsOf(run string) labels.Selector {
	return labels.SelectorFromSet(labels.Set{placement.LabelTargetUpdateRun: run})
}

// Owned reports whether an object belongs to the run's placement.
func (p *Pass) Owned(o Object) bool {
	return o.GetNamespace() == p.Run.Namespace && o.GetLabels()[placement.LabelParentPlacement] == p.Run.Spec.PlacementName
}

// PlacementKey is how messages write the run's placement.
func (p *Pass) PlacementKey() string { return Key(p.Run.Namespace, p.Run.Spec.PlacementName) }

// ApplyDefaults returns the apply strategy of a placement with the values that
// upstream's webhook-less defaulting fills in (docs/kubefleet.md#run).
func ApplyDefaults(spec *placement.PlacementSpec) *placement.ApplyStrategy {
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
