package works

import (
	"encoding/json"
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/runtime"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/store"
)

// overridden applies the override snapshots that the binding names to the
// manifests, and reports whether there were any.
func (g *Generator) overridden(b *placement.ResourceBinding, contents []placement.ResourceContent) ([]placement.ResourceContent, bool, error) {
	var rules []patchRule
	for _, name := range b.Spec.ClusterResourceOverrideSnapshots {
		s := g.world.ClusterOverrides.Get(store.Key{Name: name})
		if s == nil {
			return nil, false, fmt.Errorf("clusterResourceOverrideSnapshot %s is not found", name)
		}
		for _, selector := range s.Spec.OverrideSpec.ClusterResourceSelectors {
			rules = append(rules, patchRule{
				target: placement.ResourceSelector{Group: selector.Group, Version: selector.Version, Kind: selector.Kind, Name: selector.Name},
				policy: s.Spec.OverrideSpec.Policy,
			})
		}
	}
	for _, name := range b.Spec.ResourceOverrideSnapshots {
		s := g.world.Overrides.Get(store.Key{Namespace: name.Namespace, Name: name.Name})
		if s == nil {
			return nil, false, fmt.Errorf("resourceOverrideSnapshot %s/%s is not found", name.Namespace, name.Name)
		}
		for _, selector := range s.Spec.OverrideSpec.ResourceSelectors {
			rules = append(rules, patchRule{target: selector, namespace: name.Namespace, policy: s.Spec.OverrideSpec.Policy})
		}
	}
	if len(rules) == 0 {
		return contents, false, nil
	}
	patched := make([]placement.ResourceContent, 0, len(contents))
	for _, content := range contents {
		next, err := g.patched(b.Spec.TargetCluster, content, rules)
		if err != nil {
			return nil, true, err
		}
		patched = append(patched, next)
	}
	return patched, true, nil
}

// patchRule is one selected resource of an override.
type patchRule struct {
	target    placement.ResourceSelector
	namespace string
	policy    *placement.OverridePolicy
}

func (r patchRule) selects(m Manifest) bool {
	group, version := m.groupVersion()
	return r.target.Group == group && r.target.Version == version && r.target.Kind == m.Kind &&
		r.target.Name == m.Metadata.Name && r.namespace == m.Metadata.Namespace
}

func (g *Generator) patched(cluster string, content placement.ResourceContent, rules []patchRule) (placement.ResourceContent, error) {
	m, err := ParseManifest(content)
	if err != nil {
		return content, err
	}
	for _, rule := range rules {
		if !rule.selects(m) || rule.policy == nil {
			continue
		}
		for _, o := range rule.policy.OverrideRules {
			if !g.selectsCluster(o.ClusterSelector, cluster) {
				continue
			}
			if content, err = applyPatch(content, o.JSONPatchOverrides); err != nil {
				return content, err
			}
		}
	}
	return content, nil
}

// applyPatch applies a JSON patch to a manifest.
func applyPatch(content placement.ResourceContent, operations []placement.JSONPatchOverride) (placement.ResourceContent, error) {
	for _, o := range operations {
		if o.Op == "replace" {
			// RFC 6902 and upstream's version of the library require the target of
			// a replace operation; this version adds a missing key.
			remove := placement.JSONPatchOverride{Op: "remove", Path: o.Path}
			if _, err := applyOperation(content.Raw, remove); err != nil {
				return content, fmt.Errorf("replace operation does not apply: doc is missing path: %q: %w", o.Path, jsonpatch.ErrMissing)
			}
		}
		raw, err := applyOperation(content.Raw, o)
		if err != nil {
			return content, err
		}
		content = placement.ResourceContent{RawExtension: runtime.RawExtension{Raw: raw}}
	}
	return content, nil
}

func applyOperation(manifest []byte, o placement.JSONPatchOverride) ([]byte, error) {
	raw, err := json.Marshal([]placement.JSONPatchOverride{o})
	if err != nil {
		return nil, fmt.Errorf("encode patch: %w", err)
	}
	patch, err := jsonpatch.DecodePatch(raw)
	if err != nil {
		return nil, fmt.Errorf("decode patch: %w", err)
	}
	return patch.Apply(manifest)
}
