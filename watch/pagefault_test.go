package watch

import (
	"testing"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/watch/ask"
	"github.com/stagewatch/stagewatch/watch/client"
)

// TestFaultOfAPage checks that a page that could not be read carries what kept it from
// being read, from which commands take their exit code.
func TestFaultOfAPage(t *testing.T) {
	t.Parallel()
	// Only the system may listen on a port below 1024.
	const closed = "http://127.0.0.1:1"
	for _, tt := range []struct {
		name string
		rest *rest.Config
		want act.Fault
	}{
		{"no rights", shared.Config(hub.StrangerUser), act.FaultDenied},
		{"no such run", shared.AdminConfig(), act.FaultGone},
		{"no hub", &rest.Config{Host: closed}, act.FaultUnreachable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h, err := client.New(engine.NewHubName("hub", ""), tt.rest)
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			s := ask.New(ask.Config{Hub: h, Seen: func() *engine.Snapshot { return nil }})
			run := h.Name().ID(engine.KindClusterStagedUpdateRun, "", "no-such-run", "")
			if a := s.Answer(t.Context(), page.YAMLQuestion{Object: run}); a.Fault != tt.want || a.Err.IsZero() {
				t.Errorf("fault %v, want %v: %v", a.Fault, tt.want, a.Err)
			}
		})
	}
}
