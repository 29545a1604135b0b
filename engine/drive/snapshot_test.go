package drive_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// vector are objects whose snapshot and hash upstream computed
// (docs/kubefleet.md#new-snapshot, F).
const vector = `
- {apiVersion: v1, kind: Service, metadata: {name: web, namespace: vec, uid: u2, resourceVersion: "9", creationTimestamp: "2026-08-20T10:00:00Z", annotations: {kubectl.kubernetes.io/last-applied-configuration: "{}"}}, spec: {type: NodePort, clusterIP: 10.0.0.17, clusterIPs: [10.0.0.17], externalTrafficPolicy: Cluster, internalTrafficPolicy: Cluster, ipFamilies: [IPv4], ipFamilyPolicy: SingleStack, ports: [{port: 80, targetPort: 80, nodePort: 30080, protocol: TCP}], selector: {app: web}, sessionAffinity: None}, status: {loadBalancer: {}}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: cfg, namespace: vec, uid: u1, resourceVersion: "8", creationTimestamp: "2026-08-20T10:00:00Z", labels: {app: web}, annotations: {note: "a<b", kubectl.kubernetes.io/last-applied-configuration: "{}"}, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: x, uid: "1"}]}, data: {v: "1"}}
`

const (
	vectorHash = "d02d36d18d9a33b18b3335ce48d2c3433a62dd1d901c94b46d1405b818116f71"
	emptyHash  = "83ff749c5d8eb5a0b62d714175bcbaef1409b371fc5a229a002db6fcc1f144e1"
	vectorCfg  = `{"apiVersion":"v1","data":{"v":"1"},"kind":"ConfigMap","metadata":{"annotations":{"note":"a\u003cb"},"labels":{"app":"web"},"name":"cfg","namespace":"vec"}}`
)

// names lists kind and name of what a snapshot holds.
func names(s *placement.ResourceSnapshot) string {
	var out []string
	for _, r := range s.Spec.SelectedResources {
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON(r.Raw); err != nil {
			return err.Error()
		}
		out = append(out, u.GetKind()+" "+u.GetName())
	}
	return strings.Join(out, ", ")
}

func TestSnapshotVector(t *testing.T) {
	w := newest(t, "vec", term("", "v1", "Service", "web"), term("", "v1", "ConfigMap", "cfg"))
	w.hold(vector)
	equal(t, "decision", w.pass(0), drive.Decision{})
	m := w.snapshotNamed("web-0-snapshot")
	equal(t, "labels", m.Labels, map[string]string{fleet + "parent-CRP": "web", fleet + "resource-index": "0", fleet + "is-latest-snapshot": "true"})
	equal(t, "annotations", m.Annotations, map[string]string{fleet + "resource-hash": vectorHash, fleet + "number-of-resource-snapshots": "1", fleet + "number-of-enveloped-object": "0"})
	equal(t, "owner", m.OwnerReferences, []metav1.OwnerReference{{APIVersion: "placement.kubernetes-fleet.io/v1beta1", Kind: "ResourcePlacement", Name: "web", UID: "uid-web", Controller: new(true), BlockOwnerDeletion: new(true)}})
	equal(t, "content", names(m), "ConfigMap cfg, Service web")
	equal(t, "stored form", string(m.Spec.SelectedResources[0].Raw), vectorCfg)
	equal(t, "sizes", []int{len(m.Spec.SelectedResources[0].Raw) + 1, len(m.Spec.SelectedResources[1].Raw) + 1}, []int{157, 334})
	equal(t, "used", w.run().Status.ResourceSnapshotIndexUsed, "0")
	equal(t, "requested", w.run().Spec.ResourceSnapshotIndex, "")
}

func TestSnapshotOfNothing(t *testing.T) {
	w := newest(t, "", term("", "v1", "Pod", "p"))
	w.pass(0)
	m := w.snapshotNamed("web-0-snapshot")
	equal(t, "hash", m.Annotations[fleet+"resource-hash"], emptyHash)
	equal(t, "an empty list", m.Spec.SelectedResources != nil && len(m.Spec.SelectedResources) == 0, true)
	equal(t, "owner", m.OwnerReferences[0].Kind, "ClusterResourcePlacement")
}

func TestSnapshotReuseAndNext(t *testing.T) {
	w := newest(t, "team", term("", "v1", "ConfigMap", ""))
	w.hold("- " + configMap + "one, namespace: team}}")
	w.pass(0)
	equal(t, "first", w.ops, []string{"add finalizer run", "list objects", "create resource snapshot web-0-snapshot", "write run status run"})

	w.again()
	w.pass(0)
	equal(t, "3.11 G2 same content", w.ops, []string{"list objects", "write run status run"})

	w.snapshotNamed("web-0-snapshot").Labels[fleet+"is-latest-snapshot"] = "false"
	w.again()
	w.pass(0)
	equal(t, "3.11 G2 label restored", w.ops, []string{"list objects", "update resource snapshot web-0-snapshot", "write run status run"})
	equal(t, "label", w.snapshotNamed("web-0-snapshot").Labels[fleet+"is-latest-snapshot"], "true")

	w.hold("- " + configMap + "two, namespace: team}}")
	w.again()
	w.pass(0)
	equal(t, "3.11 G3 other content", w.ops, []string{"list objects", "update resource snapshot web-0-snapshot", "create resource snapshot web-1-snapshot", "write run status run"})
	equal(t, "old label", w.snapshotNamed("web-0-snapshot").Labels[fleet+"is-latest-snapshot"], "false")
	equal(t, "used", w.run().Status.ResourceSnapshotIndexUsed, "1")

	w.snapshotNamed("web-1-snapshot").Labels[fleet+"is-latest-snapshot"] = "false"
	w.hold("- " + configMap + "three, namespace: team}}")
	w.again()
	w.pass(0)
	equal(t, "3.11 G5 crash before create: highest index", w.snapshotNames(), []string{"web-0-snapshot", "web-1-snapshot", "web-2-snapshot"})
}

func TestSnapshotPrune(t *testing.T) {
	for _, tc := range []struct {
		name string
		keep *int32
		want []string
	}{
		{"default keeps ten", nil, []string{"web-10-snapshot", "web-11-snapshot", "web-12-snapshot", "web-3-snapshot", "web-4-snapshot", "web-5-snapshot", "web-6-snapshot", "web-7-snapshot", "web-8-snapshot", "web-9-snapshot"}},
		{"three", new(int32(3)), []string{"web-10-snapshot", "web-11-snapshot", "web-12-snapshot"}},
		{"one deletes the latest", new(int32(1)), []string{"web-12-snapshot"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newest(t, "", term("", "v1", "Namespace", "app"))
			w.placement(func(p *placement.ResourcePlacement) { p.Spec.RevisionHistoryLimit = tc.keep })
			for i := range 12 {
				w.Put(w.snapshot(i))
			}
			w.pass(0)
			equal(t, "snapshots", w.snapshotNames(), tc.want)
		})
	}
}

func TestSnapshotPruneCountsParts(t *testing.T) {
	w := newest(t, "", term("", "v1", "Namespace", "app"))
	w.placement(func(p *placement.ResourcePlacement) { p.Spec.RevisionHistoryLimit = new(int32(3)) })
	w.Put(w.snapshot(0))
	w.Put(part(w, 1, 0), w.snapshot(1))
	w.pass(0)
	equal(t, "three objects, two indexes", w.snapshotNames(), []string{"web-0-snapshot", "web-1-0", "web-1-snapshot", "web-2-snapshot"})
}

// part makes a further part of a snapshot group.
func part(w *world, index, part int) *placement.ResourceSnapshot {
	s := w.snapshot(index)
	s.Name = fmt.Sprintf("web-%d-%d", index, part)
	s.Annotations = map[string]string{fleet + "subindex-of-resource-snapshot": strconv.Itoa(part)}
	return s
}

func TestSnapshotParts(t *testing.T) {
	w := newest(t, "", term("", "v1", "Namespace", ""))
	w.placement(func(p *placement.ResourcePlacement) {
		p.Spec.ResourceSelectors[0].LabelSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": "app"}}
	})
	blob := strings.Repeat("x", 400<<10)
	w.hold("- {apiVersion: v1, kind: Namespace, metadata: {name: app, labels: {kubernetes.io/metadata.name: app}}}\n" +
		"- " + configMap + "a, namespace: app}, data: {v: " + blob + "}}\n" +
		"- " + configMap + "b, namespace: app}, data: {v: " + blob + "}}\n" +
		"- " + configMap + "c, namespace: app}, data: {v: " + blob + blob + blob + "}}\n" +
		"- " + configMap + "d, namespace: app}}")
	w.pass(0)
	equal(t, "objects", w.snapshotNames(), []string{"web-0-0", "web-0-1", "web-0-2", "web-0-snapshot"})
	equal(t, "master", names(w.snapshotNamed("web-0-snapshot")), "Namespace app, ConfigMap a")
	equal(t, "part 0", names(w.snapshotNamed("web-0-0")), "ConfigMap b")
	equal(t, "part 1", names(w.snapshotNamed("web-0-1")), "ConfigMap c")
	equal(t, "part 2", names(w.snapshotNamed("web-0-2")), "ConfigMap d")
	equal(t, "count", w.snapshotNamed("web-0-snapshot").Annotations[fleet+"number-of-resource-snapshots"], "4")
	p := w.snapshotNamed("web-0-1")
	equal(t, "part labels", p.Labels, map[string]string{fleet + "parent-CRP": "web", fleet + "resource-index": "0"})
	equal(t, "part annotations", p.Annotations, map[string]string{fleet + "subindex-of-resource-snapshot": "1"})

	delete(w.ResourceSnapshots, types.NamespacedName{Name: "web-0-2"})
	w.again()
	w.pass(0)
	equal(t, "3.11 G2 missing tail", w.snapshotNames(), []string{"web-0-0", "web-0-1", "web-0-2", "web-0-snapshot"})

	delete(w.ResourceSnapshots, types.NamespacedName{Name: "web-0-1"})
	w.again()
	d := w.pass(0)
	equal(t, "3.11 G2 missing middle", d.Err.Error(), s+": resourcesnapshots.placement.kubernetes-fleet.io \"web-0-2\" already exists")
	equal(t, "nothing written", fields(&w.run().Status), "")
}

// TestPartsOfANewSnapshotAreNotSeenAtOnce holds that the run for which a snapshot
// of several parts is made fails when there is any override, and that the next
// run finds the parts: upstream counts them in its cache, right after it made
// them.
func TestPartsOfANewSnapshotAreNotSeenAtOnce(t *testing.T) {
	blob := strings.Repeat("x", 500<<10)
	parts := "- {apiVersion: v1, kind: Namespace, metadata: {name: app}}\n" +
		"- " + configMap + "a, namespace: app}, data: {v: " + blob + "}}\n- " + configMap + "b, namespace: app}, data: {v: " + blob + "}}\n"
	for _, tc := range []struct {
		name     string
		overrode bool
		held     string
		first    string
	}{
		{"without an override", false, parts, "True/UpdateRunInitializedSuccessfully"},
		{"in one part", true, "- {apiVersion: v1, kind: Namespace, metadata: {name: app}}\n", "True/UpdateRunInitializedSuccessfully"},
		{"in two parts", true, parts, "False/UpdateRunInitializedFailed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newest(t, "", term("", "v1", "Namespace", "app"))
			w.hold(tc.held)
			if tc.overrode {
				w.overrides(everywhere())
			}
			w.pass(0)
			equal(t, "first run", w.cond("Initialized"), tc.first)
			if strings.HasPrefix(tc.first, "False") {
				equal(t, "message", w.message("Initialized"), v+": "+e+": not all resource snapshot in the same index group are created: resource snapshots are still being created for the masterResourceSnapshot web-0-snapshot, total snapshot in the index group = 2, num Of existing snapshot in the group= 1, placement = web")
			}
			equal(t, "its snapshot stays", w.run().Status.ResourceSnapshotIndexUsed, "0")
			w.again()
			w.pass(0)
			equal(t, "second run", w.cond("Initialized"), "True/UpdateRunInitializedSuccessfully")
		})
	}
}

func TestSnapshotDamage(t *testing.T) {
	for _, tc := range []struct {
		name   string
		damage func(*placement.ResourceSnapshot)
		want   string
	}{
		{"latest without hash", func(o *placement.ResourceSnapshot) {
			o.Labels[fleet+"is-latest-snapshot"] = "true"
			delete(o.Annotations, fleet+"resource-hash")
		}, x + ": no masterResourceSnapshot found for the placement /web"},
		{"bad index label", func(o *placement.ResourceSnapshot) { o.Labels[fleet+"resource-index"] = "x" }, x + ": resource snapshot `web-1-snapshot` has an invalid index label `x`"},
		{"bad index label on latest", func(o *placement.ResourceSnapshot) {
			o.Labels[fleet+"is-latest-snapshot"] = "true"
			o.Labels[fleet+"resource-index"] = "x"
		}, x + ": resource snapshot `web-1-snapshot` has an invalid index label `x`"},
		{"bad count", func(o *placement.ResourceSnapshot) {
			o.Annotations[fleet+"number-of-resource-snapshots"] = "0"
		}, x + ": master resource snapshot `web-1-snapshot` has an invalid number of snapshots `0`"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newest(t, "", term("", "v1", "Namespace", "app"))
			o := w.snapshot(1)
			tc.damage(o)
			w.Put(w.snapshot(0), o)
			d := w.pass(0)
			equal(t, "error", fmt.Sprint(d.Err), tc.want)
			equal(t, "nothing written", fields(&w.run().Status), "")
		})
	}
}

// TestSnapshotBadOlderIndex holds that pruning does not guess either.
func TestSnapshotBadOlderIndex(t *testing.T) {
	w := newest(t, "", term("", "v1", "Namespace", "app"))
	bad, latest := w.snapshot(0), w.snapshot(1)
	bad.Labels[fleet+"resource-index"] = ""
	latest.Labels[fleet+"is-latest-snapshot"] = "true"
	w.Put(bad, latest)
	d := w.pass(0)
	equal(t, "error", fmt.Sprint(d.Err), x+": resource snapshot `web-0-snapshot` has an invalid index label ``")
}

func TestSnapshotWriteErrors(t *testing.T) {
	for _, tc := range []struct {
		op   pass.Op
		want string
	}{
		{pass.OpListObjects, s + ": crashed"},
		{pass.OpUpdateSnapshot, s + ": crashed"},
		{pass.OpDeleteSnapshot, s + ": crashed"},
		{pass.OpCreateSnapshot, s + ": crashed"},
	} {
		t.Run(tc.op.String(), func(t *testing.T) {
			w := newest(t, "team", term("", "v1", "ConfigMap", ""))
			w.hold("- " + configMap + "one, namespace: team}}")
			w.placement(func(p *placement.ResourcePlacement) { p.Spec.RevisionHistoryLimit = new(int32(1)) })
			latest := w.snapshot(0)
			latest.Labels[fleet+"is-latest-snapshot"] = "true"
			w.Put(latest)
			w.fault = func(e pass.Effect) (error, bool) {
				if e.Op == tc.op {
					return errCrash, false
				}
				return nil, false
			}
			equal(t, "error", fmt.Sprint(w.pass(0).Err), tc.want)
			w.fault = nil
			equal(t, "goes on", w.pass(0), drive.Decision{})
			equal(t, "used", w.run().Status.ResourceSnapshotIndexUsed, map[bool]string{true: "1", false: "0"}[tc.op != pass.OpCreateSnapshot])
		})
	}
}

func cro(w *world, change func(*placement.ClusterResourceOverrideSnapshot)) {
	change(w.ClusterOverrides[types.NamespacedName{Name: "cro-0"}])
}

func ro(w *world, change func(*placement.ResourceOverrideSnapshot)) {
	change(w.Overrides[types.NamespacedName{Namespace: "app", Name: "ro-0"}])
}

func only(env string) placement.OverrideRule {
	return placement.OverrideRule{ClusterSelector: &placement.ClusterSelector{ClusterSelectorTerms: []placement.ClusterSelectorTerm{
		{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"env": env}}},
	}}}
}

// chosen prints the overrides of each cluster that has any.
func chosen(w *world) string {
	var out []string
	for i := range w.run().Status.StagesStatus {
		for _, c := range w.stage(i).Clusters {
			if len(c.ClusterResourceOverrideSnapshots)+len(c.ResourceOverrideSnapshots) > 0 {
				out = append(out, fmt.Sprintf("%s%v%v", c.ClusterName, c.ClusterResourceOverrideSnapshots, c.ResourceOverrideSnapshots))
			}
		}
	}
	return strings.Join(out, " ")
}

func TestOverrides(t *testing.T) {
	const inApp = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"cfg","namespace":"app"}}`
	all := "a-1[cro-0][{ro-0 app}] a-2[cro-0][{ro-0 app}] b-1[cro-0][{ro-0 app}] b-2[cro-0][{ro-0 app}] b-3[cro-0][{ro-0 app}]"
	for _, tc := range []struct {
		name    string
		content string
		arrange func(*world)
		want    string
	}{
		{"every cluster", inApp, func(w *world) { w.overrides(everywhere()) }, all},
		{"no selector is no cluster", inApp, func(w *world) { w.overrides(placement.OverrideRule{}) }, ""},
		{"no policy is no cluster", inApp, func(w *world) {
			w.overrides()
			cro(w, func(o *placement.ClusterResourceOverrideSnapshot) { o.Spec.OverrideSpec.Policy = nil })
		}, ""},
		{"labels", inApp, func(w *world) { w.overrides(only("c"), only("b")) }, "b-1[cro-0][{ro-0 app}] b-2[cro-0][{ro-0 app}] b-3[cro-0][{ro-0 app}]"},
		{"a term without labels", inApp, func(w *world) {
			w.overrides(placement.OverrideRule{ClusterSelector: &placement.ClusterSelector{ClusterSelectorTerms: make([]placement.ClusterSelectorTerm, 1)}})
		}, ""},
		{"not latest", inApp, func(w *world) {
			w.overrides(everywhere())
			cro(w, func(o *placement.ClusterResourceOverrideSnapshot) { o.Labels = nil })
			ro(w, func(o *placement.ResourceOverrideSnapshot) { o.Labels[fleet+"is-latest-snapshot"] = "false" })
		}, ""},
		{"this placement", inApp, func(w *world) {
			w.overrides(everywhere())
			cro(w, func(o *placement.ClusterResourceOverrideSnapshot) {
				o.Spec.OverrideSpec.Placement = &placement.PlacementRef{Name: "web"}
			})
			ro(w, func(o *placement.ResourceOverrideSnapshot) {
				o.Spec.OverrideSpec.Placement = &placement.PlacementRef{Name: "web", Scope: placement.ScopeCluster}
			})
		}, all},
		{"another placement", inApp, func(w *world) {
			w.overrides(everywhere())
			cro(w, func(o *placement.ClusterResourceOverrideSnapshot) {
				o.Spec.OverrideSpec.Placement = &placement.PlacementRef{Name: "other"}
			})
		}, strings.ReplaceAll(all, "[cro-0]", "[]")},
		{"7.6 namespaced scope is ignored", inApp, func(w *world) {
			w.overrides(everywhere())
			ro(w, func(o *placement.ResourceOverrideSnapshot) {
				o.Spec.OverrideSpec.Placement = &placement.PlacementRef{Name: "web", Scope: placement.ScopeNamespaced}
			})
		}, strings.ReplaceAll(all, "[{ro-0 app}]", "[]")},
		{"another resource", strings.ReplaceAll(inApp, "cfg", "other"), func(w *world) { w.overrides(everywhere()) }, strings.ReplaceAll(all, "[{ro-0 app}]", "[]")},
		{"another namespace", strings.ReplaceAll(inApp, "app", "other"), func(w *world) { w.overrides(everywhere()) }, ""},
		{"cluster-scoped resource", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"app"}}`, func(w *world) { w.overrides(everywhere()) }, strings.ReplaceAll(all, "[{ro-0 app}]", "[]")},
		{
			"inside an envelope", `{"apiVersion":"placement.kubernetes-fleet.io/v1beta1","kind":"ResourceEnvelope","metadata":{"name":"wrap","namespace":"app"},"data":{"cfg.yaml":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"cfg"}}}}`,
			func(w *world) { w.overrides(everywhere()) }, all,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bothScopes(t, func(t *testing.T, w *world) {
				w.Kinds = known
				o := w.snapshot(1)
				o.Spec.SelectedResources = make([]placement.ResourceContent, 1)
				o.Spec.SelectedResources[0].Raw = []byte(tc.content)
				w.Put(o)
				tc.arrange(w)
				w.start(placement.StateRun)
				equal(t, "decision", w.pass(0).Err, nil)
				equal(t, "chosen", chosen(w), tc.want)
				equal(t, "binding", len(w.binding("a-1").Spec.ResourceOverrideSnapshots), len(w.stage(0).Clusters[0].ResourceOverrideSnapshots))
				w.pass(w.timing.ClusterCheck)
				equal(t, "in sync", w.cond("Succeeded"), "-")
			})
		})
	}
}

func TestOverrideErrorsAreFinal(t *testing.T) {
	for _, tc := range []struct {
		name, ns string
		arrange  func(*world)
		want     string
	}{
		{"invalid selector", "", func(w *world) {
			rule := only("a")
			rule.ClusterSelector.ClusterSelectorTerms[0].LabelSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "k", Operator: "Like"}}
			w.overrides(rule)
		}, `"Like" is not a valid label selector operator`},
		{"invalid selector, namespaced override", "", func(w *world) {
			rule := only("a")
			rule.ClusterSelector.ClusterSelectorTerms[0].LabelSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "k", Operator: "Like"}}
			w.overrides(rule)
			clear(w.ClusterOverrides)
		}, `"Like" is not a valid label selector operator`},
		{"a count that is no number", "", func(w *world) {
			w.overrides(everywhere())
			w.snapshotNamed("web-1-snapshot").Annotations[fleet+"number-of-resource-snapshots"] = "x"
		}, v + ": " + x + ": master resource snapshot web-1-snapshot for placement web has an invalid snapshot count 0 or err strconv.Atoi: parsing \"x\": invalid syntax"},
		{"a count of 0, namespaced", "team", func(w *world) {
			w.overrides(everywhere())
			w.snapshotNamed("web-1-snapshot").Annotations[fleet+"number-of-resource-snapshots"] = "0"
		}, v + ": " + x + ": master resource snapshot web-1-snapshot for placement team/web has an invalid snapshot count 0 or err %!w(<nil>)"},
		{"parts missing", "", func(w *world) {
			w.overrides(everywhere())
			w.snapshotNamed("web-1-snapshot").Annotations[fleet+"number-of-resource-snapshots"] = "2"
		}, v + ": " + e + ": not all resource snapshot in the same index group are created: resource snapshots are still being created for the masterResourceSnapshot web-1-snapshot, total snapshot in the index group = 2, num Of existing snapshot in the group= 1, placement = web"},
		{"7.6 namespaced group with parts", "team", func(w *world) {
			w.overrides(everywhere())
			w.snapshotNamed("web-1-snapshot").Annotations[fleet+"number-of-resource-snapshots"] = "2"
			w.Put(part(w, 1, 0))
		}, "total snapshot in the index group = 2, num Of existing snapshot in the group= 1, placement = team/web"},
		{"broken resource", "", func(w *world) {
			w.overrides(everywhere())
			w.snapshotNamed("web-1-snapshot").Spec.SelectedResources[0].Raw = []byte("{")
		}, v + ": " + x + ": read a resource of snapshot `web-1-snapshot`"},
		{"broken envelope", "", func(w *world) {
			w.overrides(everywhere())
			w.snapshotNamed("web-1-snapshot").Spec.SelectedResources[0].Raw = []byte(`{"apiVersion":"placement.kubernetes-fleet.io/v1beta1","kind":"ResourceEnvelope","metadata":{"name":"wrap"},"data":7}`)
		}, v + ": " + x + ": read an envelope of snapshot `web-1-snapshot`"},
		{"broken manifest in envelope", "", func(w *world) {
			w.overrides(everywhere())
			w.snapshotNamed("web-1-snapshot").Spec.SelectedResources[0].Raw = []byte(`{"apiVersion":"placement.kubernetes-fleet.io/v1beta1","kind":"ResourceEnvelope","metadata":{"name":"wrap"},"data":{"a":7}}`)
		}, v + ": " + x + ": read an envelope of snapshot `web-1-snapshot`"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, tc.ns)
			o := w.snapshot(1)
			o.Spec.SelectedResources = make([]placement.ResourceContent, 1)
			o.Spec.SelectedResources[0].Raw = []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"cfg","namespace":"app"}}`)
			w.Put(o)
			tc.arrange(w)
			w.start(placement.StateRun)
			equal(t, "decision", w.pass(0), drive.Decision{})
			equal(t, "initialized", w.cond("Initialized"), "False/UpdateRunInitializedFailed")
			if !strings.HasPrefix(w.message("Initialized"), v+": ") || !strings.Contains(w.message("Initialized"), tc.want) {
				t.Errorf("message %s", w.message("Initialized"))
			}
			equal(t, "index is stored", w.run().Status.ResourceSnapshotIndexUsed, "1")
		})
	}
}
