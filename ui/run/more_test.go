package run

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/internal/situation"
	"github.com/stagewatch/stagewatch/ui/scene"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// seenBeside is a run of the sample in a pane of a part and a size.
func seenBeside(t *testing.T, part Part, w, h int) string {
	t.Helper()
	s := situation.Snapshot()
	v := situation.Find(s, "example-run")
	v.Why.Steps = []engine.Text{v.Why.Next, situation.Text("Then delete this run.")}
	v.Why.Evidence = []engine.Evidence{{Object: situation.Text("Pod nginx-1"), Field: situation.Text("status.phase"), Value: situation.Text("Pending for the image")}}
	p := opened(t, s, w, h)
	changed := *s.Detail
	changed.Clusters[2][0].Name = situation.Text("longer-name-1")
	s.Detail = &changed
	p.Arrange(w, h, part)
	out := ansi.Strip(p.View())
	if n := strings.Count(out, "\n") + 1; n > h {
		t.Errorf("%d lines in %d:\n%s", n, h, out)
	}
	return out
}

// TestAPaneUsesItsRoom shows in a high pane what a person needs next, in this order; the
// diagnosis beside it has the steps and the evidence where there is one.
func TestAPaneUsesItsRoom(t *testing.T) {
	all := []string{
		"WHY", "RECOVERY", "NEXT", "THEN", "2  Then delete this run.", "EVIDENCE", "Pod nginx-1  status.phase", "Pending for the image", "LATEST", "stuck",
		"MANIFESTS FAILING", "Deployment test-namespace/nginx-deployment", "Manifest is trackable but not available yet",
		"NEXT UP", "approval after stage staging", "wait of 1h after stage canary", "approval before stage prod",
		"OTHER RUNS OF THE PLACEMENT", "DONE  example-run-0  snapshot 0  12/12",
		"OTHER STAGES", "2 canary  pending, 0 of 3 clusters done", "member6", "3 prod", "longer-name-1 ", "member12",
	}
	in := func(part Part, w, h int, want ...string) {
		t.Helper()
		out := seenBeside(t, part, w, h)
		at := 0
		for _, x := range want {
			i := strings.Index(out[at:], x)
			if i < 0 {
				t.Errorf("%dx%d: %q is not shown, or not in its place:\n%s", w, h, x, out)
				return
			}
			at += i
		}
	}
	in(Beside, 67, 80, all...)
	if out := seenBeside(t, Beside, 67, 80); strings.Contains(out, "example-run  snapshot") {
		t.Errorf("the run is among the other ones:\n%s", out)
	}
	in(Between, 67, 80, append([]string{"LATEST"}, all[10:]...)...)
	if out := seenBeside(t, Between, 67, 80); strings.Contains(out, "EVIDENCE") || strings.Contains(out, "THEN") {
		t.Errorf("the steps and the evidence stand in two panes:\n%s", out)
	}
	in(Beside, 67, 62, append(all[:20:20], "2 canary", "more lines")...)
	if wide := seenBeside(t, Between, 130, 80); strings.Contains(wide, "\n MANIFESTS") || strings.Count(wide, "MANIFESTS FAILING") != 1 {
		t.Errorf("the manifests stand twice, or nowhere:\n%s", wide)
	}
}

// TestAFailedInitializationUsesItsRoom shows what the run asked for in place of stages that it
// never gets; beside a diagnosis, what the controller says, too.
func TestAFailedInitializationUsesItsRoom(t *testing.T) {
	s := situation.Snapshot()
	v := situation.Find(s, "search-r3")
	v.Stages, v.IndexAsked = nil, situation.Text("1")
	v.Why.Quote = situation.Text("cannot continue the updateRun: no resourceSnapshots with index `1` found")
	other := situation.Find(s, "edge-r1")
	v.Strategy, other.Strategy = situation.Text("rings"), situation.Text("rings")
	elsewhere := situation.Find(s, "web-app-rollout")
	elsewhere.Strategy = situation.Text("rings")
	sc := &scene.Scene{Theme: theme.New(true, false, false), Now: situation.Now, Snap: s}
	s.Detail = &engine.Detail{Run: v}
	p := New(t.Context(), sc, nil, v.ID, nil)
	for part, want := range map[Part][]string{
		Between: {"this run has no stages", "LATEST", "MESSAGE OF THE CONTROLLER", "index `1`", "FIELDS OF THE RUN", "placement   CRP search", "snapshot    1", "strategy    rings", "OTHER RUNS OF THE STRATEGY", "edge-r1  The placement policy changed"},
		Beside:  {"this run has no stages", "WHY", "FIELDS OF THE RUN", "OTHER RUNS OF THE STRATEGY"},
	} {
		p.Arrange(70, 50, part)
		out := ansi.Strip(p.View())
		at := 0
		for _, x := range want {
			i := strings.Index(out[at:], x)
			if i < 0 {
				t.Errorf("%d: %q is not shown, or not in its place:\n%s", part, x, out)
				break
			}
			at += i
		}
		if (part == Beside) == strings.Contains(out, "MESSAGE OF THE CONTROLLER") || strings.Contains(out, "web-app-rollout") {
			t.Errorf("%d:\n%s", part, out)
		}
		if head := strings.Split(out, "\n"); len(head) > 50 || !strings.Contains(head[1], "CLUSTER") {
			t.Errorf("%d: %d lines, blank rows for stages:\n%s", part, len(head), out)
		}
	}
}
