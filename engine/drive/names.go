package drive

import (
	"k8s.io/apimachinery/pkg/labels"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// yes and no are the values of labels that say so.
const (
	yes = "true"
	no  = "false"
)

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
	return labels.SelectorFromSet(labels.Set{placement.LabelTargetUpdateRun: run})
}

// owned reports whether an object belongs to the run's placement.
func (p *pass) owned(o Object) bool {
	return o.GetNamespace() == p.run.Namespace && o.GetLabels()[placement.LabelParentPlacement] == p.run.Spec.PlacementName
}

// placementKey is how messages write the run's placement.
func (p *pass) placementKey() string { return key(p.run.Namespace, p.run.Spec.PlacementName) }

// applyDefaults returns the apply strategy of a placement with the values that
// upstream's webhook-less defaulting fills in (docs/kubefleet.md#run).
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
