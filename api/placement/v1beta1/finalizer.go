package v1beta1

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ForeignFinalizers returns the finalizers that neither KubeFleet nor Kubernetes sets.
func ForeignFinalizers(finalizers []string) []string {
	return slices.DeleteFunc(slices.Clone(finalizers), func(f string) bool {
		return strings.HasPrefix(f, Prefix) || f == metav1.FinalizerDeleteDependents || f == metav1.FinalizerOrphanDependents
	})
}
