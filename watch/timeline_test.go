package watch

import (
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
)

// A state that a person looked away from is still told.
func TestTimelineOfWhatWasOverwritten(t *testing.T) {
	p := somebody(t, shared)
	run := p.make(aRun(t, "", "diary-r1", "diary", "Run", "UpdateRunWaiting"))
	s := openSession(t, Config{REST: shared.AdminConfig()})
	kind := engine.KindClusterStagedUpdateRun
	snap := until(t, s, "the run", func(s *engine.Snapshot) bool { return s.Complete && named(s, kind, "", "diary-r1") != nil })
	id := named(snap, kind, "", "diary-r1").ID
	for _, reason := range []string{"UpdateRunStuck", "UpdateRunProgressing"} {
		status := aRun(t, "", "diary-r1", "diary", "Run", reason)["status"]
		run = p.putStatus(p.refresh(run, func(o map[string]any) { o["status"] = status }))
	}
	var shown string
	deadline := time.Now().Add(time.Minute)
	for !strings.Contains(shown, "UpdateRunStuck") || !strings.Contains(shown, "UpdateRunProgressing") {
		if time.Now().After(deadline) {
			t.Fatalf("the timeline says\n%s", shown)
		}
		a := s.Ask(t.Context(), page.TimelineQuestion{Run: id})
		shown = words(a)
	}
	if !strings.Contains(shown, "Watched since") {
		t.Errorf("the page does not say since when it knows:\n%s", shown)
	}
}
