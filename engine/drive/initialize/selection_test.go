package initialize_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive"
	"github.com/stagewatch/stagewatch/engine/drive/initialize"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/internal/rollout"
)

func matching(t placement.ResourceSelectorTerm, label, value string) placement.ResourceSelectorTerm {
	t.LabelSelector = &metav1.LabelSelector{MatchLabels: map[string]string{label: value}}
	return t
}

func scoped(t placement.ResourceSelectorTerm, scope placement.SelectionScope) placement.ResourceSelectorTerm {
	t.SelectionScope = scope
	return t
}

const oneDeleting = `
- {apiVersion: v1, kind: Namespace, metadata: {name: app, labels: {tier: x}}}
- {apiVersion: v1, kind: Namespace, metadata: {name: gone, labels: {tier: x}, deletionTimestamp: "2026-08-20T10:00:00Z"}}
- {apiVersion: v1, kind: Namespace, metadata: {name: default, labels: {tier: w}}}
- {apiVersion: v1, kind: Namespace, metadata: {name: kube-system, labels: {tier: z}}}
- {apiVersion: v1, kind: Namespace, metadata: {name: skipme, labels: {tier: s}}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: one, namespace: app, labels: {k: v}}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: two, namespace: app}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: far, namespace: team}}
- {apiVersion: v1, kind: Event, metadata: {name: ev, namespace: app}}
- {apiVersion: v1, kind: Pod, metadata: {name: pod, namespace: app}}
- {apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: StagedUpdateRun, metadata: {name: r, namespace: app}}
- {apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, metadata: {name: scaler, namespace: team}}
- {apiVersion: scheduling.k8s.io/v1alpha1, kind: PriorityClass, metadata: {name: high}}
- {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: role, labels: {k: v}}}
`

func TestSelection(t *testing.T) {
	ns := rollout.Term("", "v1", "Namespace", "app")
	role := rollout.Term("rbac.authorization.k8s.io", "v1", "ClusterRole", "role")
	maps := rollout.Term("", "v1", "ConfigMap", "")
	in := func(list ...placement.ResourceSelectorTerm) []placement.ResourceSelectorTerm { return list }
	for _, tc := range []struct {
		name, ns string
		terms    []placement.ResourceSelectorTerm
		set      func(*pass.Propagation)
		want     string // content
		user     string // final error, after V: U:
		retried  string
	}{
		{name: "A disabled kind yields nothing", terms: in(rollout.Term("", "v1", "Pod", "pod"), role), want: "ClusterRole role"},
		{name: "A namespace in a ResourcePlacement", ns: "team", terms: in(ns), user: "invalid placement team/web: cannot select cluster-scoped resource Namespace in a resourcePlacement"},
		{name: "A unknown kind", terms: in(rollout.Term("x.io", "v1", "Thing", "")), user: `invalid placement /web, failed to get GVR of the selector: no matches for kind "Thing" in version "x.io/v1"`},
		{name: "A unknown kind, namespaced", ns: "team", terms: in(rollout.Term("", "v1", "Thing", "")), user: `invalid placement team/web, failed to get GVR of the selector: no matches for kind "Thing" in version "v1"`},
		{name: "A cluster-scoped in a ResourcePlacement", ns: "team", terms: in(role), user: "invalid placement team/web: cannot select cluster-scoped resource rbac.authorization.k8s.io/v1, Resource=clusterroles in a resourcePlacement"},
		{name: "A namespaced in a ClusterResourcePlacement", terms: in(maps), user: "invalid placement /web: cannot select namespace-scoped resource /v1, Resource=configmaps in a clusterResourcePlacement"},
		{name: "A version that is not preferred", ns: "team", terms: in(rollout.Term("autoscaling", "v1", "HorizontalPodAutoscaler", "")), want: "HorizontalPodAutoscaler scaler"},
		{name: "A version that is not preferred, of a cluster-scoped kind", ns: "app", terms: in(rollout.Term("scheduling.k8s.io", "v1alpha1", "PriorityClass", "")), want: ""},
		{name: "A version that is not preferred, cluster", terms: in(rollout.Term("autoscaling", "v1", "HorizontalPodAutoscaler", "")), user: "invalid placement /web: cannot select namespace-scoped resource autoscaling/v1, Resource=horizontalpodautoscalers in a clusterResourcePlacement"},
		{name: "A by name", ns: "team", terms: in(rollout.Term("", "v1", "ConfigMap", "far")), want: "ConfigMap far"},
		{name: "A a missing object is no error", ns: "team", terms: in(rollout.Term("", "v1", "ConfigMap", "none")), want: ""},
		{name: "A by label over the hub", terms: in(matching(rollout.Term("rbac.authorization.k8s.io", "v1", "ClusterRole", ""), "k", "v")), want: "ClusterRole role"},
		{name: "A {} means every object", ns: "team", terms: in(placement.ResourceSelectorTerm{Version: "v1", Kind: "ConfigMap", LabelSelector: &metav1.LabelSelector{}}), want: "ConfigMap far"},
		{
			name: "A inconvertible selector", ns: "team", terms: in(placement.ResourceSelectorTerm{Version: "v1", Kind: "ConfigMap", LabelSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "k", Operator: "Like"}}}}),
			retried: x + `: cannot convert the label selector to a selector: "Like" is not a valid label selector operator`,
		},
		{
			name: "A selected twice", terms: in(role, matching(rollout.Term("rbac.authorization.k8s.io", "v1", "ClusterRole", ""), "k", "v")),
			user: "found duplicate resource {Group:rbac.authorization.k8s.io Version:v1 Kind:ClusterRole Name:role Namespace: Envelope:<nil>}",
		},

		{name: "NamespaceWithResources by name", terms: in(ns), want: "Namespace app, ConfigMap one, ConfigMap two"},
		{name: "NamespaceWithResources by label skips a deleting one", terms: in(matching(rollout.Term("", "v1", "Namespace", ""), "tier", "x")), want: "Namespace app, ConfigMap one, ConfigMap two"},
		{name: "NamespaceWithResources missing", terms: in(rollout.Term("", "v1", "Namespace", "none")), want: ""},
		{name: "NamespaceWithResources reserved", terms: in(rollout.Term("", "v1", "Namespace", "fleet-x")), user: "invalid clusterRresourcePlacement web: namespace fleet-x is not allowed to propagate"},
		{name: "NamespaceWithResources default by label", terms: in(matching(rollout.Term("", "v1", "Namespace", ""), "tier", "w")), user: "invalid clusterRresourcePlacement web: namespace default is not allowed to propagate"},
		{name: "NamespaceWithResources kube- by label", terms: in(matching(rollout.Term("", "v1", "Namespace", ""), "tier", "z")), user: "invalid clusterRresourcePlacement web: namespace kube-system is not allowed to propagate"},
		{
			name: "NamespaceWithResources skipped by flag", terms: in(rollout.Term("", "v1", "Namespace", "skipme")), set: func(p *pass.Propagation) { p.SkipNamespaces = []string{"skipme"} },
			user: "invalid clusterRresourcePlacement web: namespace skipme is not allowed to propagate",
		},
		{name: "NamespaceOnly", terms: in(scoped(ns, placement.SelectNamespaceOnly)), want: "Namespace app"},
		{name: "NamespaceOnly reserved is taken", terms: in(scoped(rollout.Term("", "v1", "Namespace", "default"), placement.SelectNamespaceOnly)), want: "Namespace default"},
		{name: "NamespaceOnly deleting", terms: in(scoped(rollout.Term("", "v1", "Namespace", "gone"), placement.SelectNamespaceOnly)), want: ""},
		{name: "NamespaceWithResourceSelectors", terms: in(matching(maps, "k", "v"), role, scoped(ns, placement.SelectNamespaceWithResourceSelectors)), want: "Namespace app, ConfigMap one, ClusterRole role"},
		{
			name: "NamespaceWithResourceSelectors missing", terms: in(maps, scoped(rollout.Term("", "v1", "Namespace", "gone"), placement.SelectNamespaceWithResourceSelectors)),
			user: "invalid clusterResourcePlacement web: NamespaceWithResourceSelectors mode requires exactly one namespace, but no namespaces were selected",
		},
		{
			name: "NamespaceWithResourceSelectors reserved", terms: in(scoped(rollout.Term("", "v1", "Namespace", "default"), placement.SelectNamespaceWithResourceSelectors)),
			user: "invalid clusterResourcePlacement web: NamespaceWithResourceSelectors mode requires exactly one namespace, but no namespaces were selected",
		},

		{name: "B core events may be named", ns: "app", terms: in(rollout.Term("", "v1", "Event", "ev")), want: "Event ev"},
		{name: "B skipped by flag", ns: "team", terms: in(maps), set: func(p *pass.Propagation) { p.Skip = []schema.GroupVersionKind{rollout.GVK("", "v1", "ConfigMap")} }, want: ""},
		{name: "B skipped group", terms: in(role), set: func(p *pass.Propagation) {
			p.Skip = []schema.GroupVersionKind{{Group: "rbac.authorization.k8s.io"}}
		}, want: ""},
		{name: "B allow list replaces all", ns: "app", terms: in(maps, rollout.Term("", "v1", "Pod", "pod")), set: func(p *pass.Propagation) { p.Allow = []schema.GroupVersionKind{rollout.GVK("", "v1", "Pod")} }, want: "Pod pod"},
		{name: "B allow list without Namespace", terms: in(scoped(ns, placement.SelectNamespaceWithResourceSelectors)), set: func(p *pass.Propagation) { p.Allow = []schema.GroupVersionKind{rollout.GVK("", "v1", "Pod")} }, want: ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := rollout.NewWithoutIndex(t, tc.ns, tc.terms...)
			w.AddObjects(oneDeleting)
			in := w.Input(w.Key)
			if tc.set != nil {
				tc.set(&in.Propagation)
			}
			d := drive.Reconcile(in, w.Timing, w.Now, w.Answer)
			switch {
			case tc.retried != "":
				rollout.Equal(t, "error", fmt.Sprint(d.Err), tc.retried)
				rollout.Equal(t, "initialized", w.Condition("Initialized"), "-")
			case tc.user != "":
				rollout.Equal(t, "message", w.Message("Initialized"), v+": "+u+": "+tc.user)
				rollout.Equal(t, "decision", d, drive.Decision{})
			default:
				rollout.Equal(t, "error", d.Err, nil)
				rollout.Equal(t, "content", names(w.SnapshotNamed("web-0-snapshot")), tc.want)
			}
		})
	}
}

// TestNotSynced holds that a kind which the controller does not watch yet is
// waited for, and then selected.
func TestNotSynced(t *testing.T) {
	w := rollout.NewWithoutIndex(t, "team", rollout.Term("autoscaling", "v1", "HorizontalPodAutoscaler", ""))
	w.AddObjects(oneDeleting)
	w.Fault = func(e pass.Effect) (error, bool) {
		if e.Op == pass.OpListObjects {
			return initialize.NotSynced(e.Resource), false
		}
		return nil, false
	}
	rollout.Equal(t, "error", fmt.Sprint(w.Pass(0).Err), e+": informer cache for autoscaling/v1, Resource=horizontalpodautoscalers is not synced yet")
	rollout.Equal(t, "initialized", w.Condition("Initialized"), "-")
	w.Fault = nil
	w.Pass(30 * time.Second)
	rollout.Equal(t, "initialized", w.Condition("Initialized"), "True/UpdateRunInitializedSuccessfully")
	rollout.Equal(t, "content", names(w.SnapshotNamed("web-0-snapshot")), "HorizontalPodAutoscaler scaler")
}

func TestDisabledKinds(t *testing.T) {
	var terms []placement.ResourceSelectorTerm
	for _, k := range []schema.GroupVersionKind{
		rollout.GVK("cluster.kubernetes-fleet.io", "v1", "MemberCluster"), rollout.GVK("events.k8s.io", "v1", "Event"),
		rollout.GVK("coordination.k8s.io", "v1", "Lease"), rollout.GVK("metrics.k8s.io", "v1beta1", "PodMetrics"),
		rollout.GVK("", "v1", "Pod"), rollout.GVK("", "v1", "Node"),
		rollout.GVK("networking.fleet.azure.com", "v1", "ServiceImport"), rollout.GVK("networking.fleet.azure.com", "v1", "TrafficManagerProfile"), rollout.GVK("networking.fleet.azure.com", "v1", "TrafficManagerBackend"),
	} {
		terms = append(terms, rollout.Term(k.Group, k.Version, k.Kind, ""))
	}
	for _, kind := range []string{
		"ClusterResourcePlacement", "ResourcePlacement", "ClusterResourceBinding", "ResourceBinding", "ClusterResourceSnapshot", "ResourceSnapshot",
		"ClusterSchedulingPolicySnapshot", "SchedulingPolicySnapshot", "Work", "ClusterStagedUpdateRun", "ClusterStagedUpdateStrategy", "ClusterApprovalRequest",
		"StagedUpdateRun", "StagedUpdateStrategy", "ApprovalRequest", "ClusterResourcePlacementEviction", "ClusterResourcePlacementDisruptionBudget",
		"ClusterResourceOverride", "ResourceOverride", "ClusterResourceOverrideSnapshot", "ResourceOverrideSnapshot", "ClusterResourcePlacementStatus",
	} {
		terms = append(terms, rollout.Term("placement.kubernetes-fleet.io", "v1beta1", kind, ""))
	}
	w := rollout.NewWithoutIndex(t, "", terms...)
	rollout.Equal(t, "decision", w.Pass(0), drive.Decision{})
	rollout.Equal(t, "nothing is read", w.Requests, []string{"add finalizer run", "create resource snapshot web-0-snapshot", "write run status run"})

	for _, k := range []schema.GroupVersionKind{rollout.GVK("placement.kubernetes-fleet.io", "v1beta1", "ClusterResourceEnvelope"), rollout.GVK("networking.fleet.azure.com", "v1", "MultiClusterService")} {
		w = rollout.NewWithoutIndex(t, "", rollout.Term(k.Group, k.Version, k.Kind, ""))
		w.Pass(0)
		rollout.Equal(t, k.Kind+" is not disabled", w.Condition("Initialized"), "False/UpdateRunInitializedFailed")
	}
}

func TestExcludedObjects(t *testing.T) {
	const owned = "ownerReferences: [{apiVersion: v1, kind: X, name: x, uid: x}]"
	for _, tc := range []struct {
		name, objects, want string
		term                placement.ResourceSelectorTerm
		workload            bool
	}{
		{"deleting", `- {apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: team, deletionTimestamp: "2026-08-20T10:00:00Z"}}`, "", rollout.Term("", "v1", "ConfigMap", "c"), false},
		{"ReplicaSet with an owner", "- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: r, namespace: team, " + owned + "}}\n- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: free, namespace: team}}", "ReplicaSet free", rollout.Term("apps", "v1", "ReplicaSet", ""), false},
		{"kube-root-ca.crt", "- " + rollout.ConfigMap + "kube-root-ca.crt, namespace: team}}\n- " + rollout.ConfigMap + "c, namespace: team}}", "ConfigMap c", rollout.Term("", "v1", "ConfigMap", ""), false},
		{"default account", "- {apiVersion: v1, kind: ServiceAccount, metadata: {name: default, namespace: team}}\n- {apiVersion: v1, kind: ServiceAccount, metadata: {name: s, namespace: team}}", "ServiceAccount s", rollout.Term("", "v1", "ServiceAccount", ""), false},
		{"token", "- {apiVersion: v1, kind: Secret, type: kubernetes.io/service-account-token, metadata: {name: t, namespace: team}}\n- {apiVersion: v1, kind: Secret, type: Opaque, metadata: {name: s, namespace: team}}", "Secret s", rollout.Term("", "v1", "Secret", ""), false},
		{"claim on a hub with workload", "- {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: p, namespace: team}}", "", rollout.Term("", "v1", "PersistentVolumeClaim", ""), true},
		{"claim", "- {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: p, namespace: team}}", "PersistentVolumeClaim p", rollout.Term("", "v1", "PersistentVolumeClaim", ""), false},
		{"endpoints of a service", "- {apiVersion: v1, kind: Service, metadata: {name: e, namespace: team}}\n- {apiVersion: v1, kind: Endpoints, metadata: {name: e, namespace: team}}\n- {apiVersion: v1, kind: Endpoints, metadata: {name: own, namespace: team}}", "Endpoints own", rollout.Term("", "v1", "Endpoints", ""), false},
		{"managed slice", "- {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: m, namespace: team, labels: {endpointslice.kubernetes.io/managed-by: x}}}\n- {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: own, namespace: team}}", "EndpointSlice own", rollout.Term("discovery.k8s.io", "v1", "EndpointSlice", ""), false},
		{"Job with an owner is taken", "- {apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: team, " + owned + "}}", "Job j", rollout.Term("batch", "v1", "Job", ""), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := rollout.NewWithoutIndex(t, "team", tc.term)
			w.AddObjects(tc.objects)
			in := w.Input(w.Key)
			in.Propagation.Workload = tc.workload
			drive.Reconcile(in, w.Timing, w.Now, w.Answer)
			rollout.Equal(t, "content", names(w.SnapshotNamed("web-0-snapshot")), tc.want)
		})
	}
}

func TestStoredForm(t *testing.T) {
	for _, tc := range []struct{ name, object, want string }{
		{
			"metadata", `{apiVersion: v1, kind: ConfigMap, metadata: {name: o, namespace: team, generateName: g, resourceVersion: "1", generation: 4, uid: u, selfLink: s, creationTimestamp: "2026-08-20T10:00:00Z", managedFields: [], finalizers: [f], deletionGracePeriodSeconds: 3, labels: {l: v}, annotations: {deployment.kubernetes.io/revision: "2"}}, status: {x: 1}, rules: null, num: 1.5, text: "é<>&\u2028\u2029"}`,
			`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"deletionGracePeriodSeconds":3,"finalizers":["f"],"generateName":"g","labels":{"l":"v"},"name":"o","namespace":"team"},"num":1.5,"rules":null,"text":"é\u003c\u003e\u0026\u2028\u2029"}`,
		},
		{
			"headless Service", `{apiVersion: v1, kind: Service, metadata: {name: o, namespace: team}, spec: {clusterIP: None, clusterIPs: [None], healthCheckNodePort: 3}}`,
			`{"apiVersion":"v1","kind":"Service","metadata":{"name":"o","namespace":"team"},"spec":{"clusterIP":"None","clusterIPs":["None"]}}`,
		},
		{
			"Service without an address", `{apiVersion: v1, kind: Service, metadata: {name: o, namespace: team}, spec: {clusterIPs: [x], ports: null}}`,
			`{"apiVersion":"v1","kind":"Service","metadata":{"name":"o","namespace":"team"},"spec":{"clusterIPs":["x"],"ports":null}}`,
		},
		{
			"Job", `{apiVersion: batch/v1, kind: Job, metadata: {name: o, namespace: team, labels: {controller-uid: u}}, spec: {selector: {matchLabels: {batch.kubernetes.io/controller-uid: u}}, template: {metadata: {creationTimestamp: null, labels: {controller-uid: u, app: a}}}}}`,
			`{"apiVersion":"batch/v1","kind":"Job","metadata":{"labels":{"controller-uid":"u"},"name":"o","namespace":"team"},"spec":{"selector":{"matchLabels":{}},"template":{"metadata":{"labels":{"app":"a"}}}}}`,
		},
		{
			"Job with its own selector", `{apiVersion: batch/v1, kind: Job, metadata: {name: o, namespace: team}, spec: {manualSelector: true, selector: {matchLabels: {controller-uid: u}}}}`,
			`{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"o","namespace":"team"},"spec":{"manualSelector":true,"selector":{"matchLabels":{"controller-uid":"u"}}}}`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := rollout.NewWithoutIndex(t, "team", rollout.Term("", "v1", "ConfigMap", "o"), rollout.Term("", "v1", "Service", "o"), rollout.Term("batch", "v1", "Job", "o"))
			w.AddObjects("- " + tc.object)
			rollout.Equal(t, "error", w.Pass(0).Err, nil)
			rollout.Equal(t, "stored", string(w.SnapshotNamed("web-0-snapshot").Spec.SelectedResources[0].Raw), tc.want)
		})
	}
}

func TestMalformedObjects(t *testing.T) {
	for _, tc := range []struct{ name, object, want string }{
		{"Secret type", `{apiVersion: v1, kind: Secret, type: 7, metadata: {name: o, namespace: team}}`, x + ": read Secret team/o: "},
		{"Service address", `{apiVersion: v1, kind: Service, metadata: {name: o, namespace: team}, spec: {clusterIP: 7}}`, x + ": read Service team/o: "},
		{"Service spec", `{apiVersion: v1, kind: Service, metadata: {name: o, namespace: team}, spec: 7}`, x + ": read Service team/o: "},
		{"Job selector", `{apiVersion: batch/v1, kind: Job, metadata: {name: o, namespace: team}, spec: {manualSelector: 7}}`, x + ": read Job team/o: "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := rollout.NewWithoutIndex(t, "team", rollout.Term("", "v1", "Secret", "o"), rollout.Term("", "v1", "Service", "o"), rollout.Term("batch", "v1", "Job", "o"))
			w.AddObjects("- " + tc.object)
			text := fmt.Sprint(w.Pass(0).Err)
			if len(text) < len(tc.want) || text[:len(tc.want)] != tc.want {
				t.Errorf("got %s", text)
			}
		})
	}
}

func TestSelectionReadErrors(t *testing.T) {
	for _, tc := range []struct {
		name, ns string
		terms    []placement.ResourceSelectorTerm
		fails    schema.GroupVersionResource
	}{
		{"namespaces", "", []placement.ResourceSelectorTerm{rollout.Term("", "v1", "Namespace", "app")}, schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}},
		{"entered namespace", "", []placement.ResourceSelectorTerm{scoped(rollout.Term("", "v1", "Namespace", "app"), placement.SelectNamespaceWithResourceSelectors)}, schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}},
		{"what a namespace holds", "", []placement.ResourceSelectorTerm{rollout.Term("", "v1", "Namespace", "app")}, schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}},
		{"service of endpoints", "app", []placement.ResourceSelectorTerm{rollout.Term("", "v1", "Endpoints", "")}, schema.GroupVersionResource{Version: "v1", Resource: "services"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := rollout.NewWithoutIndex(t, tc.ns, tc.terms...)
			w.AddObjects(oneDeleting + "- {apiVersion: v1, kind: Endpoints, metadata: {name: e, namespace: app}}")
			w.Fault = func(e pass.Effect) (error, bool) {
				if e.Resource == tc.fails {
					return rollout.ErrRead, false
				}
				return nil, false
			}
			rollout.Equal(t, "error", fmt.Sprint(w.Pass(0).Err), s+": cache is cold")
			rollout.Equal(t, "initialized", w.Condition("Initialized"), "-")
		})
	}
}

// TestKindsUnknown holds that a run waits while nobody knows what kinds the hub
// serves: taken for a hub that serves none, it would fail for good.
func TestKindsUnknown(t *testing.T) {
	rollout.BothScopes(t, func(t *testing.T, w *rollout.World) {
		for _, index := range []string{"", "1"} {
			w.AddOverrides(rollout.AllClusters())
			w.Start(placement.StateRun)
			w.Edit(func(r *placement.StagedUpdateRun) { r.Spec.ResourceSnapshotIndex = index })
			in := w.Input(w.Key)
			in.Failed.Kinds = rollout.ErrRead
			rollout.Equal(t, "error", fmt.Sprint(drive.Reconcile(in, w.Timing, w.Now, w.Answer).Err), s+": cache is cold")
			rollout.Equal(t, "initialized", w.Condition("Initialized"), "-")
		}
	})
}

func TestOrderOfKinds(t *testing.T) {
	w := rollout.NewWithoutIndex(t, "", rollout.Term("", "v1", "Namespace", "a"), rollout.Term("", "v1", "Namespace", "a-b"), rollout.Term("rbac.authorization.k8s.io", "v1", "ClusterRole", ""))
	w.AddObjects(`
- {apiVersion: v1, kind: Namespace, metadata: {name: a}}
- {apiVersion: v1, kind: Namespace, metadata: {name: a-b}}
- {apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: a}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: z, namespace: a}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: yy, namespace: a-b}}
- {apiVersion: v1, kind: Endpoints, metadata: {name: e, namespace: a}}
- {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: s, namespace: a}}
- {apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ResourceEnvelope, metadata: {name: env, namespace: a}}
- {apiVersion: v1, kind: Secret, metadata: {name: s, namespace: a}}
- {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r}}
`)
	w.Pass(0)
	m := w.SnapshotNamed("web-0-snapshot")
	// a-b/yy sorts before a/z, bytewise.
	rollout.Equal(t, "order", names(m), "Namespace a, Namespace a-b, Secret s, ConfigMap yy, ConfigMap z, ClusterRole r, Deployment d, Endpoints e, EndpointSlice s, ResourceEnvelope env")
	rollout.Equal(t, "envelopes", m.Annotations[rollout.LabelPrefix+"number-of-enveloped-object"], "1")
}

func TestKindsOf(t *testing.T) {
	all := metav1.Verbs{"get", "list", "watch"}
	served := []*metav1.APIResourceList{
		{GroupVersion: "v1", APIResources: []metav1.APIResource{{Name: "pods", Kind: "Pod", Namespaced: true, Verbs: all}, {Name: "pods/log", Kind: "Pod", Verbs: all}, {Name: "bindings", Kind: "Binding", Namespaced: true, Verbs: metav1.Verbs{"create"}}}},
		{GroupVersion: "autoscaling/v1", APIResources: []metav1.APIResource{{Name: "horizontalpodautoscalers", Kind: "HorizontalPodAutoscaler", Namespaced: true, Verbs: all}}},
		{GroupVersion: "autoscaling/v2", APIResources: []metav1.APIResource{{Name: "horizontalpodautoscalers", Kind: "HorizontalPodAutoscaler", Namespaced: true, Verbs: all}}},
		{GroupVersion: "a/b/c", APIResources: []metav1.APIResource{{Name: "x", Kind: "X"}}},
		nil,
	}
	kinds := pass.KindsOf(served, []*metav1.APIResourceList{served[0], served[2]})
	slices.SortFunc(kinds, func(a, b pass.Kind) int { return slices.Compare([]string{a.String()}, []string{b.String()}) })
	rollout.Equal(t, "kinds", kinds, []pass.Kind{
		{GroupVersionKind: rollout.GVK("", "v1", "Binding"), Resource: "bindings", Namespaced: true},
		{GroupVersionKind: rollout.GVK("", "v1", "Pod"), Resource: "pods", Namespaced: true, Preferred: true},
		{GroupVersionKind: rollout.GVK("autoscaling", "v1", "HorizontalPodAutoscaler"), Resource: "horizontalpodautoscalers", Namespaced: true},
		{GroupVersionKind: rollout.GVK("autoscaling", "v2", "HorizontalPodAutoscaler"), Resource: "horizontalpodautoscalers", Namespaced: true, Preferred: true},
	})
}
