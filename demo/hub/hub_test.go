package hub_test

import (
	"net/http"
	"os"
	"testing"

	"github.com/stagewatch/stagewatch/demo/hub"
	"k8s.io/client-go/rest"
)

func TestStopRemovesTheDirectory(t *testing.T) {
	h, err := hub.Start(t.Context(), hub.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := h.Dir()
	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("a running hub has its directory: %v", err)
	}
	for range 2 {
		if err := h.Stop(); err != nil {
			t.Fatalf("stop: %v", err)
		}
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("directory after Stop: %v, want it gone", err)
	}
	if err := h.StartAPI(t.Context()); err == nil {
		t.Error("a stopped hub started its API again")
	}
}

func TestReady(t *testing.T) {
	client, err := rest.HTTPClientFor(shared.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Get(shared.URL() + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		t.Errorf("readyz: %s", response.Status)
	}
}

func TestListenOnLoopbackOnly(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "192.168.1.1:0", "nonsense"} {
		if h, err := hub.Start(t.Context(), hub.Options{Listen: address}); err == nil {
			t.Errorf("listens on %s", h.URL())
			if err := h.Stop(); err != nil {
				t.Error(err)
			}
		}
	}
}
