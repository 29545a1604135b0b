package watch

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/engine"
)

// TestServes reads the versions of a hub and of its kinds.
func TestServes(t *testing.T) {
	t.Parallel()
	s, err := Serves(t.Context(), Config{Context: "hub", REST: shared.Config(hub.AdminUser)})
	if err != nil {
		t.Fatal(err)
	}
	if s.Hub.Context != engine.Lit("hub") || s.Hub.Server.IsZero() || s.Kubernetes.IsZero() || s.Used != engine.Lit("v1beta1") {
		t.Errorf("%+v", s)
	}
	for kind, want := range map[string][]engine.Text{
		"ClusterStagedUpdateRun": {engine.Lit("v1"), engine.Lit("v1beta1")},
		"StagedUpdateStrategy":   {engine.Lit("v1"), engine.Lit("v1beta1")},
		"ResourceBinding":        {engine.Lit("v1beta1")},
	} {
		i := slices.IndexFunc(s.Kinds, func(k ServedKind) bool { return k.Kind.String() == kind })
		if i < 0 || !slices.Equal(s.Kinds[i].Versions, want) {
			t.Errorf("%s: %v, want %v", kind, s.Kinds, want)
		}
	}
}

// TestServesFails tells a cluster that is no hub from one that rejects the user and one that
// does not answer.
func TestServesFails(t *testing.T) {
	t.Parallel()
	answer := func(code int) *rest.Config {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			body := map[string]any{"gitVersion": "v1.34.2"}
			if r.URL.Path != "/version" {
				w.WriteHeader(code)
				body = map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code}
			}
			if err := json.NewEncoder(w).Encode(body); err != nil {
				t.Error(err)
			}
		}))
		t.Cleanup(server.Close)
		return &rest.Config{Host: server.URL}
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for _, tt := range []struct {
		name       string
		config     *rest.Config
		want       error
		kubernetes string
	}{
		{"no hub", answer(http.StatusNotFound), ErrNotServed, "v1.34.2"},
		{"forbidden", answer(http.StatusForbidden), ErrForbidden, "v1.34.2"},
		{"unauthenticated", answer(http.StatusUnauthorized), ErrForbidden, "v1.34.2"},
		{"no answer", &rest.Config{Host: gone.URL}, ErrUnreachable, ""},
	} {
		s, err := Serves(t.Context(), Config{Context: "hub", REST: tt.config})
		if !errors.Is(err, tt.want) || s.Kubernetes.String() != tt.kubernetes || s.Hub.Context != engine.Lit("hub") {
			t.Errorf("%s: %v, %+v", tt.name, err, s)
		}
	}
}
