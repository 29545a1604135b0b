// Command servedversions finishes the CRDs that controller-gen wrote. It adds
// v1 beside v1beta1 where a hub serves both; v1beta1 stays the version that is
// stored. One Go package holds one version, and a second package of the same
// types would only be there to be kept equal by hand.
//
// Usage: servedversions DIR. It rewrites every *.yaml in DIR, in place; a second
// run changes nothing.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"
)

// header tells readers of a CRD where it comes from.
const header = "# Generated from the Go types by `go generate ./api/...`. Do not edit.\n"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "servedversions:", err)
		os.Exit(1)
	}
}

// run finishes every CRD in the one directory that args name.
func run(args []string) error {
	if len(args) != 1 {
		return errors.New("want one argument: the directory of the CRDs")
	}
	files, err := filepath.Glob(filepath.Join(args[0], "*.yaml"))
	if err != nil {
		return fmt.Errorf("list CRDs: %w", err)
	}
	if len(files) == 0 {
		return fmt.Errorf("list CRDs in %s: %w", args[0], fs.ErrNotExist)
	}
	for _, file := range files {
		in, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("read CRD: %w", err)
		}
		out, err := finish(in)
		if err != nil {
			return fmt.Errorf("finish %s: %w", filepath.Base(file), err)
		}
		if err := os.WriteFile(file, out, 0o644); err != nil {
			return fmt.Errorf("write CRD: %w", err)
		}
	}
	return nil
}

// onlyV1beta1 has the plural names of the kinds that hubs do not serve in v1
// (docs/kubefleet.md#kinds).
var onlyV1beta1 = []string{"resourcebindings", "resourcesnapshots", "schedulingpolicysnapshots"}

// finish returns the CRD with all the versions that a hub serves.
func finish(in []byte) ([]byte, error) {
	var crd map[string]any
	if err := yaml.Unmarshal(in, &crd); err != nil {
		return nil, err
	}
	spec, err := object(crd, "spec")
	if err != nil {
		return nil, err
	}
	names, err := object(spec, "names")
	if err != nil {
		return nil, err
	}
	stored, err := version(spec, "v1beta1")
	if err != nil {
		return nil, err
	}
	versions := []any{stored}
	if plural, _ := names["plural"].(string); !slices.Contains(onlyV1beta1, plural) {
		v1, err := toV1(stored)
		if err != nil {
			return nil, err
		}
		versions = []any{v1, stored}
	}
	spec["versions"] = versions
	out, err := yaml.Marshal(crd)
	if err != nil {
		return nil, err
	}
	return append([]byte(header), out...), nil
}

// version returns the version of that name.
func version(spec map[string]any, name string) (map[string]any, error) {
	versions, _ := spec["versions"].([]any)
	for _, v := range versions {
		if v, ok := v.(map[string]any); ok && v["name"] == name {
			return v, nil
		}
	}
	return nil, fmt.Errorf("no version %s", name)
}

// toV1 returns a copy of a v1beta1 version as hubs have it in v1: served, not
// stored, and without what v1 does not have (docs/kubefleet.md#placement,
// #binding, #work).
func toV1(stored map[string]any) (map[string]any, error) {
	raw, err := yaml.Marshal(stored)
	if err != nil {
		return nil, err
	}
	var v1 map[string]any
	if err := yaml.Unmarshal(raw, &v1); err != nil {
		return nil, err
	}
	v1["name"], v1["storage"] = "v1", false
	narrow(v1)
	return v1, nil
}

// notInV1 has the names of the fields that v1 does not have. None of them is the
// name of another field that it does have.
var notInV1 = []string{
	"deleteStrategy", "reportBackStrategy", // placements and Works
	"backReportedStatus",          // Works
	"deleteOptions", "namespaces", // MemberClusters
}

// narrow walks a schema and takes out what v1 does not have.
func narrow(node any) {
	switch node := node.(type) {
	case []any:
		for _, n := range node {
			narrow(n)
		}
	case map[string]any:
		if properties, ok := node["properties"].(map[string]any); ok {
			maps.DeleteFunc(properties, func(name string, _ any) bool { return slices.Contains(notInV1, name) })
			narrowEnvelope(properties["envelope"])
		}
		for _, n := range node {
			narrow(n)
		}
	}
}

// narrowEnvelope takes the retired ConfigMap out of the envelope types.
func narrowEnvelope(envelope any) {
	schema, ok := envelope.(map[string]any)
	if !ok {
		return
	}
	properties, ok := schema["properties"].(map[string]any)
	if !ok {
		return
	}
	kind, ok := properties["type"].(map[string]any)
	if !ok {
		return
	}
	delete(kind, "default")
	enum, _ := kind["enum"].([]any)
	kind["enum"] = slices.DeleteFunc(enum, func(v any) bool { return v == "ConfigMap" })
}

// object returns the object under the key.
func object(in map[string]any, key string) (map[string]any, error) {
	out, ok := in[key].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("no object %q", key)
	}
	return out, nil
}
