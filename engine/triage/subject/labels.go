package subject

import (
	"strconv"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// LabelEvidence shows the labels of up to three clusters that the message names.
func LabelEvidence(k *Subject) []engine.Evidence {
	var out []engine.Evidence
	for _, n := range k.namedClusters() {
		if len(out) == 3 {
			break
		}
		m, known := k.Case.Member(n)
		if m == nil {
			if known {
				out = append(out, Field(Object(MemberID(k.Case.View.ID, n)), engine.Lit("metadata.name"), engine.Lit("no such member now")))
			}
			continue
		}
		out = append(out, Field(Object(m.ID), engine.Lit("metadata.labels"), labelsOf(m)))
	}
	return out
}

// labelsOf lists a member's own labels; those of Fleet tell nothing here.
func labelsOf(m *world.Member) engine.Text {
	var out []engine.Text
	for _, key := range SortedKeys(m.Labels) {
		if !FleetLabel(key) {
			out = append(out, engine.Textf("%s=%s", key, m.Labels[key]))
		}
	}
	if len(out) == 0 {
		return engine.Lit("none")
	}
	return engine.Join(out, ", ")
}

// FleetLabel reports whether a label is one that the hub sets itself.
func FleetLabel(key string) bool { return strings.HasPrefix(key, "kubernetes-fleet.io/") }

// Numbered lists the labels whose value is a number, as KEY=VALUE; those of
// Fleet are not for sorting.
func Numbered(all map[string]string) (out []engine.Text) {
	for _, key := range SortedKeys(all) {
		if _, err := strconv.Atoi(all[key]); err == nil && !FleetLabel(key) {
			out = append(out, engine.Textf("%s=%s", key, all[key]))
		}
	}
	return out
}

// SortingEvidence shows the sorting label as it is now.
func SortingEvidence(k *Subject) []engine.Evidence {
	m, _ := k.Case.Member(k.Named["cluster"])
	if m == nil {
		return LabelEvidence(k)
	}
	value, ok := m.Labels[k.Named["key"]]
	return []engine.Evidence{Field(Object(m.ID), engine.Textf("metadata.labels[%s]", k.Named["key"]), OrAbsent(value, ok))}
}

// OrAbsent quotes a value, or says that there is none.
func OrAbsent(value string, there bool) engine.Text {
	if !there {
		return engine.Lit("absent")
	}
	return engine.Textf("%q", value)
}
