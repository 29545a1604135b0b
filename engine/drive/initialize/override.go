package initialize

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// RecordOverrides records for each cluster the override snapshots that match a
// resource of the snapshot and select the cluster. Every error here is final,
// also a transient one, except that the kinds of the hub could not be read:
// upstream knows them from its start on.
func (p *Initializer) RecordOverrides(group []*placement.ResourceSnapshot, master *placement.ResourceSnapshot) error {
	if err := p.In.Failed.Overrides; err != nil {
		return pass.InvalidError(pass.ServerError(err))
	}
	clusterWide, namespaced := latestOf(p.In.ClusterOverrides), latestOf(p.In.Overrides)
	if len(clusterWide) == 0 && len(namespaced) == 0 {
		return nil
	}
	if err := p.complete(master); err != nil {
		return pass.InvalidError(err)
	}
	if err := p.In.Failed.Kinds; err != nil {
		return pass.ServerError(err)
	}
	t, err := p.targets(group)
	if err != nil {
		return pass.InvalidError(err)
	}
	clusterWide = slices.DeleteFunc(clusterWide, func(o *placement.ClusterResourceOverrideSnapshot) bool { return !p.touchesCluster(o, t) })
	namespaced = slices.DeleteFunc(namespaced, func(o *placement.ResourceOverrideSnapshot) bool { return !p.touches(o, t) })
	if len(clusterWide) == 0 && len(namespaced) == 0 {
		return nil
	}
	members := make(map[string]*cluster.MemberCluster, len(p.In.Members))
	for _, m := range p.In.Members {
		members[m.Name] = m
	}
	for i := range p.Status().StagesStatus {
		for j := range p.Status().StagesStatus[i].Clusters {
			c := &p.Status().StagesStatus[i].Clusters[j]
			if err := pickOverrides(c, members[c.ClusterName], clusterWide, namespaced); err != nil {
				return pass.InvalidError(err)
			}
		}
	}
	return nil
}

// latestOf returns the override snapshots labelled latest, by namespace and
// name.
func latestOf[T pass.Object](snapshots []T) []T {
	var latest []T
	for _, s := range snapshots {
		if s.GetLabels()[placement.LabelIsLatestSnapshot] == pass.LabelTrue {
			latest = append(latest, s)
		}
	}
	slices.SortFunc(latest, func(a, b T) int {
		return cmp.Or(strings.Compare(a.GetNamespace(), b.GetNamespace()), strings.Compare(a.GetName(), b.GetName()))
	})
	return latest
}

// complete checks that the cache has all objects of the master's group. Objects
// that this very pass created are not in it yet. Upstream looks the parts of a
// namespaced group up under a wrong key and never finds them (upstream:
// controller.FetchAllResourceSnapshotsAlongWithMaster).
func (p *Initializer) complete(master *placement.ResourceSnapshot) error {
	of := p.Run.Spec.PlacementName
	if p.Run.Namespace != "" {
		of = p.PlacementKey()
	}
	total, err := strconv.Atoi(master.Annotations[placement.AnnotationNumberOfResourceSnapshots])
	if err != nil || total < 1 {
		return pass.UnexpectedError("master resource snapshot %s for placement %s has an invalid snapshot count %d or err %w", master.Name, of, total, orNil(err))
	}
	found := 1
	if p.Run.Namespace == "" {
		for _, s := range p.group(master.Labels[placement.LabelResourceIndex]) {
			if s.Name != master.Name {
				found++
			}
		}
	}
	if total > 1 && found != total {
		return fmt.Errorf("%w: not all resource snapshot in the same index group are created: resource snapshots are still being created for the masterResourceSnapshot %s, total snapshot in the index group = %d, num Of existing snapshot in the group= %d, placement = %s",
			pass.ErrExpected, master.Name, total, found, of)
	}
	return nil
}

// target is a resource as an override names it.
type target struct {
	kind            schema.GroupVersionKind
	namespace, name string
}

// targets lists what overrides can name of a snapshot: its resources, those
// inside envelopes, and the namespaces they live in.
func (p *Initializer) targets(group []*placement.ResourceSnapshot) (map[target]bool, error) {
	clusterScoped := map[schema.GroupVersionKind]bool{}
	for _, k := range p.In.Kinds {
		clusterScoped[k.GroupVersionKind] = !k.Namespaced && k.Preferred
	}
	all := map[target]bool{}
	add := func(u *unstructured.Unstructured, namespace string) {
		kind := u.GroupVersionKind()
		if clusterScoped[kind] {
			all[target{kind, "", u.GetName()}] = true
			return
		}
		all[target{namespaceKind, "", namespace}] = true
		all[target{kind, namespace, u.GetName()}] = true
	}
	for _, s := range group {
		for i := range s.Spec.SelectedResources {
			u, err := decode(s.Spec.SelectedResources[i].Raw)
			if err != nil {
				return nil, pass.UnexpectedError("read a resource of snapshot `%s`: %w", pass.ObjectName(s), err)
			}
			add(u, u.GetNamespace())
			wrapped, err := unwrap(u)
			if err != nil {
				return nil, pass.UnexpectedError("read an envelope of snapshot `%s`: %w", pass.ObjectName(s), err)
			}
			for _, w := range wrapped {
				add(w, cmp.Or(w.GetNamespace(), u.GetNamespace()))
			}
		}
	}
	return all, nil
}

func decode(raw []byte) (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	return u, u.UnmarshalJSON(raw)
}

// unwrap returns the manifests inside an envelope, nothing for other objects.
func unwrap(u *unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	r := resource{kind: u.GroupVersionKind()}
	if !r.envelope() {
		return nil, nil
	}
	data, _, err := unstructured.NestedMap(u.Object, "data")
	if err != nil {
		return nil, err
	}
	var wrapped []*unstructured.Unstructured
	for _, manifest := range data {
		raw, err := json.Marshal(manifest)
		if err != nil {
			return nil, err
		}
		w, err := decode(raw)
		if err != nil {
			return nil, err
		}
		wrapped = append(wrapped, w)
	}
	return wrapped, nil
}

// named reports whether an override is for this run's placement. The
// placement's namespace is not looked at: an override for a namespaced
// placement never matches, one for a cluster-scoped placement of the same name
// does (docs/kubefleet.md#quirks, 7.6).
func (p *Initializer) named(ref *placement.PlacementRef) bool {
	return ref == nil || (ref.Scope != placement.ScopeNamespaced && ref.Name == p.Run.Spec.PlacementName)
}

func (p *Initializer) touchesCluster(o *placement.ClusterResourceOverrideSnapshot, all map[target]bool) bool {
	spec := &o.Spec.OverrideSpec
	return p.named(spec.Placement) && slices.ContainsFunc(spec.ClusterResourceSelectors, func(t placement.ResourceSelectorTerm) bool {
		return all[target{kindOf(&t), "", t.Name}]
	})
}

func (p *Initializer) touches(o *placement.ResourceOverrideSnapshot, all map[target]bool) bool {
	spec := &o.Spec.OverrideSpec
	return p.named(spec.Placement) && slices.ContainsFunc(spec.ResourceSelectors, func(t placement.ResourceSelector) bool {
		return all[target{schema.GroupVersionKind{Group: t.Group, Version: t.Version, Kind: t.Kind}, o.Namespace, t.Name}]
	})
}

// pickOverrides records the overrides that have a rule for the cluster. Both
// lists become non-nil, as upstream's do until the status was read back.
func pickOverrides(c *placement.ClusterStatus, m *cluster.MemberCluster, clusterWide []*placement.ClusterResourceOverrideSnapshot, namespaced []*placement.ResourceOverrideSnapshot) error {
	c.ClusterResourceOverrideSnapshots = []string{}
	c.ResourceOverrideSnapshots = []placement.NamespacedName{}
	for _, o := range clusterWide {
		match, err := selects(o.Spec.OverrideSpec.Policy, m)
		if err != nil {
			return err
		}
		if match {
			c.ClusterResourceOverrideSnapshots = append(c.ClusterResourceOverrideSnapshots, o.Name)
		}
	}
	for _, o := range namespaced {
		match, err := selects(o.Spec.OverrideSpec.Policy, m)
		if err != nil {
			return err
		}
		if match {
			c.ResourceOverrideSnapshots = append(c.ResourceOverrideSnapshots, placement.NamespacedName{Name: o.Name, Namespace: o.Namespace})
		}
	}
	return nil
}

// selects reports whether a rule of the policy applies to the cluster: one
// without a selector applies to none, one with no terms to all.
func selects(policy *placement.OverridePolicy, m *cluster.MemberCluster) (bool, error) {
	if policy == nil {
		return false, nil
	}
	for _, rule := range policy.OverrideRules {
		if rule.ClusterSelector == nil {
			continue
		}
		terms := rule.ClusterSelector.ClusterSelectorTerms
		if len(terms) == 0 {
			return true, nil
		}
		for _, term := range terms {
			selector, err := metav1.LabelSelectorAsSelector(term.LabelSelector)
			if err != nil {
				return false, pass.UnexpectedError("invalid cluster label selector %v: %w", term.LabelSelector, err)
			}
			if selector.Matches(labels.Set(m.Labels)) {
				return true, nil
			}
		}
	}
	return false, nil
}
