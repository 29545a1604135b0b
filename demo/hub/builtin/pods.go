package builtin

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
)

func podKind() Kind {
	return Kind{
		gv: corev1.SchemeGroupVersion, kind: "Pod", resource: "pods", singular: "pod", shortNames: []string{"po"}, namespaced: true,
		Empty:     func() runtime.Object { return &corev1.Pod{} },
		EmptyList: func() runtime.Object { return &corev1.PodList{} },
		validName: validation.NameIsDNSSubdomain,
		prepare:   func(_, _ runtime.Object) {},
		fields:    fieldsOf(func(p *corev1.Pod) fields.Set { return fields.Set{"status.phase": string(p.Status.Phase)} }),
		table: newTable([]string{"Name", "Ready", "Status", "Restarts", "Age"}, func(p *corev1.Pod, name, age string) []any {
			ready, restarts := 0, int32(0)
			for i := range p.Status.ContainerStatuses {
				restarts += p.Status.ContainerStatuses[i].RestartCount
				if p.Status.ContainerStatuses[i].Ready {
					ready++
				}
			}
			return []any{name, fmt.Sprintf("%d/%d", ready, len(p.Spec.Containers)), string(p.Status.Phase), restarts, age}
		}),
	}
}
