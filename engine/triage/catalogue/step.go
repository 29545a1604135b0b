package catalogue

import (
	"strings"

	"github.com/stagewatch/stagewatch/engine"
)

// SameRunInitializes is the step of a run whose initialization is retried for one cause.
var SameRunInitializes = engine.Lit("Fix the cause. The same run then initializes; no new run is needed.")

// LeavesOpen reports whether a cause says that a workload is not available, and
// not why.
func LeavesOpen(c engine.Cause) bool {
	switch c {
	case WorkloadNotReady, NotAvailable, NothingReported.Cause:
		return true
	}
	return false
}

// DeletesRun reports whether a step deletes the run.
func DeletesRun(step engine.Text) bool {
	return step.Offers("delete") && strings.Contains(step.String(), "Delete this run")
}

// AnotherObject reports whether a step asks if an object of the same name was meant, in
// another scope or namespace: nothing else has to be fixed then.
func AnotherObject(step engine.Text) bool {
	return strings.Contains(step.String(), ": if you meant it, ")
}

// FixesFirst reports whether a step fixes the cause before it offers a new run: what keeps
// the new run from starting stands after such a step, and before every other one.
func FixesFirst(step engine.Text) bool {
	says := step.String()
	return !DeletesRun(step) && (strings.Contains(says, "hen create a new run") || strings.Contains(says, "and create a new run"))
}
