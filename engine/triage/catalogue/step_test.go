package catalogue

import (
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

// TestWithoutNewRun: of each failed check the fix is left, as a whole sentence, and no new run.
func TestWithoutNewRun(t *testing.T) {
	tried := 0
	for i := range refusals {
		e := &refusals[i]
		for _, step := range e.Steps.Texts() {
			if !step.Offers("clone") || CreatesRun(step) || strings.Contains(strings.ToLower(step.String()), "or create a new run") {
				continue // another run is all that it is about
			}
			tried++
			out := WithoutNewRun([]engine.Text{step})
			if step == engine.Lit("{fixes-first}Then create a new run ({clone}).") { // the fixes are steps of their own
				if len(out) > 0 {
					t.Errorf("%s: %q leaves %q", e.Cause, step, out)
				}
				continue
			}
			if len(out) != 1 || !strings.HasSuffix(out[0].String(), ".") || strings.Contains(out[0].String(), "new run") {
				t.Errorf("%s: %q leaves %q", e.Cause, step, out)
			}
		}
	}
	if tried < 10 {
		t.Errorf("%d steps", tried)
	}
}
