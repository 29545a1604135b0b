package controller

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/store"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// TestMembersOfAPass holds that a pass reads the members that the placement's
// bindings name, and no others: a hub may have a thousand.
func TestMembersOfAPass(t *testing.T) {
	const kinds = `"apiVersion":"placement.kubernetes-fleet.io/v1beta1","metadata":{"resourceVersion":"9"},"items":`
	binding := func(cluster string) string {
		return fmt.Sprintf(`{"kind":"ClusterResourceBinding","apiVersion":"placement.kubernetes-fleet.io/v1beta1","metadata":{"name":"web-%s",
			"resourceVersion":"8","labels":{"kubernetes-fleet.io/parent-CRP":"web"}},"spec":{"targetCluster":%q}}`, cluster, cluster)
	}
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		name := path.Base(r.URL.Path)
		switch {
		case name == "clusterresourcebindings":
			_, _ = fmt.Fprintf(w, `{"kind":"ClusterResourceBindingList",%s[%s,%s]}`, kinds, binding("b"), binding("a"))
		case strings.Contains(r.URL.Path, "/memberclusters"):
			mu.Lock()
			asked = append(asked, name)
			mu.Unlock()
			_, _ = fmt.Fprintf(w, `{"kind":"MemberCluster","apiVersion":"cluster.kubernetes-fleet.io/v1beta1","metadata":{"name":%q,"resourceVersion":"8"}}`, name)
		case strings.HasSuffix(name, "s"):
			_, _ = fmt.Fprintf(w, `{"kind":"List",%s[]}`, kinds)
		default:
			w.WriteHeader(http.StatusNotFound)
			_, _ = fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
		}
	}))
	defer server.Close()
	w, err := store.New(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	e := &Controller{world: w, kinds: &kindList{at: time.Now(), kinds: []pass.Kind{}}}
	run := &placement.StagedUpdateRun{Spec: placement.UpdateRunSpec{PlacementName: "web", StagedRolloutStrategyName: "plan"}}
	in := e.input(t.Context(), run)
	var names []string
	for _, m := range in.Members {
		names = append(names, m.Name)
	}
	slices.Sort(asked)
	if want := []string{"a", "b"}; !slices.Equal(names, want) || !slices.Equal(asked, want) || len(in.Bindings) != 2 || in.Failed.Members != nil {
		t.Errorf("members %v, asked for %v, want %v; %d bindings; %v", names, asked, want, len(in.Bindings), in.Failed.Members)
	}
}

// TestNamesThatNothingCanHave holds that a run which names a placement, a
// strategy or a resource by a name that no object can have is told that there
// is none, and not tried again for ever.
func TestNamesThatNothingCanHave(t *testing.T) {
	w, err := store.New(&rest.Config{Host: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	e := &Controller{world: w}
	for _, name := range []string{"", ".", "..", "a/b", "a%2Fb"} {
		for _, ns := range []string{"", "team"} {
			if _, err := w.Placements.Read(t.Context(), store.Key{Namespace: ns, Name: name}); !apierrors.IsNotFound(err) {
				t.Errorf("placement %q: %v", name, err)
			}
			_, err := e.do(t.Context(), pass.Effect{Op: pass.OpGetObject, Resource: w.Kinds.Space.GVR, Namespace: ns, Name: name})
			if !apierrors.IsNotFound(err) {
				t.Errorf("resource %q: %v", name, err)
			}
		}
	}
	failed := refresh(t.Context(), w, store.Key{Name: "a/b"}, store.Key{Name: ""})
	if failed.Placement != nil || failed.Strategy != nil {
		t.Errorf("placement: %v, strategy: %v", failed.Placement, failed.Strategy)
	}
	failed = refresh(t.Context(), w, store.Key{Name: "web"}, store.Key{Name: "plan"})
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
	_, err := (&Controller{kinds: l}).do(t.Context(), pass.Effect{Op: pass.OpListObjects, Resource: kind("v3", false).GroupVersionResource()})
	if err == nil || !strings.HasSuffix(err.Error(), "is not synced yet") {
		t.Errorf("a read of a kind that is not watched: %v", err)
	}
}
