package works

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		t.Fatal(err)
	}
	return fields
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
		{"nothing to replace", `{}`, "replace", "/a", `2`, ``, `replace operation does not apply: doc is missing path: "/a": missing value`},
		{"no parent", `{}`, "add", "/a/b", `2`, ``, `add operation does not apply: doc is missing path: "/a/b": missing value`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := placement.ResourceContent{RawExtension: runtime.RawExtension{Raw: []byte(tt.in)}}
			got, err := applyPatch(in, []placement.JSONPatchOverride{{Op: tt.op, Path: tt.path, Value: json.RawMessage(tt.value)}})
			if tt.wrong != "" {
				if err == nil || err.Error() != tt.wrong {
					t.Errorf("error %v, want %s", err, tt.wrong)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if want := object(t, tt.want); !reflect.DeepEqual(object(t, string(got.Raw)), want) {
				t.Errorf("got %s, want %v", got.Raw, want)
			}
		})
	}
}

// spoken is what a condition says, without its time.
func spoken(conditions []metav1.Condition) []string {
	var said []string
	for _, c := range conditions {
		said = append(said, c.Type+"="+string(c.Status)+" "+c.Reason+": "+c.Message)
	}
	return said
}

// fourManifests are a Namespace, a ConfigMap, a Service and a Deployment.
func fourManifests() []placement.ResourceContent {
	var contents []placement.ResourceContent
	for _, text := range []string{
		`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"web"}}`,
		`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web","namespace":"web"},"data":{"RELEASE":"1.0.0"}}`,
		`{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","namespace":"web"}}`,
		`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"web"}}`,
	} {
		contents = append(contents, placement.ResourceContent{RawExtension: runtime.RawExtension{Raw: []byte(text)}})
	}
	return contents
}

func TestBindingStatus(t *testing.T) {
	at := metav1.NewTime(time.Date(2026, 8, 20, 10, 0, 0, 0, time.UTC))
	binding := &placement.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Name: "web-weu-1", Generation: 3}}
	binding.Status.Conditions = []metav1.Condition{
		{Type: "RolloutStarted", Status: "True", Reason: "RolloutStarted", Message: "started", ObservedGeneration: 3},
		{Type: "Available", Status: "True", Reason: "AllWorkAreAvailable", ObservedGeneration: 2},
	}
	contents := fourManifests()
	work := func(applied bool, pending map[int]bool) *placement.Work {
		w := &placement.Work{ObjectMeta: metav1.ObjectMeta{Name: "web-work", Generation: 2}}
		w.Spec.Workload.Manifests = contents
		if applied {
			w.Status = ReportApplied(w, 2, at, pending, nil)
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
	contents := fourManifests()
	w := &placement.Work{ObjectMeta: metav1.ObjectMeta{Name: "web-work", Generation: 2}}
	w.Spec.Workload.Manifests = contents
	no := map[int]NotApplied{1: {
		Reason: placement.ReasonManifestFoundDrifts, Message: "drifts are found",
		Drift: []placement.PatchDetail{{Path: "/data/RELEASE", ValueInMember: "hotfix", ValueInHub: "1.0.0"}},
	}}
	w.Status = ReportApplied(w, 2, at, nil, no)
	first := w.Status
	w.Status = ReportApplied(w, 2, metav1.NewTime(at.Add(time.Hour)), nil, no)
	if !equality.Semantic.DeepEqual(first, w.Status) {
		t.Errorf("the next report differs:\n%+v\n%+v", first, w.Status)
	}
	b := &placement.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Name: "web-weu-1", Generation: 3}}
	b.Status.Conditions = []metav1.Condition{{Type: "RolloutStarted", Status: "True", Reason: "RolloutStarted", ObservedGeneration: 3}}
	status := report{works: []*placement.Work{w}}.status(b, at)
	if d := status.DriftedPlacements; len(d) != 1 || d[0].Name == "" || !slices.Equal(d[0].ObservedDrifts, no[1].Drift) || len(status.FailedPlacements) != 1 {
		t.Errorf("drifted %+v, failed %+v", d, status.FailedPlacements)
	}
	if w.Status = ReportApplied(w, 2, at, nil, nil); w.Status.ManifestConditions[1].DriftDetails != nil {
		t.Error("the drift outlived its reason")
	}
}

func TestPlacementStatus(t *testing.T) {
	cluster := func(name, index string, conditions ...metav1.Condition) placement.PerClusterPlacementStatus {
		return placement.PerClusterPlacementStatus{ClusterName: name, ObservedResourceIndex: index, Conditions: conditions}
	}
	all := SettledConditions(1, metav1.Time{})
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
