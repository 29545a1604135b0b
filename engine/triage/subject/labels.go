package subject

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// LabelEvidence shows the labels of up to three clusters: the given ones, then those that the
// message names.
func LabelEvidence(k *Subject, first ...string) []engine.Evidence {
	var out []engine.Evidence
	names := slices.Concat(first, k.NamedClusters())
	for i, n := range names {
		if len(out) == 3 {
			break
		}
		if slices.Contains(names[:i], n) {
			continue
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

// SortingEvidence shows the sorting label of clusters as it is now.
func SortingEvidence(k *Subject, key string, clusters ...string) (out []engine.Evidence) {
	for _, cluster := range clusters {
		m, _ := k.Case.Member(cluster)
		if m == nil {
			return LabelEvidence(k)
		}
		value, ok := m.Labels[key]
		out = append(out, Field(Object(m.ID), engine.Textf("metadata.labels[%s]", key), OrAbsent(value, ok)))
	}
	return out
}

// OrAbsent quotes a value, or says that there is none.
func OrAbsent(value string, there bool) engine.Text {
	if !there {
		return engine.Lit("absent")
	}
	return engine.Textf("%q", value)
}

// showNamedMembers shows the members that the hub's message names, all when it
// names none.
func showNamedMembers(k *Subject) engine.Text {
	names := k.NamedClusters()
	if len(names) == 0 {
		return ShowMembers(k)
	}
	return ShowTheseMembers(k, names)
}

// ShowTheseMembers prints some member clusters with their labels.
func ShowTheseMembers(k *Subject, names []string) engine.Text {
	return k.fleet(append([]string{"get", "memberclusters", "--show-labels"}, names...)...)
}

// NamedClusters lists the clusters that the hub's message names, or the one
// that the case is about.
func (k *Subject) NamedClusters() []string {
	var out []string
	for n := range strings.SplitSeq(k.Named["names"], ",") {
		// A message stops after ten names with dots.
		if n = strings.Trim(strings.TrimSuffix(strings.TrimSpace(n), "..."), " "); n != "" {
			out = append(out, n)
		}
	}
	if n := k.Named["cluster"]; n != "" {
		out = append(out, n)
	}
	if len(out) == 0 && k.Cluster != nil {
		out = append(out, k.Cluster.Name)
	}
	return out
}
