package catalogue

import "github.com/stagewatch/stagewatch/engine"

// failure is one way for a run to be refused or aborted by the hub: its text in
// all flavours, and what it says (docs/kubefleet.md#failed-runs and,
// for the selection, #new-snapshot).
type failure struct {
	Entry
	pattern *Pattern
	// what returns the sentence from the pattern's named groups; nil if plain is the sentence.
	what  func(said map[string]string) engine.Text
	plain engine.Literal
}

// What returns the sentence of a failure; said has the pattern's named groups.
func (f *failure) What(said map[string]string) engine.Text {
	if f.what == nil {
		return f.plain.Text()
	}
	return f.what(said)
}

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
