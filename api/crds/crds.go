// Package crds holds the CustomResourceDefinitions that are generated from the
// Go types of api/placement and api/cluster, one file per kind. Versions, rules
// and columns are those that a real hub serves (docs/kubefleet.md#kinds),
// without v1alpha1.
package crds

import (
	"embed"
	"fmt"
)

// FS has one YAML file per CustomResourceDefinition, named GROUP_PLURAL.yaml.
//
//go:embed *.yaml
var FS embed.FS

// All returns the YAML of every CustomResourceDefinition, in the order of their
// file names.
func All() ([][]byte, error) {
	entries, err := FS.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("list CRDs: %w", err)
	}
	all := make([][]byte, 0, len(entries))
	for _, entry := range entries {
		crd, err := FS.ReadFile(entry.Name())
		if err != nil {
			return nil, fmt.Errorf("read CRD: %w", err)
		}
		all = append(all, crd)
	}
	return all, nil
}
