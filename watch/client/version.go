package client

import "k8s.io/apimachinery/pkg/util/resourceversion"

// Older reports whether a resourceVersion is older than another one. It reports false if
// they cannot be compared.
func Older(version, than string) bool {
	order, err := resourceversion.CompareResourceVersion(version, than)
	return err == nil && order < 0
}
