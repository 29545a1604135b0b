package rollout

import (
	"maps"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// Kinds are the kinds of the hub in these tests.
var Kinds = []pass.Kind{
	{GroupVersionKind: GVK("", "v1", "Namespace"), Resource: "namespaces", Preferred: true},
	{GroupVersionKind: GVK("", "v1", "ConfigMap"), Resource: "configmaps", Namespaced: true, Preferred: true},
	{GroupVersionKind: GVK("", "v1", "Secret"), Resource: "secrets", Namespaced: true, Preferred: true},
	{GroupVersionKind: GVK("", "v1", "Service"), Resource: "services", Namespaced: true, Preferred: true},
	{GroupVersionKind: GVK("", "v1", "ServiceAccount"), Resource: "serviceaccounts", Namespaced: true, Preferred: true},
	{GroupVersionKind: GVK("", "v1", "PersistentVolumeClaim"), Resource: "persistentvolumeclaims", Namespaced: true, Preferred: true},
	{GroupVersionKind: GVK("", "v1", "Endpoints"), Resource: "endpoints", Namespaced: true, Preferred: true},
	{GroupVersionKind: GVK("", "v1", "Pod"), Resource: "pods", Namespaced: true, Preferred: true},
	{GroupVersionKind: GVK("", "v1", "Event"), Resource: "events", Namespaced: true, Preferred: true},
	{GroupVersionKind: GVK("discovery.k8s.io", "v1", "EndpointSlice"), Resource: "endpointslices", Namespaced: true, Preferred: true},
	{GroupVersionKind: GVK("apps", "v1", "ReplicaSet"), Resource: "replicasets", Namespaced: true, Preferred: true},
	{GroupVersionKind: GVK("apps", "v1", "Deployment"), Resource: "deployments", Namespaced: true, Preferred: true},
	{GroupVersionKind: GVK("batch", "v1", "Job"), Resource: "jobs", Namespaced: true, Preferred: true},
	{GroupVersionKind: GVK("autoscaling", "v1", "HorizontalPodAutoscaler"), Resource: "horizontalpodautoscalers", Namespaced: true},
	{GroupVersionKind: GVK("scheduling.k8s.io", "v1alpha1", "PriorityClass"), Resource: "priorityclasses"},
	{GroupVersionKind: GVK("rbac.authorization.k8s.io", "v1", "ClusterRole"), Resource: "clusterroles", Preferred: true},
	{GroupVersionKind: GVK("placement.kubernetes-fleet.io", "v1beta1", "ResourceEnvelope"), Resource: "resourceenvelopes", Namespaced: true, Preferred: true},
	{GroupVersionKind: GVK("placement.kubernetes-fleet.io", "v1beta1", "StagedUpdateRun"), Resource: "stagedupdateruns", Namespaced: true, Preferred: true},
}

// GVK returns a kind.
func GVK(group, version, kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: group, Version: version, Kind: kind}
}

// AddObjects puts objects, a YAML list, on the hub.
func (w *World) AddObjects(text string) {
	w.T.Helper()
	var objects []map[string]any
	if err := yaml.Unmarshal([]byte(text), &objects); err != nil {
		w.T.Fatal(err)
	}
	for _, o := range objects {
		u := &unstructured.Unstructured{Object: integers(o).(map[string]any)}
		i := slices.IndexFunc(Kinds, func(k pass.Kind) bool { return k.GroupVersionKind == u.GroupVersionKind() })
		if i < 0 {
			w.T.Fatalf("unknown kind %v", u.GroupVersionKind())
		}
		gvr := Kinds[i].GroupVersionResource()
		w.Objects[gvr] = append(w.Objects[gvr], u)
	}
}

// integers makes of whole numbers what the API machinery's decoder makes.
func integers(v any) any {
	switch v := v.(type) {
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
	case map[string]any:
		for k := range v {
			v[k] = integers(v[k])
		}
	case []any:
		for i := range v {
			v[i] = integers(v[i])
		}
	}
	return v
}

// NewWithoutIndex makes a run without an index, on a placement with the given terms and
// no snapshots.
func NewWithoutIndex(t testing.TB, ns string, terms ...placement.ResourceSelectorTerm) *World {
	w := New(t, ns)
	w.Kinds = Kinds
	clear(w.ResourceSnapshots)
	w.EditPlacement(func(p *placement.ResourcePlacement) { p.Spec.ResourceSelectors = terms })
	w.Start(placement.StateInitialize)
	w.Edit(func(r *placement.StagedUpdateRun) { r.Spec.ResourceSnapshotIndex = "" })
	return w
}

// ResetStatus forgets what the run computed, as a new run would begin.
func (w *World) ResetStatus() {
	w.Edit(func(r *placement.StagedUpdateRun) { r.Status = placement.UpdateRunStatus{} })
}

// Term returns a resource selector.
func Term(group, version, kind, name string) placement.ResourceSelectorTerm {
	return placement.ResourceSelectorTerm{Group: group, Version: version, Kind: kind, Name: name}
}

// SnapshotNamed returns a stored resource snapshot.
func (w *World) SnapshotNamed(name string) *placement.ResourceSnapshot {
	return w.ResourceSnapshots[types.NamespacedName{Namespace: w.Namespace, Name: name}]
}

// SnapshotNames lists the stored resource snapshots.
func (w *World) SnapshotNames() []string {
	var names []string
	for k := range w.ResourceSnapshots {
		names = append(names, k.Name)
	}
	slices.Sort(names)
	return names
}

// AddOverrides puts one cluster-scoped and one namespaced override snapshot on
// the hub, for every cluster, both naming the ConfigMap of the snapshot.
// AddOverrides adds an override snapshot of Namespace app and one of ConfigMap cfg in it.
func (w *World) AddOverrides(rule ...placement.OverrideRule) {
	policy := &placement.OverridePolicy{OverrideRules: rule}
	latest := map[string]string{LabelPrefix + "is-latest-snapshot": "true"}
	w.Put(&placement.ClusterResourceOverrideSnapshot{ObjectMeta: metav1.ObjectMeta{Name: "cro-0", Labels: maps.Clone(latest)}, Spec: placement.ClusterResourceOverrideSnapshotSpec{OverrideSpec: placement.ClusterResourceOverrideSpec{
		ClusterResourceSelectors: []placement.ResourceSelectorTerm{Term("", "v1", "Namespace", "app")}, Policy: policy,
	}}})
	w.Put(&placement.ResourceOverrideSnapshot{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "ro-0", Labels: maps.Clone(latest)}, Spec: placement.ResourceOverrideSnapshotSpec{OverrideSpec: placement.ResourceOverrideSpec{
		ResourceSelectors: []placement.ResourceSelector{{Version: "v1", Kind: "ConfigMap", Name: "cfg"}}, Policy: policy,
	}}})
}

// AllClusters returns a rule that selects every cluster.
func AllClusters() placement.OverrideRule {
	return placement.OverrideRule{ClusterSelector: &placement.ClusterSelector{}}
}

// ConfigMap begins a ConfigMap in the list of AddObjects; its name comes next.
const ConfigMap = "{apiVersion: v1, kind: ConfigMap, metadata: {name: "
