package member

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/world"
)

// TestOwnersOnTheMember reads the owners of objects: their metadata alone.
func TestOwnersOnTheMember(t *testing.T) {
	type o = map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answers := map[string]o{
			"/api/v1":                             {"resources": []any{o{"name": "secrets/x", "kind": "Secret"}, o{"name": "secrets", "kind": "Secret"}}},
			"/apis/apps/v1":                       {"resources": []any{o{"name": "deployments", "kind": "Deployment"}}},
			"/api/v1/namespaces/shop/secrets/web": {"metadata": o{"ownerReferences": []any{o{"kind": "Application", "name": "shop"}}, "managedFields": []any{o{"manager": "argocd"}, o{"manager": "argocd"}}}},
		}
		a, is := answers[r.URL.Path]
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
	f := page.MemberFacts{Owned: []world.MemberObject{
		{Version: "v1", Kind: "Secret", Namespace: "shop", Name: "web"},
		{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "shop", Name: "gone"},
		{Version: "v1", Kind: "Unknown", Namespace: "shop", Name: "web"},
	}}
	c.Owners(t.Context(), &f)
	if len(f.Owned) != 3 || strings.Join(f.Owned[0].Owners, ",") != "Application shop" || strings.Join(f.Owned[0].Managers, ",") != "argocd" {
		t.Fatalf("owned %+v", f.Owned)
	}
	if f.Owned[0].Missing || !f.Owned[1].Missing || !f.Owned[2].Missing {
		t.Errorf("missing: %+v", f.Owned)
	}
}
