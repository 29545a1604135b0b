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

// TestNoNextClusterOfARunThatFails: the controller fails a run that was preempted, or that a check
// rejects, before it starts another cluster.
func TestNoNextClusterOfARunThatFails(t *testing.T) {
	for name, tt := range map[string]struct {
		word  engine.Word
		fails bool
		next  bool
	}{
		"stuck": {engine.WordStuck, false, true}, "stuck, and a check fails": {engine.WordStuck, true, false}, "preempted": {engine.WordPreempted, false, false},
	} {
		v := &engine.RunView{
			ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", "web-r5", "u"), Word: tt.word,
			Stages: []engine.StageView{{Name: engine.Lit("prod"), Total: 2, Coming: []engine.Text{engine.Lit("c4")}}},
		}
		v.Why.Fails = tt.fails
		next := false
		for _, s := range page.DiagnosisPage(page.DiagnosisFacts{Run: v, Snapshot: &engine.Snapshot{}}).Sections {
			next = next || s.Title == engine.Lit("next clusters")
		}
		if next != tt.next {
			t.Errorf("%s: next clusters %v", name, next)
		}
	}
}
