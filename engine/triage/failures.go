package triage

import (
	"regexp"
	"slices"

	"github.com/stagewatch/stagewatch/engine"
)

// failure is one way for a run to be refused or aborted by the hub: its text in
// all flavours, and what it says (docs/kubefleet.md#failed-runs and,
// for the selection, #new-snapshot).
type failure struct {
	entry
	pattern *regexp.Regexp
	// what makes the sentence of what the pattern's groups hold.
	what func(said map[string]string) engine.Text
}

// plainly makes a sentence that needs nothing of the message.
func plainly(t engine.Text) func(map[string]string) engine.Text {
	return func(map[string]string) engine.Text { return t }
}

// failures are tried in order; the first match explains the run.
var failures = slices.Concat(refusals, aborts)

// explain finds the failure that a message speaks of, and what the message
// names; nil for a text that is not known, which is quoted and never guessed at.
func explain(message string) (f *failure, said map[string]string) {
	for i := range failures {
		f := &failures[i]
		if said := match(f.pattern, message); said != nil {
			return f, said
		}
	}
	return nil, nil
}

// match returns what the named groups of a pattern hold, nil when it does not
// match.
func match(p *regexp.Regexp, message string) map[string]string {
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
