package works

import (
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// Source is what a Work is made of.
type Source struct {
	// index and snapshot are the resource-index and the name of the snapshot.
	Index, Snapshot string
	// part is the position of the snapshot among the parts of its index, as its
	// annotation has it; empty for the master.
	part      string
	Manifests []placement.ResourceContent
}

// NewWork is the Work that carries a snapshot to a binding's cluster
// (docs/kubefleet.md#work, #names).
func NewWork(b *placement.ResourceBinding, from Source) *placement.Work {
	parent := b.Labels[placement.LabelParentPlacement]
	name := placement.WorkName(b.Namespace, parent)
	if from.part != "" {
		name = placement.WorkBaseName(b.Namespace, parent) + "-" + from.part
	}
	work := &placement.Work{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: placement.MemberNamespace(b.Spec.TargetCluster),
			Name:      name,
			Labels: map[string]string{
				placement.LabelParentPlacement:             parent,
				placement.LabelParentBinding:               b.Name,
				placement.LabelParentResourceSnapshotIndex: from.Index,
			},
			Annotations: map[string]string{placement.AnnotationParentResourceSnapshotName: from.Snapshot},
			Finalizers:  []string{placement.FinalizerWork},
		},
		Spec: placement.WorkSpec{
			Workload:      placement.WorkloadTemplate{Manifests: from.Manifests},
			ApplyStrategy: b.Spec.ApplyStrategy,
		},
	}
	if b.Namespace != "" {
		work.Labels[placement.LabelParentPlacementNamespace] = b.Namespace
	}
	return work
}

func sameWork(have, want *placement.Work) bool {
	return reflect.DeepEqual(have.Labels, want.Labels) && reflect.DeepEqual(have.Annotations, want.Annotations) &&
		reflect.DeepEqual(have.Spec.ApplyStrategy, want.Spec.ApplyStrategy) &&
		slices.EqualFunc(have.Spec.Workload.Manifests, want.Spec.Workload.Manifests, SameContent)
}
