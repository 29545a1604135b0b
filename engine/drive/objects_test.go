package drive_test

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

// known are the kinds of the hub in these tests.
var known = []pass.Kind{
	{GroupVersionKind: gvk("", "v1", "Namespace"), Resource: "namespaces", Preferred: true},
	{GroupVersionKind: gvk("", "v1", "ConfigMap"), Resource: "configmaps", Namespaced: true, Preferred: true},
	{GroupVersionKind: gvk("", "v1", "Secret"), Resource: "secrets", Namespaced: true, Preferred: true},
	{GroupVersionKind: gvk("", "v1", "Service"), Resource: "services", Namespaced: true, Preferred: true},
	{GroupVersionKind: gvk("", "v1", "ServiceAccount"), Resource: "serviceaccounts", Namespaced: true, Preferred: true},
	{GroupVersionKind: gvk("", "v1", "PersistentVolumeClaim"), Resource: "persistentvolumeclaims", Namespaced: true, Preferred: true},
	{GroupVersionKind: gvk("", "v1", "Endpoints"), Resource: "endpoints", Namespaced: true, Preferred: true},
	{GroupVersionKind: gvk("", "v1", "Pod"), Resource: "pods", Namespaced: true, Preferred: true},
	{GroupVersionKind: gvk("", "v1", "Event"), Resource: "events", Namespaced: true, Preferred: true},
	{GroupVersionKind: gvk("discovery.k8s.io", "v1", "EndpointSlice"), Resource: "endpointslices", Namespaced: true, Preferred: true},
	{GroupVersionKind: gvk("apps", "v1", "ReplicaSet"), Resource: "replicasets", Namespaced: true, Preferred: true},
	{GroupVersionKind: gvk("apps", "v1", "Deployment"), Resource: "deployments", Namespaced: true, Preferred: true},
	{GroupVersionKind: gvk("batch", "v1", "Job"), Resource: "jobs", Namespaced: true, Preferred: true},
	{GroupVersionKind: gvk("autoscaling", "v1", "HorizontalPodAutoscaler"), Resource: "horizontalpodautoscalers", Namespaced: true},
	{GroupVersionKind: gvk("scheduling.k8s.io", "v1alpha1", "PriorityClass"), Resource: "priorityclasses"},
	{GroupVersionKind: gvk("rbac.authorization.k8s.io", "v1", "ClusterRole"), Resource: "clusterroles", Preferred: true},
	{GroupVersionKind: gvk("placement.kubernetes-fleet.io", "v1beta1", "ResourceEnvelope"), Resource: "resourceenvelopes", Namespaced: true, Preferred: true},
	{GroupVersionKind: gvk("placement.kubernetes-fleet.io", "v1beta1", "StagedUpdateRun"), Resource: "stagedupdateruns", Namespaced: true, Preferred: true},
}

func gvk(group, version, kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: group, Version: version, Kind: kind}
}

// hold puts objects, a YAML list, on the hub.
func (w *world) hold(text string) {
	w.t.Helper()
	var objects []map[string]any
	if err := yaml.Unmarshal([]byte(text), &objects); err != nil {
		w.t.Fatal(err)
	}
	for _, o := range objects {
		u := &unstructured.Unstructured{Object: integers(o).(map[string]any)}
		i := slices.IndexFunc(known, func(k pass.Kind) bool { return k.GroupVersionKind == u.GroupVersionKind() })
		if i < 0 {
			w.t.Fatalf("unknown kind %v", u.GroupVersionKind())
		}
		gvr := known[i].GroupVersionResource()
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

// newest makes a run without an index, on a placement with the given terms and
// no snapshots.
func newest(t testing.TB, ns string, terms ...placement.ResourceSelectorTerm) *world {
	w := newWorld(t, ns)
	w.Kinds = known
	clear(w.ResourceSnapshots)
	w.placement(func(p *placement.ResourcePlacement) { p.Spec.ResourceSelectors = terms })
	w.start(placement.StateInitialize)
	w.edit(func(r *placement.StagedUpdateRun) { r.Spec.ResourceSnapshotIndex = "" })
	return w
}

// again forgets what the run computed, as a new run would begin.
func (w *world) again() {
	w.edit(func(r *placement.StagedUpdateRun) { r.Status = placement.UpdateRunStatus{} })
}

func term(group, version, kind, name string) placement.ResourceSelectorTerm {
	return placement.ResourceSelectorTerm{Group: group, Version: version, Kind: kind, Name: name}
}

func (w *world) snapshotNamed(name string) *placement.ResourceSnapshot {
	return w.ResourceSnapshots[types.NamespacedName{Namespace: w.ns, Name: name}]
}

func (w *world) snapshotNames() []string {
	var names []string
	for k := range w.ResourceSnapshots {
		names = append(names, k.Name)
	}
	slices.Sort(names)
	return names
}

// overrides puts one cluster-scoped and one namespaced override snapshot on
// the hub, for every cluster, both naming the ConfigMap of the snapshot.
func (w *world) overrides(rule ...placement.OverrideRule) {
	policy := &placement.OverridePolicy{OverrideRules: rule}
	latest := map[string]string{fleet + "is-latest-snapshot": "true"}
	w.Put(&placement.ClusterResourceOverrideSnapshot{ObjectMeta: metav1.ObjectMeta{Name: "cro-0", Labels: maps.Clone(latest)}, Spec: placement.ClusterResourceOverrideSnapshotSpec{OverrideSpec: placement.ClusterResourceOverrideSpec{
		ClusterResourceSelectors: []placement.ResourceSelectorTerm{term("", "v1", "Namespace", "app")}, Policy: policy,
	}}})
	w.Put(&placement.ResourceOverrideSnapshot{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "ro-0", Labels: maps.Clone(latest)}, Spec: placement.ResourceOverrideSnapshotSpec{OverrideSpec: placement.ResourceOverrideSpec{
		ResourceSelectors: []placement.ResourceSelector{{Version: "v1", Kind: "ConfigMap", Name: "cfg"}}, Policy: policy,
	}}})
}

func everywhere() placement.OverrideRule {
	return placement.OverrideRule{ClusterSelector: &placement.ClusterSelector{}}
}

// configMap begins a ConfigMap in the list of AddObjects; its name comes next.
const configMap = "{apiVersion: v1, kind: ConfigMap, metadata: {name: "
