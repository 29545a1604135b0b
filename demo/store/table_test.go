package store

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

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

// TestFeedOfAKindThatVanishes holds that a hub which stops serving a kind has
// not thereby deleted its objects.
func TestFeedOfAKindThatVanishes(t *testing.T) {
	w, err := New(&rest.Config{Host: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	member := &unstructured.Unstructured{Object: object(t, `{"apiVersion":"cluster.kubernetes-fleet.io/v1beta1","kind":"MemberCluster","metadata":{"name":"m","resourceVersion":"5"}}`)}
	f := newStream(w.Hub, w.Kinds.Members, w.Members)
	if w.Members.NotListed("") == nil {
		t.Error("an empty table passes for an empty hub")
	}
	f.markSynced()
	if w.Members.NotListed("") == nil {
		t.Error("a kind that is not served passes for an empty hub")
	}
	if err := f.Replace([]any{member}, "7"); err != nil {
		t.Fatal(err)
	}
	if err := w.Members.NotListed(""); err != nil {
		t.Error(err)
	}
	gone := apierrors.NewGenericServerResponse(http.StatusNotFound, "list", w.Kinds.Members.GVR.GroupResource(), "", "404 page not found", 0, true)
	if _, err := f.listed(nil, gone); err == nil {
		t.Error("a kind that is gone passes for an empty one")
	}
	if w.Members.Get(Key{Name: "m"}) == nil {
		t.Error("the member is gone")
	}
}

// TestNamedObjects holds that each existing object is returned once, by name.
func TestNamedObjects(t *testing.T) {
	w, err := New(&rest.Config{Host: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"a", "b", "c", "d"} {
		member := object(t, fmt.Sprintf(`{"apiVersion":"cluster.kubernetes-fleet.io/v1beta1","kind":"MemberCluster","metadata":{"name":%q,"resourceVersion":"%d"}}`, name, i+1))
		if err := w.Members.apply(&unstructured.Unstructured{Object: member}); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	for _, m := range w.Members.Named([]string{"d", "gone", "b", "d"}) {
		names = append(names, m.Name)
	}
	if want := []string{"b", "d"}; !slices.Equal(names, want) {
		t.Errorf("members %v, want %v", names, want)
	}
}

// TestAWriteThatChangesNothing holds that it is not sent; here every request
// fails.
func TestAWriteThatChangesNothing(t *testing.T) {
	w, err := New(&rest.Config{Host: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	stored := object(t, `{"apiVersion":"placement.kubernetes-fleet.io/v1beta1","kind":"ClusterStagedUpdateRun","metadata":{"name":"r","resourceVersion":"5"},
		"spec":{"placementName":"p","stagedRolloutStrategyName":"s"},"status":{"conditions":[{"type":"Initialized","status":"True","reason":"R","message":"","lastTransitionTime":"2026-03-01T10:00:00Z"}],"newer":1}}`)
	if err := w.Runs.apply(&unstructured.Unstructured{Object: stored}); err != nil {
		t.Fatal(err)
	}
	held := w.Runs.Get(Key{Name: "r"})
	for _, tc := range []struct {
		name, subresource string
		change            func(*placement.StagedUpdateRun)
		sent              bool
	}{
		{"the same status", "status", func(*placement.StagedUpdateRun) {}, false},
		{"an empty list in place of none", "status", func(r *placement.StagedUpdateRun) { r.Status.StagesStatus = []placement.StageStatus{} }, false},
		{"another status", "status", func(r *placement.StagedUpdateRun) { r.Status.Conditions[0].Status = "False" }, true},
		{"a field that its author left out", "", func(*placement.StagedUpdateRun) {}, true},
		{"what is no longer held", "status", func(r *placement.StagedUpdateRun) { r.ResourceVersion = "4" }, true},
	} {
		next := held.DeepCopy()
		tc.change(next)
		after, err := w.Runs.Update(t.Context(), next, tc.subresource, metav1.UpdateOptions{})
		if (err != nil) != tc.sent {
			t.Errorf("%s: %v", tc.name, err)
		}
		if !tc.sent && !equality.Semantic.DeepEqual(after, held) {
			t.Errorf("%s: %v", tc.name, after)
		}
	}
}
