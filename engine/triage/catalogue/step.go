package catalogue

import (
	"strings"

	"github.com/stagewatch/stagewatch/engine"
)

// SameRunInitializes is the step of a run whose initialization is retried for one cause.
const SameRunInitializes engine.Literal = "Fix the cause. The same run then initializes; no new run is needed."

// NewRunIfWanted is the last step of a run that was preempted.
const NewRunIfWanted engine.Literal = "Create a new run ({clone}) if the snapshot of this run is still wanted."

// LeavesOpen reports whether a cause says that a workload is not available, and
// not why.
func LeavesOpen(c engine.Cause) bool {
	switch c {
	case WorkloadNotReady, NotAvailable, NothingReported.Cause:
		return true
	}
	return false
}

// What a step is for is a mark of its text, which is not shown ("{fixes-first}Fix the override, then
// create a new run ({clone})."): diagnoses leave out and order steps by it.

// DeletesRun reports whether a step deletes the run.
func DeletesRun(step engine.Text) bool { return step.Offers("deletes-run") }

// AnotherObject reports whether a step asks if an object of the same name was meant, in
// another scope or namespace: nothing else has to be fixed then.
func AnotherObject(step engine.Text) bool { return step.Offers("other-object") }

// FixesFirst reports whether a step fixes the cause before it offers a new run: what keeps
// the new run from starting stands after such a step, and before every other one.
func FixesFirst(step engine.Text) bool { return step.Offers("fixes-first") }

// CreatesRun reports whether a step creates a new run, with no fix before it. Its words say so, as
// those that WithoutNewRun leaves out.
func CreatesRun(step engine.Text) bool {
	return step.Offers("clone") && !FixesFirst(step) && strings.HasPrefix(step.String(), "Create a new run ")
}

// WithoutNewRun are the steps that fix a cause, without the new run that follows: for a run that
// the fix lets continue.
func WithoutNewRun(steps []engine.Text) (out []engine.Text) {
	for _, step := range steps {
		step = step.Without(", then create a new run ({clone})").Without("; then create a new run ({clone})").Without(" Then create a new run ({clone}).")
		if !step.Offers("clone") {
			out = append(out, step)
		}
	}
	return out
}

// TakesHub reports whether a step takes a workload as it is on the hub, where it was changed after
// every snapshot.
func TakesHub(step engine.Text) bool { return step.Offers("takes-hub") }

// LabelsCluster reports whether a command, or a step, labels a cluster.
func LabelsCluster(does engine.Text) bool { return does.Offers("labels-cluster") }
