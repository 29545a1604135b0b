package ask

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
)

// A workload on the hub tells its images and when it was last changed, apart from its status. One
// that may not be read, or is of a group that the hub does not serve, is no gap: the diagnosis does
// without. A failed read is one: whether the workload was fixed is not known.
func TestManifestOnTheHub(t *testing.T) {
	answers := map[string]struct {
		code int
		body string
	}{
		"front": {200, `{"metadata":{"creationTimestamp":"2026-08-20T10:00:00Z","managedFields":[
			{"manager":"kubectl","time":"2026-08-20T10:05:00Z"},{"manager":"agent","subresource":"status","time":"2026-08-20T10:09:00Z"}]},
			"spec":{"template":{"spec":{"initContainers":[{"image":"init:1"}],"containers":[{"image":"shop/front:4"}]}}}}`},
		"gone":      {404, `{"kind":"Status","status":"Failure","reason":"NotFound","code":404,"details":{"name":"gone","group":"apps","kind":"deployments"}}`},
		"forbidden": {403, `{"kind":"Status","status":"Failure","reason":"Forbidden","code":403}`},
		"unserved":  {404, `404 page not found`},
		"failed":    {500, `{"kind":"Status","status":"Failure","reason":"InternalError","code":500,"message":"etcdserver: request timed out"}`},
	}
	hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for name, a := range answers {
			if r.URL.Path == "/apis/apps/v1/namespaces/web/deployments/"+name {
				w.WriteHeader(a.code)
				_, _ = w.Write([]byte(a.body))
				return
			}
		}
		t.Errorf("reads %s", r.URL.Path)
	}))
	defer hub.Close()
	h, err := client.New(engine.NewHubName("hub", ""), &rest.Config{Host: hub.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for name := range answers {
		a := NewReader(h).answer(t.Context(), engine.ID{}, engine.HubReadOf{Member: h.Name().ID(engine.KindUnknown, "web", "deployments/"+name, ""), What: engine.ReadManifest})
		switch m := a.Manifest; {
		case a.Gap != nil != (name == "failed"):
			t.Errorf("%s: gap %v", name, a.Gap)
		case name == "failed":
			if got := a.Gap.What.String() + ": " + a.Gap.Why.String(); got != "hub manifest of deployments/failed: etcdserver: request timed out" {
				t.Errorf("%s: %s", name, got)
			}
		case m == nil != (name == "forbidden" || name == "unserved"), m != nil && m.Missing != (name == "gone"):
			t.Errorf("%s: %+v", name, m)
		case name == "front" && (m.Changed.UTC().Format("15:04") != "10:05" || !slices.Equal(m.Images, []string{"init:1", "shop/front:4"})):
			t.Errorf("%s: %+v", name, m)
		}
	}
}

// silence answers no request.
type silence struct{}

func (silence) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func (silence) CloseIdleConnections() {}

// A hub that does not answer the read of a workload keeps no diagnosis waiting: the read ends at
// its deadline, and is a gap that says so.
func TestManifestThatTheHubDoesNotReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := client.New(engine.NewHubName("hub", ""), &rest.Config{Host: "http://hub.invalid", Transport: silence{}})
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		began := time.Now()
		a := NewReader(h).answer(t.Context(), engine.ID{}, engine.HubReadOf{Member: h.Name().ID(engine.KindUnknown, "web", "deployments/front", ""), What: engine.ReadManifest})
		if took := time.Since(began); took != readDeadline {
			t.Errorf("the read took %s", took)
		}
		if a.Gap == nil || a.Manifest != nil || a.Gap.What.String() != "hub manifest of deployments/front" || !strings.Contains(a.Gap.Why.String(), "in time") {
			t.Errorf("gap %v, manifest %v", a.Gap, a.Manifest)
		}
	})
}
