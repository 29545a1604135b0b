package page_test

import (
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
)

// TestTheDiagnosisDoesNotSendToItself: a step that refers to the commands of the page has no key
// on it that opens the page.
func TestTheDiagnosisDoesNotSendToItself(t *testing.T) {
	v := &engine.RunView{ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", "web-r5", "u"), Word: engine.WordStuck}
	v.Why.Steps = []engine.Text{engine.Lit("List the object's owners ({diagnose:run the first command}), or create a new run ({clone}).")}
	want := "List the object's owners (run the first command), or create a new run (CLONE)."
	for _, s := range page.DiagnosisPage(page.DiagnosisFacts{Run: v, Snapshot: &engine.Snapshot{}}).Sections {
		for _, r := range s.Rows {
			for _, c := range r.Cells {
				if got := c.Text.Keyed(strings.ToUpper); strings.HasPrefix(got, "List") && got != want {
					t.Errorf("%q, want %q", got, want)
				}
			}
		}
	}
}
