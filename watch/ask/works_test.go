package ask

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
)

// The Works of every placement on a member come in pages, and are kept for minutes:
// they hold manifests, and the diagnosis on screen reads again every few seconds.
func TestWorksOfAMemberComeInPagesAndAreKept(t *testing.T) {
	var asked []string
	hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Query().Get("limit")+" "+r.URL.Query().Get("continue"))
		next, name := "more", "a"
		if r.URL.Query().Get("continue") != "" {
			next, name = "", "b"
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(map[string]any{
			"metadata": map[string]any{"continue": next},
			"items":    []any{map[string]any{"metadata": map[string]any{"name": name, "namespace": "fleet-member-m1"}}},
		}); err != nil {
			t.Error(err)
		}
	}))
	defer hub.Close()
	h, err := client.New(engine.NewHubName("hub", ""), &rest.Config{Host: hub.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	rd := NewReader(h)
	of := engine.HubReadOf{Member: h.Name().ID(engine.KindMemberCluster, "", "m1", ""), What: engine.ReadObjects}
	place := h.Name().ID(engine.KindClusterResourcePlacement, "", "shop", "")
	works, err := rd.worksOf(t.Context(), place, of)
	if err != nil || len(works) != 2 || len(asked) != 2 || asked[0] != "50 " || asked[1] != "50 more" {
		t.Fatalf("%d works by %q: %v", len(works), asked, err)
	}

	var n Nearby
	now, w := time.Now(), beside{placement: place, of: of}
	n.keep(besideRead{beside: w, answer: &world.HubAnswer{Gap: &engine.Gap{}}}, now)
	if _, ok := n.recall(w, now); ok {
		t.Error("what could not be read is kept")
	}
	n.keep(besideRead{beside: w, answer: &world.HubAnswer{Works: works}}, now)
	if r, ok := n.recall(w, now.Add(objectsEvery-1)); !ok || len(r.answer.Works) != 2 {
		t.Error("the Works are not kept")
	}
	if _, ok := n.recall(w, now.Add(objectsEvery)); ok {
		t.Error("the Works are kept for too long")
	}
}
