package fleet

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

func TestOverlay(t *testing.T) {
	for _, tt := range []struct{ name, whole, before, after, want string }{
		{"unknown fields stay", `{"a":1,"new":{"x":1}}`, `{"a":1}`, `{"a":2}`, `{"a":2,"new":{"x":1}}`},
		{"inside an object, too", `{"s":{"a":1,"new":1}}`, `{"s":{"a":1}}`, `{"s":{"a":2}}`, `{"s":{"a":2,"new":1}}`},
		{"a list that did not change keeps what is unknown in it", `{"l":[{"a":1,"new":1}],"b":1}`, `{"l":[{"a":1}],"b":1}`, `{"l":[{"a":1}],"b":2}`, `{"l":[{"a":1,"new":1}],"b":2}`},
		{"a list that changed is replaced", `{"l":[{"a":1,"new":1}]}`, `{"l":[{"a":1}]}`, `{"l":[]}`, `{"l":[]}`},
		{"a known field that is gone goes", `{"a":1,"new":1}`, `{"a":1}`, `{}`, `{"new":1}`},
		{"a field that comes comes", `{}`, `{}`, `{"a":{"b":1}}`, `{"a":{"b":1}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			whole := object(t, tt.whole)
			overlay(whole, object(t, tt.before), object(t, tt.after))
			if want := object(t, tt.want); !reflect.DeepEqual(whole, want) {
				t.Errorf("got %v, want %v", whole, want)
			}
		})
	}
}

func TestComplete(t *testing.T) {
	for _, tt := range []struct{ name, whole, typed, want string }{
		{"a field that is always sent comes", `{"spec":{"a":1}}`, `{"spec":{"a":1,"b":""}}`, `{"spec":{"a":1,"b":""}}`},
		{"what is there stays", `{"spec":{"b":"x","new":1}}`, `{"spec":{"b":""}}`, `{"spec":{"b":"x","new":1}}`},
		{"only the spec", `{"spec":{}}`, `{"spec":{},"status":{}}`, `{"spec":{}}`},
		{"no spec", `{"data":{}}`, `{"spec":{"a":1}}`, `{"data":{}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			whole := object(t, tt.whole)
			complete(whole, object(t, tt.typed))
			if want := object(t, tt.want); !reflect.DeepEqual(whole, want) {
				t.Errorf("got %v, want %v", whole, want)
			}
		})
	}
}

func TestApplyPatch(t *testing.T) {
	for _, tt := range []struct{ name, in, op, path, value, want, wrong string }{
		{"replace", `{"a":{"b":1}}`, "replace", "/a/b", `2`, `{"a":{"b":2}}`, ""},
		{"add to an object", `{"a":{}}`, "add", "/a/b", `"x"`, `{"a":{"b":"x"}}`, ""},
		{"add to the end of a list", `{"a":[1]}`, "add", "/a/-", `2`, `{"a":[1,2]}`, ""},
		{"add into a list", `{"a":[1,3]}`, "add", "/a/1", `2`, `{"a":[1,2,3]}`, ""},
		{"remove", `{"a":[1,2]}`, "remove", "/a/0", ``, `{"a":[2]}`, ""},
		{"in a list", `{"a":[{"i":1}]}`, "replace", "/a/0/i", `2`, `{"a":[{"i":2}]}`, ""},
		{"escaped", `{"a/b":1}`, "replace", "/a~1b", `2`, `{"a/b":2}`, ""},
		{"nothing to replace", `{}`, "replace", "/a", `2`, ``, "doc is missing path: a"},
		{"no parent", `{}`, "add", "/a/b", `2`, ``, "doc is missing path: a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := applyPatch(object(t, tt.in), placement.JSONPatchOverride{Op: tt.op, Path: tt.path, Value: json.RawMessage(tt.value)})
			if tt.wrong != "" {
				if err == nil || err.Error() != tt.wrong {
					t.Errorf("error %v, want %s", err, tt.wrong)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if want := object(t, tt.want); !reflect.DeepEqual(got, any(want)) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestValidImage(t *testing.T) {
	for image, want := range map[string]bool{
		"registry.contoso.example/shop/checkout:4.41.0": true,
		"nginx":                                 true,
		"localhost:5000/a/b_c-d:v1":             true,
		"a/b@sha256:" + strings.Repeat("0", 64): true,
		"registry.weu.contoso.example/search/search-indexer:3.8.0!":          false,
		"registry.eus.contoso.example//search/suggest:1.13.0":                false,
		"registry.weu.contoso.example/observability/telemetry-agent:0.98.0 ": false,
		"Registry/Upper:1": false,
		"":                 false,
		"registry.contoso.example/shop/checkout:" + strings.Repeat("v", 129) + "v1": false,
	} {
		if got := validImage.MatchString(image); got != want {
			t.Errorf("%q: valid %t, want %t", image, got, want)
		}
	}
}

func TestBindingStatus(t *testing.T) {
	at := metav1.NewTime(time.Date(2026, 8, 20, 10, 0, 0, 0, time.UTC))
	binding := &placement.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Name: "web-weu-1", Generation: 3}}
	binding.Status.Conditions = []metav1.Condition{
		{Type: "RolloutStarted", Status: "True", Reason: "RolloutStarted", Message: "started", ObservedGeneration: 3},
		{Type: "Available", Status: "True", Reason: "AllWorkAreAvailable", ObservedGeneration: 2},
	}
	contents, err := manifests(Placement{Name: "web", Image: "registry.contoso.example/web"}, Snapshot{Tag: "1.0.0"})
	if err != nil {
		t.Fatal(err)
	}
	work := func(applied bool, pending map[int]bool) *placement.Work {
		w := &placement.Work{ObjectMeta: metav1.ObjectMeta{Name: "web-work", Generation: 2}}
		w.Spec.Workload.Manifests = contents
		if applied {
			w.Status = reportApplied(w, 2, at, pending, nil)
		}
		return w
	}
	const top = "RolloutStarted=True RolloutStarted: started"
	overridden := "Overridden=True NoOverrideSpecified: No override rules are configured for the selected resources"
	synced := "WorkSynchronized=True AllWorkSynced: All of the works are synchronized to the latest"
	applied := "Applied=True AllWorkHaveBeenApplied: All corresponding work objects are applied"
	for _, tt := range []struct {
		name   string
		in     report
		want   []string
		failed int
	}{
		{
			"an override that cannot be applied",
			report{overridden: true, overrideErr: fmt.Errorf("doc is missing path: a")},
			[]string{top, "Overridden=False OverriddenFailed: Failed to apply the override rules on the resources: doc is missing path: a"},
			0,
		},
		{
			"works that cannot be written",
			report{syncErr: fmt.Errorf("no snapshot")},
			[]string{top, overridden, "WorkSynchronized=False SyncWorkFailed: Failed to synchronize the work to the latest: no snapshot"},
			0,
		},
		{
			"works just written",
			report{changed: true, works: []*placement.Work{work(true, nil)}},
			[]string{top, overridden, synced, "Applied=False ApplyInProgress: Resources are being applied"},
			0,
		},
		{
			"not heard of yet",
			report{works: []*placement.Work{work(false, nil)}},
			[]string{top, overridden, synced, "Applied=False NotAllWorkHaveBeenApplied: Work object web-work has not yet completed the apply op"},
			0,
		},
		{
			"not available",
			report{overridden: true, works: []*placement.Work{work(true, map[int]bool{3: true})}},
			[]string{
				top, "Overridden=True OverriddenSucceeded: Successfully applied the override rules on the resources", synced, applied,
				"Available=False NotAllWorkAreAvailable: Work object web-work is not yet available",
			},
			1,
		},
		{
			"available",
			report{works: []*placement.Work{work(true, nil)}},
			[]string{top, overridden, synced, applied, "Available=True AllWorkAreAvailable: All corresponding work objects are available"},
			0,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status := tt.in.status(binding, at)
			if got := spoken(status.Conditions); !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
			for _, c := range status.Conditions {
				if c.ObservedGeneration != 3 {
					t.Errorf("%s observed generation %d, want 3", c.Type, c.ObservedGeneration)
				}
			}
			if len(status.FailedPlacements) != tt.failed {
				t.Errorf("failed placements %+v, want %d", status.FailedPlacements, tt.failed)
			}
		})
	}
}

// What a member says of changed fields comes to the binding, and keeps its times.
func TestDriftIsReported(t *testing.T) {
	at := metav1.NewTime(time.Date(2026, 8, 20, 10, 0, 0, 0, time.UTC))
	contents, err := manifests(Placement{Name: "web", Image: "registry.contoso.example/web"}, Snapshot{Tag: "1.0.0"})
	if err != nil {
		t.Fatal(err)
	}
	w := &placement.Work{ObjectMeta: metav1.ObjectMeta{Name: "web-work", Generation: 2}}
	w.Spec.Workload.Manifests = contents
	no := map[int]Refusal{1: {
		Reason: placement.ReasonManifestFoundDrifts, Message: "drifts are found",
		Drift: []placement.PatchDetail{{Path: "/data/RELEASE", ValueInMember: "hotfix", ValueInHub: "1.0.0"}},
	}}
	w.Status = reportApplied(w, 2, at, nil, no)
	first := w.Status
	w.Status = reportApplied(w, 2, metav1.NewTime(at.Add(time.Hour)), nil, no)
	if !equality.Semantic.DeepEqual(first, w.Status) {
		t.Errorf("the next report differs:\n%+v\n%+v", first, w.Status)
	}
	b := &placement.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Name: "web-weu-1", Generation: 3}}
	b.Status.Conditions = []metav1.Condition{{Type: "RolloutStarted", Status: "True", Reason: "RolloutStarted", ObservedGeneration: 3}}
	status := report{works: []*placement.Work{w}}.status(b, at)
	if d := status.DriftedPlacements; len(d) != 1 || d[0].Name == "" || !slices.Equal(d[0].ObservedDrifts, no[1].Drift) || len(status.FailedPlacements) != 1 {
		t.Errorf("drifted %+v, failed %+v", d, status.FailedPlacements)
	}
	if w.Status = reportApplied(w, 2, at, nil, nil); w.Status.ManifestConditions[1].DriftDetails != nil {
		t.Error("the drift outlived its reason")
	}
}

func TestPlacementStatus(t *testing.T) {
	cluster := func(name, index string, conditions ...metav1.Condition) placement.PerClusterPlacementStatus {
		return placement.PerClusterPlacementStatus{ClusterName: name, ObservedResourceIndex: index, Conditions: conditions}
	}
	all := settledConditions(1, metav1.Time{})
	settled := append([]metav1.Condition{{Type: "RolloutStarted", Status: "True", Reason: "RolloutStarted"}}, all...)
	const scheduled = "ResourcePlacementScheduled=True SchedulingPolicyFulfilled: found all cluster needed as specified by the scheduling policy, found 2 cluster(s)"
	const outside = "ResourcePlacementRolloutStarted=Unknown RolloutControlledByExternalController: Rollout is controlled by an external controller and "
	for _, tt := range []struct {
		name     string
		clusters []placement.PerClusterPlacementStatus
		want     []string
	}{
		{
			"different indices",
			[]placement.PerClusterPlacementStatus{cluster("a", "1", settled...), cluster("b", "2", settled...)},
			[]string{scheduled, outside + "different resource snapshot versions are observed across clusters"},
		},
		{
			"no index",
			[]placement.PerClusterPlacementStatus{cluster("a", ""), cluster("b", "")},
			[]string{scheduled, outside + "no resource snapshot name is observed across clusters. To determine rollout status, " +
				"check the StagedUpdateRun resources with spec.placementName matching this placement"},
		},
		{
			"one cluster unknown",
			[]placement.PerClusterPlacementStatus{
				cluster("a", "1", settled...), cluster("b", "1", metav1.Condition{Type: "RolloutStarted", Status: "Unknown"}),
			},
			[]string{scheduled, outside + "cluster b is in RolloutStarted Unknown state"},
		},
		{
			"one cluster not available",
			[]placement.PerClusterPlacementStatus{
				cluster("a", "1", settled...),
				cluster("b", "1", append(slices.Clone(settled[:4]), metav1.Condition{Type: "Available", Status: "False"})...),
			},
			[]string{
				scheduled,
				"ResourcePlacementRolloutStarted=True RolloutStarted: All 2 cluster(s) start rolling out the latest resource",
				"ResourcePlacementOverridden=True NoOverrideSpecified: No override rules are configured for the selected resources",
				"ResourcePlacementWorkSynchronized=True WorkSynchronized: Works(s) are succcesfully created or updated in 2 target cluster(s)' namespaces",
				"ResourcePlacementApplied=True ApplySucceeded: The selected resources are successfully applied to 2 cluster(s)",
				"ResourcePlacementAvailable=False ResourceNotAvailableYet: The selected resources in 1 cluster(s) are still not available yet",
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &placement.ResourcePlacement{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "web", Generation: 1}}
			o := overall{placement: p, clusters: tt.clusters, scheduled: &metav1.Condition{
				Status: "True", Reason: "SchedulingPolicyFulfilled", Message: "found all cluster needed as specified by the scheduling policy, found 2 cluster(s)",
			}}
			shared, same := o.sharedIndex()
			first := o.write(shared, same)
			if got := spoken(first); !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
			// A later pass over the same clusters changes nothing, no time either.
			o.conditions, o.at = slices.Clone(first), metav1.NewTime(time.Unix(1e9, 0))
			if again := o.write(shared, same); !equality.Semantic.DeepEqual(again, first) {
				t.Errorf("the next pass wrote\n%v\nafter\n%v", again, first)
			}
		})
	}
}

// TestScenariosFit checks what a slip in the data would break: that names exist,
// and that each run's stages take every cluster exactly once.
func TestScenariosFit(t *testing.T) {
	for _, s := range []Scenario{Tour(), Healthy()} {
		t.Run(s.Name, func(t *testing.T) {
			faultsFit(t, s)
			members := map[string]Member{}
			for _, m := range s.Members {
				members[m.Name] = m
			}
			strategies := map[key]Strategy{}
			for _, st := range s.Strategies {
				strategies[key{Namespace: st.Namespace, Name: st.Name}] = st
			}
			placements := map[key]Placement{}
			for _, p := range s.Placements {
				placements[key{Namespace: p.Namespace, Name: p.Name}] = p
				if p.Namespace != "" && !slices.Contains(s.Namespaces, p.Namespace) {
					t.Errorf("placement %s: no namespace", p.Key())
				}
				if !slices.ContainsFunc(p.Snapshots, func(snap Snapshot) bool { return snap.Index == p.At }) {
					t.Errorf("placement %s: no snapshot %d", p.Key(), p.At)
				}
				for _, name := range slices.Concat(p.Clusters, p.Leaving) {
					if _, known := members[name]; !known {
						t.Errorf("placement %s: no member %s", p.Key(), name)
					}
				}
			}
			runs := slices.Clone(s.Runs)
			for _, act := range s.Acts {
				if act.Do.Create != nil {
					runs = append(runs, *act.Do.Create)
				}
			}
			for _, r := range runs {
				p, known := placements[key{Namespace: r.Namespace, Name: r.Placement}]
				st, hasStrategy := strategies[key{Namespace: r.Namespace, Name: r.Strategy}]
				if !known || !hasStrategy {
					t.Errorf("run %s: no placement %s or no strategy %s", r.Name, r.Placement, r.Strategy)
				}
				for _, name := range p.Clusters {
					stages := 0
					for _, stage := range st.Stages {
						selector, err := metav1.LabelSelectorAsSelector(stage.LabelSelector)
						if err != nil {
							t.Fatal(err)
						}
						if selector.Matches(labels.Set(memberCluster(members[name], time.Now()).Labels)) {
							stages++
						}
					}
					if stages != 1 {
						t.Errorf("run %s: cluster %s is in %d stages, want 1", r.Name, name, stages)
					}
				}
			}
		})
	}
}

func TestIncidentsFit(t *testing.T) { faultsFit(t, Incidents()) }

// faultsFit holds that each fault and each override of a scenario is about a
// placement, a cluster of it and a tag that there are.
func faultsFit(t *testing.T, s Scenario) {
	t.Helper()
	at := func(key string) *Placement {
		i := slices.IndexFunc(s.Placements, func(p Placement) bool { return p.Key() == key })
		if i < 0 {
			t.Errorf("no placement %s", key)
			return &Placement{}
		}
		return &s.Placements[i]
	}
	for _, f := range s.Faults {
		p := at(f.Placement)
		if !slices.Contains(p.Clusters, f.Cluster) || (f.Refuses == nil) == (f.Pods == nil) {
			t.Errorf("fault of %s on %s", f.Placement, f.Cluster)
		}
		if f.Pods != nil && !slices.ContainsFunc(p.Snapshots, func(snap Snapshot) bool { return snap.Tag == f.Pods.Tag && snap.Index != p.At }) {
			t.Errorf("fault of %s: no new snapshot %s", f.Placement, f.Pods.Tag)
		}
	}
	for _, o := range s.Overrides {
		p := at(o.Placement)
		if o.Cluster != "" && !slices.Contains(p.Clusters, o.Cluster) || o.Namespace != "" && (o.Namespace != appNamespace(*p) || !slices.Contains(s.Namespaces, o.Namespace)) {
			t.Errorf("override %s: %+v", o.Name, o)
		}
	}
}

func TestNamed(t *testing.T) {
	if s, err := Named("tour"); err != nil || s.Name != "tour" {
		t.Errorf("tour: %q, %v", s.Name, err)
	}
	if _, err := Named("nowhere"); err == nil || err.Error() != `no scenario "nowhere" (there are empty, healthy, incidents, tour)` {
		t.Errorf("nowhere: %v", err)
	}
}

// TestFeedOfAKindThatVanishes holds that a hub which stops serving a kind has
// not thereby deleted its objects.
func TestFeedOfAKindThatVanishes(t *testing.T) {
	w, err := newWorld(&rest.Config{Host: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	member := &unstructured.Unstructured{Object: object(t, `{"apiVersion":"cluster.kubernetes-fleet.io/v1beta1","kind":"MemberCluster","metadata":{"name":"m","resourceVersion":"5"}}`)}
	f := newFeed(w.hub, w.kinds.members, w.members)
	if w.members.unheard("") == nil {
		t.Error("an empty table passes for an empty hub")
	}
	f.begun()
	if w.members.unheard("") == nil {
		t.Error("a kind that is not served passes for an empty hub")
	}
	if err := f.Replace([]any{member}, "7"); err != nil {
		t.Fatal(err)
	}
	if err := w.members.unheard(""); err != nil {
		t.Error(err)
	}
	gone := apierrors.NewGenericServerResponse(http.StatusNotFound, "list", w.kinds.members.gvr.GroupResource(), "", "404 page not found", 0, true)
	if _, err := f.listed(nil, gone); err == nil {
		t.Error("a kind that is gone passes for an empty one")
	}
	if w.members.get(key{Name: "m"}) == nil {
		t.Error("the member is gone")
	}
}

// TestMembersOfAPass holds that a pass reads the members that the placement's
// bindings name, in order, and no others: a hub may have a thousand.
func TestMembersOfAPass(t *testing.T) {
	w, err := newWorld(&rest.Config{Host: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"a", "b", "c", "d"} {
		member := object(t, fmt.Sprintf(`{"apiVersion":"cluster.kubernetes-fleet.io/v1beta1","kind":"MemberCluster","metadata":{"name":%q,"resourceVersion":"%d"}}`, name, i+1))
		if err := w.members.take(&unstructured.Unstructured{Object: member}); err != nil {
			t.Fatal(err)
		}
	}
	to := func(cluster string) *placement.ResourceBinding {
		return &placement.ResourceBinding{Spec: placement.BindingSpec{TargetCluster: cluster}}
	}
	var names []string
	for _, m := range w.members.named(targets([]*placement.ResourceBinding{to("d"), to("gone"), to("b"), to("d")})) {
		names = append(names, m.Name)
	}
	if want := []string{"b", "d"}; !slices.Equal(names, want) {
		t.Errorf("members %v, want %v", names, want)
	}
}

// TestAWriteThatChangesNothing holds that it is not sent; here every request
// fails.
func TestAWriteThatChangesNothing(t *testing.T) {
	w, err := newWorld(&rest.Config{Host: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	stored := object(t, `{"apiVersion":"placement.kubernetes-fleet.io/v1beta1","kind":"ClusterStagedUpdateRun","metadata":{"name":"r","resourceVersion":"5"},
		"spec":{"placementName":"p","stagedRolloutStrategyName":"s"},"status":{"conditions":[{"type":"Initialized","status":"True","reason":"R","message":"","lastTransitionTime":"2026-03-01T10:00:00Z"}],"newer":1}}`)
	if err := w.runs.take(&unstructured.Unstructured{Object: stored}); err != nil {
		t.Fatal(err)
	}
	held := w.runs.get(key{Name: "r"})
	for _, tc := range []struct {
		name, subresource string
		change            func(*placement.StagedUpdateRun)
		sent              bool
	}{
		{"the same status", "status", func(*placement.StagedUpdateRun) {}, false},
		{"another status", "status", func(r *placement.StagedUpdateRun) { r.Status.Conditions[0].Status = "False" }, true},
		{"a field that its author left out", "", func(*placement.StagedUpdateRun) {}, true},
		{"what is no longer held", "status", func(r *placement.StagedUpdateRun) { r.ResourceVersion = "4" }, true},
	} {
		next := held.DeepCopy()
		tc.change(next)
		after, err := w.runs.update(t.Context(), next, tc.subresource, metav1.UpdateOptions{})
		if (err != nil) != tc.sent {
			t.Errorf("%s: %v", tc.name, err)
		}
		if !tc.sent && !equality.Semantic.DeepEqual(after, held) {
			t.Errorf("%s: %v", tc.name, after)
		}
	}
}

// TestNamesThatNothingCanHave holds that a run which names a placement, a
// strategy or a resource by a name that no object can have is told that there
// is none, and not tried again for ever.
func TestNamesThatNothingCanHave(t *testing.T) {
	w, err := newWorld(&rest.Config{Host: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	e := &engine{world: w}
	for _, name := range []string{"", ".", "..", "a/b", "a%2Fb"} {
		for _, ns := range []string{"", "team"} {
			if _, err := w.placements.read(t.Context(), key{Namespace: ns, Name: name}); !apierrors.IsNotFound(err) {
				t.Errorf("placement %q: %v", name, err)
			}
			_, err := e.do(t.Context(), pass.Effect{Op: pass.OpGetObject, Resource: w.kinds.space.gvr, Namespace: ns, Name: name})
			if !apierrors.IsNotFound(err) {
				t.Errorf("resource %q: %v", name, err)
			}
		}
	}
	failed := w.refresh(t.Context(), key{Name: "a/b"}, key{Name: ""})
	if failed.Placement != nil || failed.Strategy != nil {
		t.Errorf("placement: %v, strategy: %v", failed.Placement, failed.Strategy)
	}
	failed = w.refresh(t.Context(), key{Name: "web"}, key{Name: "plan"})
	for what, err := range map[string]error{
		"placement": failed.Placement, "strategy": failed.Strategy, "policy snapshots": failed.PolicySnapshots,
		"bindings": failed.Bindings, "resource snapshots": failed.ResourceSnapshots,
	} {
		if err == nil {
			t.Errorf("%s that could not be asked for pass for read", what)
		}
	}
}

// TestKindsThatAreNotWatchedYet holds that a version which is not preferred can
// be read from the discovery on that follows the first read.
func TestKindsThatAreNotWatchedYet(t *testing.T) {
	kind := func(version string, preferred bool) pass.Kind {
		return pass.Kind{
			GroupVersionKind: schema.GroupVersionKind{Group: "autoscaling", Version: version, Kind: "HorizontalPodAutoscaler"},
			Resource:         "horizontalpodautoscalers", Namespaced: true, Preferred: preferred,
		}
	}
	listed := time.Date(2026, 8, 20, 10, 0, 0, 0, time.UTC)
	l := &kindList{at: listed, kinds: []pass.Kind{kind("v1", false), kind("v2", true)}, synced: map[schema.GroupVersionResource]time.Time{}}
	for _, tt := range []struct {
		version string
		after   time.Duration
		want    bool
	}{{"v2", 0, true}, {"v9", 0, true}, {"v1", 10 * time.Second, false}, {"v1", kindsAge - 1, false}, {"v1", kindsAge, true}} {
		gvr := kind(tt.version, false).GroupVersionResource()
		if got := l.isSynced(gvr, listed.Add(tt.after)); got != tt.want {
			t.Errorf("%s after %s: synced %v", tt.version, tt.after, got)
		}
	}
	l.at = listed.Add(2 * kindsAge)
	if !l.isSynced(kind("v1", false).GroupVersionResource(), l.at) {
		t.Error("a later list forgot what is watched")
	}
	l.kinds, l.at = append(l.kinds, kind("v3", false)), time.Now()
	_, err := (&engine{kinds: l}).do(t.Context(), pass.Effect{Op: pass.OpListObjects, Resource: kind("v3", false).GroupVersionResource()})
	if err == nil || !strings.HasSuffix(err.Error(), "is not synced yet") {
		t.Errorf("a read of a kind that is not watched: %v", err)
	}
}
