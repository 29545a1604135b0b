package drive_test

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
	ns := term("", "v1", "Namespace", "app")
	role := term("rbac.authorization.k8s.io", "v1", "ClusterRole", "role")
	maps := term("", "v1", "ConfigMap", "")
	in := func(list ...placement.ResourceSelectorTerm) []placement.ResourceSelectorTerm { return list }
	for _, tc := range []struct {
		name, ns string
		terms    []placement.ResourceSelectorTerm
		set      func(*pass.Propagation)
		want     string // content
		user     string // final error, after V: U:
		retried  string
	}{
		{name: "A disabled kind yields nothing", terms: in(term("", "v1", "Pod", "pod"), role), want: "ClusterRole role"},
		{name: "A namespace in a ResourcePlacement", ns: "team", terms: in(ns), user: "invalid placement team/web: cannot select cluster-scoped resource Namespace in a resourcePlacement"},
		{name: "A unknown kind", terms: in(term("x.io", "v1", "Thing", "")), user: `invalid placement /web, failed to get GVR of the selector: no matches for kind "Thing" in version "x.io/v1"`},
		{name: "A unknown kind, namespaced", ns: "team", terms: in(term("", "v1", "Thing", "")), user: `invalid placement team/web, failed to get GVR of the selector: no matches for kind "Thing" in version "v1"`},
		{name: "A cluster-scoped in a ResourcePlacement", ns: "team", terms: in(role), user: "invalid placement team/web: cannot select cluster-scoped resource rbac.authorization.k8s.io/v1, Resource=clusterroles in a resourcePlacement"},
		{name: "A namespaced in a ClusterResourcePlacement", terms: in(maps), user: "invalid placement /web: cannot select namespace-scoped resource /v1, Resource=configmaps in a clusterResourcePlacement"},
		{name: "A version that is not preferred", ns: "team", terms: in(term("autoscaling", "v1", "HorizontalPodAutoscaler", "")), want: "HorizontalPodAutoscaler scaler"},
		{name: "A version that is not preferred, of a cluster-scoped kind", ns: "app", terms: in(term("scheduling.k8s.io", "v1alpha1", "PriorityClass", "")), want: ""},
		{name: "A version that is not preferred, cluster", terms: in(term("autoscaling", "v1", "HorizontalPodAutoscaler", "")), user: "invalid placement /web: cannot select namespace-scoped resource autoscaling/v1, Resource=horizontalpodautoscalers in a clusterResourcePlacement"},
		{name: "A by name", ns: "team", terms: in(term("", "v1", "ConfigMap", "far")), want: "ConfigMap far"},
		{name: "A a missing object is no error", ns: "team", terms: in(term("", "v1", "ConfigMap", "none")), want: ""},
		{name: "A by label over the hub", terms: in(matching(term("rbac.authorization.k8s.io", "v1", "ClusterRole", ""), "k", "v")), want: "ClusterRole role"},
		{name: "A {} means every object", ns: "team", terms: in(placement.ResourceSelectorTerm{Version: "v1", Kind: "ConfigMap", LabelSelector: &metav1.LabelSelector{}}), want: "ConfigMap far"},
		{
			name: "A inconvertible selector", ns: "team", terms: in(placement.ResourceSelectorTerm{Version: "v1", Kind: "ConfigMap", LabelSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "k", Operator: "Like"}}}}),
			retried: x + `: cannot convert the label selector to a selector: "Like" is not a valid label selector operator`,
		},
		{
			name: "A selected twice", terms: in(role, matching(term("rbac.authorization.k8s.io", "v1", "ClusterRole", ""), "k", "v")),
			user: "found duplicate resource {Group:rbac.authorization.k8s.io Version:v1 Kind:ClusterRole Name:role Namespace: Envelope:<nil>}",
		},

		{name: "NamespaceWithResources by name", terms: in(ns), want: "Namespace app, ConfigMap one, ConfigMap two"},
		{name: "NamespaceWithResources by label skips a deleting one", terms: in(matching(term("", "v1", "Namespace", ""), "tier", "x")), want: "Namespace app, ConfigMap one, ConfigMap two"},
		{name: "NamespaceWithResources missing", terms: in(term("", "v1", "Namespace", "none")), want: ""},
		{name: "NamespaceWithResources reserved", terms: in(term("", "v1", "Namespace", "fleet-x")), user: "invalid clusterRresourcePlacement web: namespace fleet-x is not allowed to propagate"},
		{name: "NamespaceWithResources default by label", terms: in(matching(term("", "v1", "Namespace", ""), "tier", "w")), user: "invalid clusterRresourcePlacement web: namespace default is not allowed to propagate"},
		{name: "NamespaceWithResources kube- by label", terms: in(matching(term("", "v1", "Namespace", ""), "tier", "z")), user: "invalid clusterRresourcePlacement web: namespace kube-system is not allowed to propagate"},
		{
			name: "NamespaceWithResources skipped by flag", terms: in(term("", "v1", "Namespace", "skipme")), set: func(p *pass.Propagation) { p.SkipNamespaces = []string{"skipme"} },
			user: "invalid clusterRresourcePlacement web: namespace skipme is not allowed to propagate",
		},
		{name: "NamespaceOnly", terms: in(scoped(ns, placement.SelectNamespaceOnly)), want: "Namespace app"},
		{name: "NamespaceOnly reserved is taken", terms: in(scoped(term("", "v1", "Namespace", "default"), placement.SelectNamespaceOnly)), want: "Namespace default"},
		{name: "NamespaceOnly deleting", terms: in(scoped(term("", "v1", "Namespace", "gone"), placement.SelectNamespaceOnly)), want: ""},
		{name: "NamespaceWithResourceSelectors", terms: in(matching(maps, "k", "v"), role, scoped(ns, placement.SelectNamespaceWithResourceSelectors)), want: "Namespace app, ConfigMap one, ClusterRole role"},
		{
			name: "NamespaceWithResourceSelectors missing", terms: in(maps, scoped(term("", "v1", "Namespace", "gone"), placement.SelectNamespaceWithResourceSelectors)),
			user: "invalid clusterResourcePlacement web: NamespaceWithResourceSelectors mode requires exactly one namespace, but no namespaces were selected",
		},
		{
			name: "NamespaceWithResourceSelectors reserved", terms: in(scoped(term("", "v1", "Namespace", "default"), placement.SelectNamespaceWithResourceSelectors)),
			user: "invalid clusterResourcePlacement web: NamespaceWithResourceSelectors mode requires exactly one namespace, but no namespaces were selected",
		},

		{name: "B core events may be named", ns: "app", terms: in(term("", "v1", "Event", "ev")), want: "Event ev"},
		{name: "B skipped by flag", ns: "team", terms: in(maps), set: func(p *pass.Propagation) { p.Skip = []schema.GroupVersionKind{gvk("", "v1", "ConfigMap")} }, want: ""},
		{name: "B skipped group", terms: in(role), set: func(p *pass.Propagation) {
			p.Skip = []schema.GroupVersionKind{{Group: "rbac.authorization.k8s.io"}}
		}, want: ""},
		{name: "B allow list replaces all", ns: "app", terms: in(maps, term("", "v1", "Pod", "pod")), set: func(p *pass.Propagation) { p.Allow = []schema.GroupVersionKind{gvk("", "v1", "Pod")} }, want: "Pod pod"},
		{name: "B allow list without Namespace", terms: in(scoped(ns, placement.SelectNamespaceWithResourceSelectors)), set: func(p *pass.Propagation) { p.Allow = []schema.GroupVersionKind{gvk("", "v1", "Pod")} }, want: ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newest(t, tc.ns, tc.terms...)
			w.hold(oneDeleting)
			in := w.Input(w.key)
			if tc.set != nil {
				tc.set(&in.Propagation)
			}
			d := drive.Reconcile(in, w.timing, w.Now, w.do)
			switch {
			case tc.retried != "":
				equal(t, "error", fmt.Sprint(d.Err), tc.retried)
				equal(t, "initialized", w.cond("Initialized"), "-")
			case tc.user != "":
				equal(t, "message", w.message("Initialized"), v+": "+u+": "+tc.user)
				equal(t, "decision", d, drive.Decision{})
			default:
				equal(t, "error", d.Err, nil)
				equal(t, "content", names(w.snapshotNamed("web-0-snapshot")), tc.want)
			}
		})
	}
}

// TestNotSynced holds that a kind which the controller does not watch yet is
// waited for, and then selected.
func TestNotSynced(t *testing.T) {
	w := newest(t, "team", term("autoscaling", "v1", "HorizontalPodAutoscaler", ""))
	w.hold(oneDeleting)
	w.fault = func(e pass.Effect) (error, bool) {
		if e.Op == pass.OpListObjects {
			return initialize.NotSynced(e.Resource), false
		}
		return nil, false
	}
	equal(t, "error", fmt.Sprint(w.pass(0).Err), e+": informer cache for autoscaling/v1, Resource=horizontalpodautoscalers is not synced yet")
	equal(t, "initialized", w.cond("Initialized"), "-")
	w.fault = nil
	w.pass(30 * time.Second)
	equal(t, "initialized", w.cond("Initialized"), "True/UpdateRunInitializedSuccessfully")
	equal(t, "content", names(w.snapshotNamed("web-0-snapshot")), "HorizontalPodAutoscaler scaler")
}

func TestDisabledKinds(t *testing.T) {
	var terms []placement.ResourceSelectorTerm
	for _, k := range []schema.GroupVersionKind{
		gvk("cluster.kubernetes-fleet.io", "v1", "MemberCluster"), gvk("events.k8s.io", "v1", "Event"),
		gvk("coordination.k8s.io", "v1", "Lease"), gvk("metrics.k8s.io", "v1beta1", "PodMetrics"),
		gvk("", "v1", "Pod"), gvk("", "v1", "Node"),
		gvk("networking.fleet.azure.com", "v1", "ServiceImport"), gvk("networking.fleet.azure.com", "v1", "TrafficManagerProfile"), gvk("networking.fleet.azure.com", "v1", "TrafficManagerBackend"),
	} {
		terms = append(terms, term(k.Group, k.Version, k.Kind, ""))
	}
	for _, kind := range []string{
		"ClusterResourcePlacement", "ResourcePlacement", "ClusterResourceBinding", "ResourceBinding", "ClusterResourceSnapshot", "ResourceSnapshot",
		"ClusterSchedulingPolicySnapshot", "SchedulingPolicySnapshot", "Work", "ClusterStagedUpdateRun", "ClusterStagedUpdateStrategy", "ClusterApprovalRequest",
		"StagedUpdateRun", "StagedUpdateStrategy", "ApprovalRequest", "ClusterResourcePlacementEviction", "ClusterResourcePlacementDisruptionBudget",
		"ClusterResourceOverride", "ResourceOverride", "ClusterResourceOverrideSnapshot", "ResourceOverrideSnapshot", "ClusterResourcePlacementStatus",
	} {
		terms = append(terms, term("placement.kubernetes-fleet.io", "v1beta1", kind, ""))
	}
	w := newest(t, "", terms...)
	equal(t, "decision", w.pass(0), drive.Decision{})
	equal(t, "nothing is read", w.ops, []string{"add finalizer run", "create resource snapshot web-0-snapshot", "write run status run"})

	for _, k := range []schema.GroupVersionKind{gvk("placement.kubernetes-fleet.io", "v1beta1", "ClusterResourceEnvelope"), gvk("networking.fleet.azure.com", "v1", "MultiClusterService")} {
		w = newest(t, "", term(k.Group, k.Version, k.Kind, ""))
		w.pass(0)
		equal(t, k.Kind+" is not disabled", w.cond("Initialized"), "False/UpdateRunInitializedFailed")
	}
}

func TestExcludedObjects(t *testing.T) {
	const owned = "ownerReferences: [{apiVersion: v1, kind: X, name: x, uid: x}]"
	for _, tc := range []struct {
		name, objects, want string
		term                placement.ResourceSelectorTerm
		workload            bool
	}{
		{"deleting", `- {apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: team, deletionTimestamp: "2026-08-20T10:00:00Z"}}`, "", term("", "v1", "ConfigMap", "c"), false},
		{"ReplicaSet with an owner", "- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: r, namespace: team, " + owned + "}}\n- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: free, namespace: team}}", "ReplicaSet free", term("apps", "v1", "ReplicaSet", ""), false},
		{"kube-root-ca.crt", "- " + configMap + "kube-root-ca.crt, namespace: team}}\n- " + configMap + "c, namespace: team}}", "ConfigMap c", term("", "v1", "ConfigMap", ""), false},
		{"default account", "- {apiVersion: v1, kind: ServiceAccount, metadata: {name: default, namespace: team}}\n- {apiVersion: v1, kind: ServiceAccount, metadata: {name: s, namespace: team}}", "ServiceAccount s", term("", "v1", "ServiceAccount", ""), false},
		{"token", "- {apiVersion: v1, kind: Secret, type: kubernetes.io/service-account-token, metadata: {name: t, namespace: team}}\n- {apiVersion: v1, kind: Secret, type: Opaque, metadata: {name: s, namespace: team}}", "Secret s", term("", "v1", "Secret", ""), false},
		{"claim on a hub with workload", "- {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: p, namespace: team}}", "", term("", "v1", "PersistentVolumeClaim", ""), true},
		{"claim", "- {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: p, namespace: team}}", "PersistentVolumeClaim p", term("", "v1", "PersistentVolumeClaim", ""), false},
		{"endpoints of a service", "- {apiVersion: v1, kind: Service, metadata: {name: e, namespace: team}}\n- {apiVersion: v1, kind: Endpoints, metadata: {name: e, namespace: team}}\n- {apiVersion: v1, kind: Endpoints, metadata: {name: own, namespace: team}}", "Endpoints own", term("", "v1", "Endpoints", ""), false},
		{"managed slice", "- {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: m, namespace: team, labels: {endpointslice.kubernetes.io/managed-by: x}}}\n- {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: own, namespace: team}}", "EndpointSlice own", term("discovery.k8s.io", "v1", "EndpointSlice", ""), false},
		{"Job with an owner is taken", "- {apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: team, " + owned + "}}", "Job j", term("batch", "v1", "Job", ""), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newest(t, "team", tc.term)
			w.hold(tc.objects)
			in := w.Input(w.key)
			in.Propagation.Workload = tc.workload
			drive.Reconcile(in, w.timing, w.Now, w.do)
			equal(t, "content", names(w.snapshotNamed("web-0-snapshot")), tc.want)
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
			w := newest(t, "team", term("", "v1", "ConfigMap", "o"), term("", "v1", "Service", "o"), term("batch", "v1", "Job", "o"))
			w.hold("- " + tc.object)
			equal(t, "error", w.pass(0).Err, nil)
			equal(t, "stored", string(w.snapshotNamed("web-0-snapshot").Spec.SelectedResources[0].Raw), tc.want)
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
			w := newest(t, "team", term("", "v1", "Secret", "o"), term("", "v1", "Service", "o"), term("batch", "v1", "Job", "o"))
			w.hold("- " + tc.object)
			text := fmt.Sprint(w.pass(0).Err)
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
		{"namespaces", "", []placement.ResourceSelectorTerm{term("", "v1", "Namespace", "app")}, schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}},
		{"entered namespace", "", []placement.ResourceSelectorTerm{scoped(term("", "v1", "Namespace", "app"), placement.SelectNamespaceWithResourceSelectors)}, schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}},
		{"what a namespace holds", "", []placement.ResourceSelectorTerm{term("", "v1", "Namespace", "app")}, schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}},
		{"service of endpoints", "app", []placement.ResourceSelectorTerm{term("", "v1", "Endpoints", "")}, schema.GroupVersionResource{Version: "v1", Resource: "services"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newest(t, tc.ns, tc.terms...)
			w.hold(oneDeleting + "- {apiVersion: v1, kind: Endpoints, metadata: {name: e, namespace: app}}")
			w.fault = func(e pass.Effect) (error, bool) {
				if e.Resource == tc.fails {
					return errCrash, false
				}
				return nil, false
			}
			equal(t, "error", fmt.Sprint(w.pass(0).Err), s+": crashed")
			equal(t, "initialized", w.cond("Initialized"), "-")
		})
	}
}

// TestKindsUnknown holds that a run waits while nobody knows what kinds the hub
// serves: taken for a hub that serves none, it would fail for good.
func TestKindsUnknown(t *testing.T) {
	bothScopes(t, func(t *testing.T, w *world) {
		for _, index := range []string{"", "1"} {
			w.overrides(everywhere())
			w.start(placement.StateRun)
			w.edit(func(r *placement.StagedUpdateRun) { r.Spec.ResourceSnapshotIndex = index })
			in := w.Input(w.key)
			in.Failed.Kinds = errCrash
			equal(t, "error", fmt.Sprint(drive.Reconcile(in, w.timing, w.Now, w.do).Err), s+": crashed")
			equal(t, "initialized", w.cond("Initialized"), "-")
		}
	})
}

func TestOrderOfKinds(t *testing.T) {
	w := newest(t, "", term("", "v1", "Namespace", "a"), term("", "v1", "Namespace", "a-b"), term("rbac.authorization.k8s.io", "v1", "ClusterRole", ""))
	w.hold(`
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
	w.pass(0)
	m := w.snapshotNamed("web-0-snapshot")
	// a-b/yy sorts before a/z, bytewise.
	equal(t, "order", names(m), "Namespace a, Namespace a-b, Secret s, ConfigMap yy, ConfigMap z, ClusterRole r, Deployment d, Endpoints e, EndpointSlice s, ResourceEnvelope env")
	equal(t, "envelopes", m.Annotations[fleet+"number-of-enveloped-object"], "1")
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
	equal(t, "kinds", kinds, []pass.Kind{
		{GroupVersionKind: gvk("", "v1", "Binding"), Resource: "bindings", Namespaced: true},
		{GroupVersionKind: gvk("", "v1", "Pod"), Resource: "pods", Namespaced: true, Preferred: true},
		{GroupVersionKind: gvk("autoscaling", "v1", "HorizontalPodAutoscaler"), Resource: "horizontalpodautoscalers", Namespaced: true},
		{GroupVersionKind: gvk("autoscaling", "v2", "HorizontalPodAutoscaler"), Resource: "horizontalpodautoscalers", Namespaced: true, Preferred: true},
	})
}
