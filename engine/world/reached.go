package world

import (
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// HasReached reports whether a set is known up to a resourceVersion of another one: API servers
// count the changes of all custom resources together. It reports false if that cannot be told.
func (w *World) HasReached(key CoverKey, version string) bool {
	order, err := resourceversion.CompareResourceVersion(w.Reached[key], version)
	return err == nil && order >= 0
}
