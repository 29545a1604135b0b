package page

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// TestDiagnosisBeginsWithWhatIsNeeded: on the smallest terminal, cause, evidence, recovery and the
// whole first next step are on the first screen, however long the names are.
func TestDiagnosisBeginsWithWhatIsNeeded(t *testing.T) {
	const image = "registry.contoso.example/incidents/stopping-and-stuck:1.1.0+build.7"
	v := &engine.RunView{
		ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", "stopping-and-stuck-r2", ""), Placement: engine.NewID(engine.KindClusterResourcePlacement, "", "stopping-and-stuck", ""),
		Index: text("2"), Word: engine.WordStuck, Total: 2, Since: time.Unix(1000, 0),
	}
	v.Why = engine.Diagnosis{
		What:  engine.Clean("Deployment stopping-and-stuck/stopping-and-stuck is not available on weu-canary-1 (stage canary, since 09:33:28 UTC): 1 of 4 pods InvalidImageName, image " + image + "."),
		Quote: text("Manifest is not yet available; Fleet will check again later"),
		Evidence: []engine.Evidence{
			{Object: text("Pod stopping-and-stuck/stopping-and-stuck-1f3lq0z-4g2x4 on weu-canary-1"), Field: text("container web"), Value: engine.Clean("InvalidImageName: Failed to apply default image tag " + image + ": " + strings.Repeat("invalid reference format ", 20))},
			{Object: text("Deployment web"), Field: text("status"), Value: text("False: Manifest is not yet available; Fleet will check again later")},
		},
		RecoveryText: text("Needs a new run: no node can pull an image with an invalid name, and this run stays on snapshot 2."),
		Steps: []engine.Text{
			engine.Clean("Fix image name " + image + " of Deployment stopping-and-stuck/stopping-and-stuck on the hub, in the manifest, then create a new run (END)."),
			text("Stop was requested."),
		},
	}
	p := New(text("diagnosis"), page.DiagnosisQuestion{}, Subject{})
	p.Take(page.DiagnosisPage(page.DiagnosisFacts{Run: v, Snapshot: &engine.Snapshot{Complete: true}, Now: time.Unix(2000, 0)}))
	p.Arrange(theme.New(true, false, false), time.Unix(2000, 0), 80, 19)
	first := ansi.Strip(strings.Join(p.View(), "\n"))
	for _, want := range []string{"STUCK 16m", "placement stopping-and-stuck", "is not available on", "Evidence: Pod ", "Recovery: Needs a new run", "1  Fix image name", "new run (END)."} {
		if !strings.Contains(first, want) {
			t.Errorf("the first screen lacks %q:\n%s", want, first)
		}
	}
	if strings.Contains(first, "Message:") {
		t.Errorf("the message is among the evidence already:\n%s", first)
	}
}
