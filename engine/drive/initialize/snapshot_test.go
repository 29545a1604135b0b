package initialize_test

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
	"github.com/stagewatch/stagewatch/engine/internal/rollout"
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
	w := rollout.NewWithoutIndex(t, "vec", rollout.Term("", "v1", "Service", "web"), rollout.Term("", "v1", "ConfigMap", "cfg"))
	w.AddObjects(vector)
	rollout.Equal(t, "decision", w.Pass(0), drive.Decision{})
	m := w.SnapshotNamed("web-0-snapshot")
	rollout.Equal(t, "labels", m.Labels, map[string]string{rollout.LabelPrefix + "parent-CRP": "web", rollout.LabelPrefix + "resource-index": "0", rollout.LabelPrefix + "is-latest-snapshot": "true"})
	rollout.Equal(t, "annotations", m.Annotations, map[string]string{rollout.LabelPrefix + "resource-hash": vectorHash, rollout.LabelPrefix + "number-of-resource-snapshots": "1", rollout.LabelPrefix + "number-of-enveloped-object": "0"})
	rollout.Equal(t, "owner", m.OwnerReferences, []metav1.OwnerReference{{APIVersion: "placement.kubernetes-fleet.io/v1beta1", Kind: "ResourcePlacement", Name: "web", UID: "uid-web", Controller: new(true), BlockOwnerDeletion: new(true)}})
	rollout.Equal(t, "content", names(m), "ConfigMap cfg, Service web")
	rollout.Equal(t, "stored form", string(m.Spec.SelectedResources[0].Raw), vectorCfg)
	rollout.Equal(t, "sizes", []int{len(m.Spec.SelectedResources[0].Raw) + 1, len(m.Spec.SelectedResources[1].Raw) + 1}, []int{157, 334})
	rollout.Equal(t, "used", w.Run().Status.ResourceSnapshotIndexUsed, "0")
	rollout.Equal(t, "requested", w.Run().Spec.ResourceSnapshotIndex, "")
}

func TestSnapshotOfNothing(t *testing.T) {
	w := rollout.NewWithoutIndex(t, "", rollout.Term("", "v1", "Pod", "p"))
	w.Pass(0)
	m := w.SnapshotNamed("web-0-snapshot")
	rollout.Equal(t, "hash", m.Annotations[rollout.LabelPrefix+"resource-hash"], emptyHash)
	rollout.Equal(t, "an empty list", m.Spec.SelectedResources != nil && len(m.Spec.SelectedResources) == 0, true)
	rollout.Equal(t, "owner", m.OwnerReferences[0].Kind, "ClusterResourcePlacement")
}

func TestSnapshotReuseAndNext(t *testing.T) {
	w := rollout.NewWithoutIndex(t, "team", rollout.Term("", "v1", "ConfigMap", ""))
	w.AddObjects("- " + rollout.ConfigMap + "one, namespace: team}}")
	w.Pass(0)
	rollout.Equal(t, "first", w.Requests, []string{"add finalizer run", "list objects", "create resource snapshot web-0-snapshot", "write run status run"})

	w.ResetStatus()
	w.Pass(0)
	rollout.Equal(t, "3.11 G2 same content", w.Requests, []string{"list objects", "write run status run"})

	w.SnapshotNamed("web-0-snapshot").Labels[rollout.LabelPrefix+"is-latest-snapshot"] = "false"
	w.ResetStatus()
	w.Pass(0)
	rollout.Equal(t, "3.11 G2 label restored", w.Requests, []string{"list objects", "update resource snapshot web-0-snapshot", "write run status run"})
	rollout.Equal(t, "label", w.SnapshotNamed("web-0-snapshot").Labels[rollout.LabelPrefix+"is-latest-snapshot"], "true")

	w.AddObjects("- " + rollout.ConfigMap + "two, namespace: team}}")
	w.ResetStatus()
	w.Pass(0)
	rollout.Equal(t, "3.11 G3 other content", w.Requests, []string{"list objects", "update resource snapshot web-0-snapshot", "create resource snapshot web-1-snapshot", "write run status run"})
	rollout.Equal(t, "old label", w.SnapshotNamed("web-0-snapshot").Labels[rollout.LabelPrefix+"is-latest-snapshot"], "false")
	rollout.Equal(t, "used", w.Run().Status.ResourceSnapshotIndexUsed, "1")

	w.SnapshotNamed("web-1-snapshot").Labels[rollout.LabelPrefix+"is-latest-snapshot"] = "false"
	w.AddObjects("- " + rollout.ConfigMap + "three, namespace: team}}")
	w.ResetStatus()
	w.Pass(0)
	rollout.Equal(t, "3.11 G5 crash before create: highest index", w.SnapshotNames(), []string{"web-0-snapshot", "web-1-snapshot", "web-2-snapshot"})
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
			w := rollout.NewWithoutIndex(t, "", rollout.Term("", "v1", "Namespace", "app"))
			w.EditPlacement(func(p *placement.ResourcePlacement) { p.Spec.RevisionHistoryLimit = tc.keep })
			for i := range 12 {
				w.Put(w.Snapshot(i))
			}
			w.Pass(0)
			rollout.Equal(t, "snapshots", w.SnapshotNames(), tc.want)
		})
	}
}

func TestSnapshotPruneCountsParts(t *testing.T) {
	w := rollout.NewWithoutIndex(t, "", rollout.Term("", "v1", "Namespace", "app"))
	w.EditPlacement(func(p *placement.ResourcePlacement) { p.Spec.RevisionHistoryLimit = new(int32(3)) })
	w.Put(w.Snapshot(0))
	w.Put(part(w, 1, 0), w.Snapshot(1))
	w.Pass(0)
	rollout.Equal(t, "three objects, two indexes", w.SnapshotNames(), []string{"web-0-snapshot", "web-1-0", "web-1-snapshot", "web-2-snapshot"})
}

// part makes a further part of a snapshot group.
func part(w *rollout.World, index, part int) *placement.ResourceSnapshot {
	s := w.Snapshot(index)
	s.Name = fmt.Sprintf("web-%d-%d", index, part)
	s.Annotations = map[string]string{rollout.LabelPrefix + "subindex-of-resource-snapshot": strconv.Itoa(part)}
	return s
}

func TestSnapshotParts(t *testing.T) {
	w := rollout.NewWithoutIndex(t, "", rollout.Term("", "v1", "Namespace", ""))
	w.EditPlacement(func(p *placement.ResourcePlacement) {
		p.Spec.ResourceSelectors[0].LabelSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": "app"}}
	})
	blob := strings.Repeat("x", 400<<10)
	w.AddObjects("- {apiVersion: v1, kind: Namespace, metadata: {name: app, labels: {kubernetes.io/metadata.name: app}}}\n" +
		"- " + rollout.ConfigMap + "a, namespace: app}, data: {v: " + blob + "}}\n" +
		"- " + rollout.ConfigMap + "b, namespace: app}, data: {v: " + blob + "}}\n" +
		"- " + rollout.ConfigMap + "c, namespace: app}, data: {v: " + blob + blob + blob + "}}\n" +
		"- " + rollout.ConfigMap + "d, namespace: app}}")
	w.Pass(0)
	rollout.Equal(t, "objects", w.SnapshotNames(), []string{"web-0-0", "web-0-1", "web-0-2", "web-0-snapshot"})
	rollout.Equal(t, "master", names(w.SnapshotNamed("web-0-snapshot")), "Namespace app, ConfigMap a")
	rollout.Equal(t, "part 0", names(w.SnapshotNamed("web-0-0")), "ConfigMap b")
	rollout.Equal(t, "part 1", names(w.SnapshotNamed("web-0-1")), "ConfigMap c")
	rollout.Equal(t, "part 2", names(w.SnapshotNamed("web-0-2")), "ConfigMap d")
	rollout.Equal(t, "count", w.SnapshotNamed("web-0-snapshot").Annotations[rollout.LabelPrefix+"number-of-resource-snapshots"], "4")
	p := w.SnapshotNamed("web-0-1")
	rollout.Equal(t, "part labels", p.Labels, map[string]string{rollout.LabelPrefix + "parent-CRP": "web", rollout.LabelPrefix + "resource-index": "0"})
	rollout.Equal(t, "part annotations", p.Annotations, map[string]string{rollout.LabelPrefix + "subindex-of-resource-snapshot": "1"})

	delete(w.ResourceSnapshots, types.NamespacedName{Name: "web-0-2"})
	w.ResetStatus()
	w.Pass(0)
	rollout.Equal(t, "3.11 G2 missing tail", w.SnapshotNames(), []string{"web-0-0", "web-0-1", "web-0-2", "web-0-snapshot"})

	delete(w.ResourceSnapshots, types.NamespacedName{Name: "web-0-1"})
	w.ResetStatus()
	d := w.Pass(0)
	rollout.Equal(t, "3.11 G2 missing middle", d.Err.Error(), s+": resourcesnapshots.placement.kubernetes-fleet.io \"web-0-2\" already exists")
	rollout.Equal(t, "nothing written", fields(&w.Run().Status), "")
}

// TestPartsOfANewSnapshotAreNotSeenAtOnce holds that the run for which a snapshot
// of several parts is made fails when there is any override, and that the next
// run finds the parts: upstream counts them in its cache, right after it made
// them.
func TestPartsOfANewSnapshotAreNotSeenAtOnce(t *testing.T) {
	blob := strings.Repeat("x", 500<<10)
	parts := "- {apiVersion: v1, kind: Namespace, metadata: {name: app}}\n" +
		"- " + rollout.ConfigMap + "a, namespace: app}, data: {v: " + blob + "}}\n- " + rollout.ConfigMap + "b, namespace: app}, data: {v: " + blob + "}}\n"
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
			w := rollout.NewWithoutIndex(t, "", rollout.Term("", "v1", "Namespace", "app"))
			w.AddObjects(tc.held)
			if tc.overrode {
				w.AddOverrides(rollout.AllClusters())
			}
			w.Pass(0)
			rollout.Equal(t, "first run", w.Condition("Initialized"), tc.first)
			if strings.HasPrefix(tc.first, "False") {
				rollout.Equal(t, "message", w.Message("Initialized"), v+": "+e+": not all resource snapshot in the same index group are created: resource snapshots are still being created for the masterResourceSnapshot web-0-snapshot, total snapshot in the index group = 2, num Of existing snapshot in the group= 1, placement = web")
			}
			rollout.Equal(t, "its snapshot stays", w.Run().Status.ResourceSnapshotIndexUsed, "0")
			w.ResetStatus()
			w.Pass(0)
			rollout.Equal(t, "second run", w.Condition("Initialized"), "True/UpdateRunInitializedSuccessfully")
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
			o.Labels[rollout.LabelPrefix+"is-latest-snapshot"] = "true"
			delete(o.Annotations, rollout.LabelPrefix+"resource-hash")
		}, x + ": no masterResourceSnapshot found for the placement /web"},
		{"bad index label", func(o *placement.ResourceSnapshot) { o.Labels[rollout.LabelPrefix+"resource-index"] = "x" }, x + ": resource snapshot `web-1-snapshot` has an invalid index label `x`"},
		{"bad index label on latest", func(o *placement.ResourceSnapshot) {
			o.Labels[rollout.LabelPrefix+"is-latest-snapshot"] = "true"
			o.Labels[rollout.LabelPrefix+"resource-index"] = "x"
		}, x + ": resource snapshot `web-1-snapshot` has an invalid index label `x`"},
		{"bad count", func(o *placement.ResourceSnapshot) {
			o.Annotations[rollout.LabelPrefix+"number-of-resource-snapshots"] = "0"
		}, x + ": master resource snapshot `web-1-snapshot` has an invalid number of snapshots `0`"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := rollout.NewWithoutIndex(t, "", rollout.Term("", "v1", "Namespace", "app"))
			o := w.Snapshot(1)
			tc.damage(o)
			w.Put(w.Snapshot(0), o)
			d := w.Pass(0)
			rollout.Equal(t, "error", fmt.Sprint(d.Err), tc.want)
			rollout.Equal(t, "nothing written", fields(&w.Run().Status), "")
		})
	}
}

// TestSnapshotBadOlderIndex holds that pruning does not guess either.
func TestSnapshotBadOlderIndex(t *testing.T) {
	w := rollout.NewWithoutIndex(t, "", rollout.Term("", "v1", "Namespace", "app"))
	bad, latest := w.Snapshot(0), w.Snapshot(1)
	bad.Labels[rollout.LabelPrefix+"resource-index"] = ""
	latest.Labels[rollout.LabelPrefix+"is-latest-snapshot"] = "true"
	w.Put(bad, latest)
	d := w.Pass(0)
	rollout.Equal(t, "error", fmt.Sprint(d.Err), x+": resource snapshot `web-0-snapshot` has an invalid index label ``")
}

func TestSnapshotWriteErrors(t *testing.T) {
	for _, tc := range []struct {
		op   pass.Op
		want string
	}{
		{pass.OpListObjects, s + ": cache is cold"},
		{pass.OpUpdateSnapshot, s + ": cache is cold"},
		{pass.OpDeleteSnapshot, s + ": cache is cold"},
		{pass.OpCreateSnapshot, s + ": cache is cold"},
	} {
		t.Run(tc.op.String(), func(t *testing.T) {
			w := rollout.NewWithoutIndex(t, "team", rollout.Term("", "v1", "ConfigMap", ""))
			w.AddObjects("- " + rollout.ConfigMap + "one, namespace: team}}")
			w.EditPlacement(func(p *placement.ResourcePlacement) { p.Spec.RevisionHistoryLimit = new(int32(1)) })
			latest := w.Snapshot(0)
			latest.Labels[rollout.LabelPrefix+"is-latest-snapshot"] = "true"
			w.Put(latest)
			w.Fault = func(e pass.Effect) (error, bool) {
				if e.Op == tc.op {
					return rollout.ErrRead, false
				}
				return nil, false
			}
			rollout.Equal(t, "error", fmt.Sprint(w.Pass(0).Err), tc.want)
			w.Fault = nil
			rollout.Equal(t, "goes on", w.Pass(0), drive.Decision{})
			rollout.Equal(t, "used", w.Run().Status.ResourceSnapshotIndexUsed, map[bool]string{true: "1", false: "0"}[tc.op != pass.OpCreateSnapshot])
		})
	}
}

func cro(w *rollout.World, change func(*placement.ClusterResourceOverrideSnapshot)) {
	change(w.ClusterOverrides[types.NamespacedName{Name: "cro-0"}])
}

func ro(w *rollout.World, change func(*placement.ResourceOverrideSnapshot)) {
	change(w.Overrides[types.NamespacedName{Namespace: "app", Name: "ro-0"}])
}

func only(env string) placement.OverrideRule {
	return placement.OverrideRule{ClusterSelector: &placement.ClusterSelector{ClusterSelectorTerms: []placement.ClusterSelectorTerm{
		{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"env": env}}},
	}}}
}

// chosen prints the overrides of each cluster that has any.
func chosen(w *rollout.World) string {
	var out []string
	for i := range w.Run().Status.StagesStatus {
		for _, c := range w.Stage(i).Clusters {
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
		arrange func(*rollout.World)
		want    string
	}{
		{"every cluster", inApp, func(w *rollout.World) { w.AddOverrides(rollout.AllClusters()) }, all},
		{"no selector is no cluster", inApp, func(w *rollout.World) { w.AddOverrides(placement.OverrideRule{}) }, ""},
		{"no policy is no cluster", inApp, func(w *rollout.World) {
			w.AddOverrides()
			cro(w, func(o *placement.ClusterResourceOverrideSnapshot) { o.Spec.OverrideSpec.Policy = nil })
		}, ""},
		{"labels", inApp, func(w *rollout.World) { w.AddOverrides(only("c"), only("b")) }, "b-1[cro-0][{ro-0 app}] b-2[cro-0][{ro-0 app}] b-3[cro-0][{ro-0 app}]"},
		{"a term without labels", inApp, func(w *rollout.World) {
			w.AddOverrides(placement.OverrideRule{ClusterSelector: &placement.ClusterSelector{ClusterSelectorTerms: make([]placement.ClusterSelectorTerm, 1)}})
		}, ""},
		{"not latest", inApp, func(w *rollout.World) {
			w.AddOverrides(rollout.AllClusters())
			cro(w, func(o *placement.ClusterResourceOverrideSnapshot) { o.Labels = nil })
			ro(w, func(o *placement.ResourceOverrideSnapshot) {
				o.Labels[rollout.LabelPrefix+"is-latest-snapshot"] = "false"
			})
		}, ""},
		{"this placement", inApp, func(w *rollout.World) {
			w.AddOverrides(rollout.AllClusters())
			cro(w, func(o *placement.ClusterResourceOverrideSnapshot) {
				o.Spec.OverrideSpec.Placement = &placement.PlacementRef{Name: "web"}
			})
			ro(w, func(o *placement.ResourceOverrideSnapshot) {
				o.Spec.OverrideSpec.Placement = &placement.PlacementRef{Name: "web", Scope: placement.ScopeCluster}
			})
		}, all},
		{"another placement", inApp, func(w *rollout.World) {
			w.AddOverrides(rollout.AllClusters())
			cro(w, func(o *placement.ClusterResourceOverrideSnapshot) {
				o.Spec.OverrideSpec.Placement = &placement.PlacementRef{Name: "other"}
			})
		}, strings.ReplaceAll(all, "[cro-0]", "[]")},
		{"7.6 namespaced scope is ignored", inApp, func(w *rollout.World) {
			w.AddOverrides(rollout.AllClusters())
			ro(w, func(o *placement.ResourceOverrideSnapshot) {
				o.Spec.OverrideSpec.Placement = &placement.PlacementRef{Name: "web", Scope: placement.ScopeNamespaced}
			})
		}, strings.ReplaceAll(all, "[{ro-0 app}]", "[]")},
		{"another resource", strings.ReplaceAll(inApp, "cfg", "other"), func(w *rollout.World) { w.AddOverrides(rollout.AllClusters()) }, strings.ReplaceAll(all, "[{ro-0 app}]", "[]")},
		{"another namespace", strings.ReplaceAll(inApp, "app", "other"), func(w *rollout.World) { w.AddOverrides(rollout.AllClusters()) }, ""},
		{"cluster-scoped resource", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"app"}}`, func(w *rollout.World) { w.AddOverrides(rollout.AllClusters()) }, strings.ReplaceAll(all, "[{ro-0 app}]", "[]")},
		{
			"inside an envelope", `{"apiVersion":"placement.kubernetes-fleet.io/v1beta1","kind":"ResourceEnvelope","metadata":{"name":"wrap","namespace":"app"},"data":{"cfg.yaml":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"cfg"}}}}`,
			func(w *rollout.World) { w.AddOverrides(rollout.AllClusters()) }, all,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rollout.BothScopes(t, func(t *testing.T, w *rollout.World) {
				w.Kinds = rollout.Kinds
				o := w.Snapshot(1)
				o.Spec.SelectedResources = make([]placement.ResourceContent, 1)
				o.Spec.SelectedResources[0].Raw = []byte(tc.content)
				w.Put(o)
				tc.arrange(w)
				w.Start(placement.StateRun)
				rollout.Equal(t, "decision", w.Pass(0).Err, nil)
				rollout.Equal(t, "chosen", chosen(w), tc.want)
				rollout.Equal(t, "binding", len(w.Binding("a-1").Spec.ResourceOverrideSnapshots), len(w.Stage(0).Clusters[0].ResourceOverrideSnapshots))
				w.Pass(w.Timing.ClusterCheck)
				rollout.Equal(t, "in sync", w.Condition("Succeeded"), "-")
			})
		})
	}
}

func TestOverrideErrorsAreFinal(t *testing.T) {
	for _, tc := range []struct {
		name, ns string
		arrange  func(*rollout.World)
		want     string
	}{
		{"invalid selector", "", func(w *rollout.World) {
			rule := only("a")
			rule.ClusterSelector.ClusterSelectorTerms[0].LabelSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "k", Operator: "Like"}}
			w.AddOverrides(rule)
		}, `"Like" is not a valid label selector operator`},
		{"invalid selector, namespaced override", "", func(w *rollout.World) {
			rule := only("a")
			rule.ClusterSelector.ClusterSelectorTerms[0].LabelSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "k", Operator: "Like"}}
			w.AddOverrides(rule)
			clear(w.ClusterOverrides)
		}, `"Like" is not a valid label selector operator`},
		{"a count that is no number", "", func(w *rollout.World) {
			w.AddOverrides(rollout.AllClusters())
			w.SnapshotNamed("web-1-snapshot").Annotations[rollout.LabelPrefix+"number-of-resource-snapshots"] = "x"
		}, v + ": " + x + ": master resource snapshot web-1-snapshot for placement web has an invalid snapshot count 0 or err strconv.Atoi: parsing \"x\": invalid syntax"},
		{"a count of 0, namespaced", "team", func(w *rollout.World) {
			w.AddOverrides(rollout.AllClusters())
			w.SnapshotNamed("web-1-snapshot").Annotations[rollout.LabelPrefix+"number-of-resource-snapshots"] = "0"
		}, v + ": " + x + ": master resource snapshot web-1-snapshot for placement team/web has an invalid snapshot count 0 or err %!w(<nil>)"},
		{"parts missing", "", func(w *rollout.World) {
			w.AddOverrides(rollout.AllClusters())
			w.SnapshotNamed("web-1-snapshot").Annotations[rollout.LabelPrefix+"number-of-resource-snapshots"] = "2"
		}, v + ": " + e + ": not all resource snapshot in the same index group are created: resource snapshots are still being created for the masterResourceSnapshot web-1-snapshot, total snapshot in the index group = 2, num Of existing snapshot in the group= 1, placement = web"},
		{"7.6 namespaced group with parts", "team", func(w *rollout.World) {
			w.AddOverrides(rollout.AllClusters())
			w.SnapshotNamed("web-1-snapshot").Annotations[rollout.LabelPrefix+"number-of-resource-snapshots"] = "2"
			w.Put(part(w, 1, 0))
		}, "total snapshot in the index group = 2, num Of existing snapshot in the group= 1, placement = team/web"},
		{"broken resource", "", func(w *rollout.World) {
			w.AddOverrides(rollout.AllClusters())
			w.SnapshotNamed("web-1-snapshot").Spec.SelectedResources[0].Raw = []byte("{")
		}, v + ": " + x + ": read a resource of snapshot `web-1-snapshot`"},
		{"broken envelope", "", func(w *rollout.World) {
			w.AddOverrides(rollout.AllClusters())
			w.SnapshotNamed("web-1-snapshot").Spec.SelectedResources[0].Raw = []byte(`{"apiVersion":"placement.kubernetes-fleet.io/v1beta1","kind":"ResourceEnvelope","metadata":{"name":"wrap"},"data":7}`)
		}, v + ": " + x + ": read an envelope of snapshot `web-1-snapshot`"},
		{"broken manifest in envelope", "", func(w *rollout.World) {
			w.AddOverrides(rollout.AllClusters())
			w.SnapshotNamed("web-1-snapshot").Spec.SelectedResources[0].Raw = []byte(`{"apiVersion":"placement.kubernetes-fleet.io/v1beta1","kind":"ResourceEnvelope","metadata":{"name":"wrap"},"data":{"a":7}}`)
		}, v + ": " + x + ": read an envelope of snapshot `web-1-snapshot`"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := rollout.New(t, tc.ns)
			o := w.Snapshot(1)
			o.Spec.SelectedResources = make([]placement.ResourceContent, 1)
			o.Spec.SelectedResources[0].Raw = []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"cfg","namespace":"app"}}`)
			w.Put(o)
			tc.arrange(w)
			w.Start(placement.StateRun)
			rollout.Equal(t, "decision", w.Pass(0), drive.Decision{})
			rollout.Equal(t, "initialized", w.Condition("Initialized"), "False/UpdateRunInitializedFailed")
			if !strings.HasPrefix(w.Message("Initialized"), v+": ") || !strings.Contains(w.Message("Initialized"), tc.want) {
				t.Errorf("message %s", w.Message("Initialized"))
			}
			rollout.Equal(t, "index is stored", w.Run().Status.ResourceSnapshotIndexUsed, "1")
		})
	}
}
