package triage

import (
	"regexp"
	"slices"
	"strings"

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

// labelEvidence shows the labels of up to three clusters that the message names.
func labelEvidence(k *kit) []engine.Evidence {
	var out []engine.Evidence
	for _, n := range k.namedClusters() {
		if len(out) == 3 {
			break
		}
		m, known := k.c.Member(n)
		if m == nil {
			if known {
				out = append(out, field(object(memberID(n)), engine.Lit("metadata.name"), engine.Lit("no such member now")))
			}
			continue
		}
		out = append(out, field(object(m.ID), engine.Lit("metadata.labels"), labelsOf(m)))
	}
	return out
}

// labelsOf lists a member's own labels; those of Fleet tell nothing here.
func labelsOf(m *engine.Member) engine.Text {
	var out []engine.Text
	for _, key := range sortedKeys(m.Labels) {
		if !fleetLabel(key) {
			out = append(out, engine.Textf("%s=%s", key, m.Labels[key]))
		}
	}
	if len(out) == 0 {
		return engine.Lit("none")
	}
	return engine.Join(out, ", ")
}

// fleetLabel reports whether a label is one that the hub sets itself.
func fleetLabel(key string) bool { return strings.HasPrefix(key, "kubernetes-fleet.io/") }

// sortingEvidence shows the sorting label as it is now.
func sortingEvidence(k *kit) []engine.Evidence {
	m, _ := k.c.Member(k.said["cluster"])
	if m == nil {
		return labelEvidence(k)
	}
	value, ok := m.Labels[k.said["key"]]
	return []engine.Evidence{field(object(m.ID), engine.Textf("metadata.labels[%s]", k.said["key"]), orAbsent(value, ok))}
}
