package catalogue

import (
	"regexp"
	"slices"

	"github.com/stagewatch/stagewatch/engine"
)

// failure is one way for a run to be refused or aborted by the hub: its text in
// all flavours, and what it says (docs/kubefleet.md#failed-runs and,
// for the selection, #new-snapshot).
type failure struct {
	Entry
	pattern *regexp.Regexp
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
		if said := Groups(f.pattern, message); said != nil {
			return f, said
		}
	}
	return nil, nil
}

// Groups returns what the named groups of a pattern hold, nil when it does not
// match.
func Groups(p *regexp.Regexp, message string) map[string]string {
	m := p.FindStringSubmatch(message)
	if m == nil {
		return nil
	}
	said := map[string]string{}
	for i, name := range p.SubexpNames() {
		if name != "" {
			said[name] = m[i]
		}
	}
	return said
}
