package triage

import (
	"strings"

	"github.com/stagewatch/stagewatch/engine"
)

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

func orAbsent(value string, there bool) engine.Text {
	if !there {
		return engine.Lit("absent")
	}
	return engine.Textf("%q", value)
}
