package ask

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
)

// An answer that is kept expires while it is wanted: a round that recalls it does not
// make it younger.
func TestAKeptAnswerExpiresWhileItIsWanted(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	hub, err := client.New(engine.NewHubName("hub", ""), &rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer hub.Close()
	n := NewNearby(NewReader(hub), nil, false, nil)
	want := beside{
		placement: engine.NewID(engine.KindClusterResourcePlacement, "", "web", ""),
		of:        engine.HubReadOf{Member: engine.NewID(engine.KindMemberCluster, "", "prod-1", ""), What: engine.ReadObjects},
	}
	read := time.Now().Add(time.Minute - objectsEvery)
	n.keep(besideRead{beside: want, answer: &world.HubAnswer{}}, read)
	for range 2 {
		if near, _, _ := n.readNow(t.Context(), []beside{want}); near.answers[want.placement][want.of] == nil {
			t.Fatal("the answer was not recalled")
		}
		if at := n.kept[want.key()].at; !at.Equal(read) {
			t.Fatalf("read at %s, kept as of %s", read, at)
		}
	}
	if _, ok := n.recall(want, read.Add(objectsEvery)); ok {
		t.Error("the answer did not expire")
	}
}
