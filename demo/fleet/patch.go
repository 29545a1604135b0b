package fleet

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// overridden applies the override snapshots that the binding names to the
// manifests, and tells whether there were any.
func (g *generator) overridden(b *placement.ResourceBinding, contents []placement.ResourceContent) ([]placement.ResourceContent, bool, error) {
	var rules []patchRule
	for _, name := range b.Spec.ClusterResourceOverrideSnapshots {
		s := g.world.clusterOverrides.get(key{Name: name})
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
		s := g.world.overrides.get(key{Namespace: name.Namespace, Name: name.Name})
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

func (r patchRule) selects(m manifest) bool {
	group, version := m.groupVersion()
	return r.target.Group == group && r.target.Version == version && r.target.Kind == m.Kind &&
		r.target.Name == m.Metadata.Name && r.namespace == m.Metadata.Namespace
}

func (g *generator) patched(cluster string, content placement.ResourceContent, rules []patchRule) (placement.ResourceContent, error) {
	m, err := parseManifest(content)
	if err != nil {
		return content, err
	}
	var object any
	for _, rule := range rules {
		if !rule.selects(m) || rule.policy == nil {
			continue
		}
		for _, o := range rule.policy.OverrideRules {
			if !g.selectsCluster(o.ClusterSelector, cluster) {
				continue
			}
			if object == nil {
				if err := json.Unmarshal(content.Raw, &object); err != nil {
					return content, fmt.Errorf("decode manifest: %w", err)
				}
			}
			for _, p := range o.JSONPatchOverrides {
				if object, err = applyPatch(object, p); err != nil {
					return content, err
				}
			}
		}
	}
	if object == nil {
		return content, nil
	}
	raw, err := json.Marshal(object)
	if err != nil {
		return content, fmt.Errorf("encode manifest: %w", err)
	}
	return placement.ResourceContent{RawExtension: runtime.RawExtension{Raw: raw}}, nil
}

// applyPatch does one operation of a JSON patch.
func applyPatch(object any, p placement.JSONPatchOverride) (any, error) {
	var value any
	if p.Op != "remove" {
		if err := json.Unmarshal(p.Value, &value); err != nil {
			return nil, fmt.Errorf("decode value of %s: %w", p.Path, err)
		}
	}
	steps := strings.Split(strings.TrimPrefix(p.Path, "/"), "/")
	return patchAt(object, steps, p.Op, value)
}

func patchAt(object any, steps []string, op string, value any) (any, error) {
	step := strings.NewReplacer("~1", "/", "~0", "~").Replace(steps[0])
	last := len(steps) == 1
	switch at := object.(type) {
	case map[string]any:
		inner, has := at[step]
		switch {
		case !has && (!last || op != "add"):
			return nil, fmt.Errorf("doc is missing path: %s", step)
		case !last:
			next, err := patchAt(inner, steps[1:], op, value)
			if err != nil {
				return nil, err
			}
			at[step] = next
		case op == "remove":
			delete(at, step)
		default:
			at[step] = value
		}
		return at, nil
	case []any:
		i, err := strconv.Atoi(step)
		if step == "-" {
			i, err = len(at), nil
		}
		switch {
		case err != nil || i < 0 || i > len(at) || i == len(at) && (!last || op != "add"):
			return nil, fmt.Errorf("doc is missing path: %s", step)
		case !last:
			next, err := patchAt(at[i], steps[1:], op, value)
			if err != nil {
				return nil, err
			}
			at[i] = next
			return at, nil
		case op == "add":
			return append(at[:i:i], append([]any{value}, at[i:]...)...), nil
		case op == "remove":
			return append(at[:i:i], at[i+1:]...), nil
		default:
			at[i] = value
			return at, nil
		}
	default:
		return nil, fmt.Errorf("doc is missing path: %s", step)
	}
}
