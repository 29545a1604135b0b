package scenario

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	rollout "github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/watch"
)

// TestHubAgentLogs reads the log of a run through the hub, as the log page does.
func TestHubAgentLogs(t *testing.T) {
	t.Parallel()
	f, err := Start(t.Context(), healthy(), Options{Timing: quick(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := f.Stop(); err != nil {
			t.Error(err)
		}
	}()
	o := lookAt(t, f.Hub())
	o.awaitRun("", "checkout-r1", "Succeeded=True/UpdateRunSucceeded")
	s, err := watch.Open(t.Context(), watch.Config{REST: f.Hub().AdminConfig()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run := o.run("", "checkout-r1")
	id := rollout.NewID(rollout.KindClusterStagedUpdateRun, "", run.Name, string(run.UID))
	var text string
	o.await("the log", func() string { // a busy hub may not answer in time
		text = fmt.Sprintf("%+v", s.Ask(t.Context(), page.LogsQuestion{Run: id}))
		for _, want := range []string{agentPod, "Initialized the updateRun", "weu-prod-2", "The updateRun is completed"} {
			if !strings.Contains(text, want) {
				return fmt.Sprintf("no %q in %s", want, text)
			}
		}
		return ""
	})
	if strings.Contains(text, "storefront") {
		t.Error("lines about another run")
	}
}
