package member

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine/page/workload"
	"github.com/stagewatch/stagewatch/engine/world"
)

// TestOwnersOnTheMember reads the owners of objects: their metadata alone.
func TestOwnersOnTheMember(t *testing.T) {
	type o = map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answers := map[string]o{
			"/api/v1":                             {"resources": []any{o{"name": "secrets/x", "kind": "Secret"}, o{"name": "secrets", "kind": "Secret"}}},
			"/apis/apps/v1":                       {"resources": []any{o{"name": "deployments", "kind": "Deployment"}}},
			"/api/v1/namespaces/shop/secrets/web": {"metadata": o{"ownerReferences": []any{o{"apiVersion": "placement.kubernetes-fleet.io/v1", "kind": "AppliedWork", "name": "shop-work"}, o{"apiVersion": "argoproj.io/v1", "kind": "Application", "name": "shop"}}, "managedFields": []any{o{"manager": "argocd"}, o{"manager": "argocd"}}}},
		}
		a, is := answers[r.URL.Path]
		if strings.HasPrefix(r.URL.Path, "/apis/broken/") {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		if strings.Contains(r.URL.Path, "/namespaces/") && !strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadata;") {
			t.Errorf("%s: the whole object is read", r.URL.Path)
		}
		w.Header().Set("Content-Type", "application/json")
		if !is {
			w.WriteHeader(http.StatusNotFound)
			a = o{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404, "details": o{"name": path.Base(r.URL.Path)}}
		}
		if err := json.NewEncoder(w).Encode(a); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	c, err := Connect(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	f := workload.Facts{Owned: []world.MemberObject{
		{Group: "broken", Version: "v1", Kind: "Thing", Namespace: "shop", Name: "web"},
		{Version: "v1", Kind: "Secret", Namespace: "shop", Name: "web"},
		{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "shop", Name: "gone"},
		{Version: "v1", Kind: "Unknown", Namespace: "shop", Name: "web"},
	}}
	c.Owners(t.Context(), &f)
	if len(f.Owned) != 4 || f.Owned[0].Why.IsZero() {
		t.Fatalf("one that is not read: %+v", f.Owned)
	}
	if f.Owned = f.Owned[1:]; strings.Join(f.Owned[0].AppliedWorks, ",") != "shop-work" || strings.Join(f.Owned[0].Owners, ",") != "Application shop" || strings.Join(f.Owned[0].Managers, ",") != "argocd" {
		t.Fatalf("owned %+v", f.Owned)
	}
	if f.Owned[0].Missing || !f.Owned[1].Missing || f.Owned[2].Missing || !f.Owned[2].NoKind {
		t.Errorf("missing: %+v", f.Owned)
	}
}

// TestWorkloadsAreIndependent reads each workload for itself: one that fails does not
// hide the others.
func TestWorkloadsAreIndependent(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.Contains(r.URL.Path, "broken") {
			w.WriteHeader(http.StatusForbidden)
		}
		if _, err := w.Write([]byte(`{"spec": {"replicas": 2}}`)); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	c, err := Connect(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	read := func(names ...string) *workload.Facts {
		var wanted []world.MemberWorkload
		for _, n := range names {
			wanted = append(wanted, world.MemberWorkload{Kind: "Deployment", Namespace: "shop", Name: n})
		}
		var f workload.Facts
		c.Workloads(t.Context(), wanted, &f)
		return &f
	}
	f := read("broken", "web")
	if !f.Why.IsZero() || len(f.Workloads) != 2 || f.Workloads[0].Why.IsZero() || !f.Workloads[1].Why.IsZero() || f.Workloads[1].Desired != 2 {
		t.Errorf("one fails: %+v", f)
	}
	if f := read("broken"); f.Why.IsZero() || len(f.Workloads) != 0 {
		t.Errorf("all fail: %+v", f)
	}
}
