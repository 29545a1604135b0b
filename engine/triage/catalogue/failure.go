package catalogue

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
)

// failure is one way for a run to be refused or aborted by the hub: its text in
// all flavours, and what it says (docs/kubefleet.md#failed-runs and,
// for the selection, #new-snapshot).
type failure struct {
	Entry
	pattern *Pattern
	// What makes the sentence of what the pattern's groups hold.
	What func(said map[string]string) engine.Text
}

// plainly makes a sentence that needs nothing of the message.
func plainly(t engine.Text) func(map[string]string) engine.Text {
	return func(map[string]string) engine.Text { return t }
}

// Failures are tried in order; the first match explains the run.
var Failures = slices.Concat(refusals, aborts)

// FailureOf finds the failure that a message speaks of, and what the message
// names; nil for a text that is not known, which is quoted and never guessed at.
func FailureOf(message string) (f *failure, said map[string]string) {
	for i := range Failures {
		f := &Failures[i]
		if said := f.pattern.Groups(message); said != nil {
			return f, said
		}
	}
	return nil, nil
}
