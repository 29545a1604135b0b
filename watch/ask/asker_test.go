package ask

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/watch/client"
)

// An answer is as old as its oldest part.
func TestAnAnswerIsOfTheTimeWhenItsReadBegan(t *testing.T) {
	var hub *client.Client
	var asked time.Time
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked = hub.Now()
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"items":[]}`))
	}))
	defer server.Close()
	hub, err := client.New(engine.NewHubName("hub", ""), &rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer hub.Close()
	a := New(Config{Hub: hub, Seen: func() *engine.Snapshot { return nil }}).
		Answer(t.Context(), page.EventsQuestion{Object: engine.NewID(engine.KindClusterStagedUpdateRun, "", "r", "")})
	if !a.Err.IsZero() || a.At.IsZero() || asked.IsZero() {
		t.Fatalf("asked at %s, answered at %s: %s", asked, a.At, a.Err)
	}
	if a.At.After(asked) {
		t.Errorf("asked at %s, and the answer is of %s", asked, a.At)
	}
}
