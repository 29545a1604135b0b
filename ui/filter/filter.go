// Package filter decides which rows of a list are listed: words that all must be
// found in a run or a cluster, or in one of its fields, and comparisons. It takes a label
// selector out of the filter for the API servers, which evaluate that.
package filter

import (
	"slices"
	"strings"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
)

// Filter decides which rows are listed. The zero filter lists all.
type Filter struct {
	Text string
	// Err says what of Text is not understood, and left out; empty for nothing.
	Err   engine.Text
	terms []term
	// loose is set when words without a field match by their letters in order, too.
	loose bool
	// labels is a label selector.
	labels string
	// chosen are the columns of the configuration.
	chosen []column.Column
	// hubs is set when words without a field match the name of the hub, too.
	hubs bool
}

// term is one word of a filter. All terms must hold.
type term struct {
	not   bool
	field string // empty: anywhere
	// wants are lower case, and any of them is enough; with * or ? a pattern for the whole
	// field, behind = the whole field.
	wants   []string
	compare *comparison // in place of wants
}

// New reads a filter: words that must all be found, !word that must not, field:word with *
// and ? as in file names, field:=word for the whole field, a|b for either, and comparisons
// like age>10m, clusters=100 or done<50%; kind: takes the names of kubectl, too; -l app=web is for the API servers. chosen are the columns of the configuration.
func New(s string, chosen ...column.Column) Filter {
	f := Filter{Text: s, chosen: chosen}
	for w := range strings.FieldsSeq(strings.ToLower(f.takeLabels(s))) {
		var t term
		w, t.not = strings.CutPrefix(w, "!")
		switch c, err, ok := newComparison(w, chosen); {
		case ok && !err.IsZero():
			f.Err = err
			continue
		case ok:
			t.compare = c
			f.terms = append(f.terms, t)
			continue
		}
		if field, want, ok := strings.Cut(w, ":"); ok && f.isField(field) {
			t.field, w = field, want
		} else if ok && field != "" {
			f.Err = engine.Textf("unknown field %s%s", engine.Clean(field), engine.Closest(field, f.fields()))
			continue
		}
		for _, want := range strings.Split(w, "|") {
			switch {
			case want == "":
			case t.field == "state" && !isState(want):
				f.Err = engine.Textf("no state contains %s%s", engine.Clean(want), engine.Closest(want, states()))
			default:
				if kind := engine.RunKindOf(want); t.field == "kind" && kind != engine.KindUnknown {
					want = "=" + strings.ToLower(kind.String())
				}
				t.wants = append(t.wants, want)
			}
		}
		if len(t.wants) > 0 {
			f.terms = append(f.terms, t)
		}
	}
	return f
}

// fields are the names that may stand before a colon: those of the columns, and of what
// the list has no column for.
func (f *Filter) fields() []string {
	out := []string{"ns", "cluster"}
	for _, c := range column.All() {
		out = append(out, c.Name)
	}
	for i := range f.chosen {
		if c := &f.chosen[i]; c.IsField() {
			out = append(out, c.Word())
		}
	}
	return out
}

// states are the states of runs and clusters as a filter has them, with what stands beside.
func states() []string {
	out := []string{"late", "sent", "slow"}
	for w := engine.WordUnknown; w == engine.WordUnknown || w.String() != engine.WordUnknown.String(); w++ {
		out = append(out, plainState(w.String()))
	}
	for c := engine.ClusterComing; c <= engine.ClusterDeleted; c++ {
		out = append(out, plainState(c.String()))
	}
	return out
}

// plainState is a state in lower case, with hyphens in place of spaces.
func plainState(s string) string { return strings.ReplaceAll(strings.ToLower(s), " ", "-") }

// isState reports whether any state matches; a pattern may.
func isState(want string) bool {
	t := term{field: "state", wants: []string{want}}
	return strings.ContainsAny(want, "*?") || slices.ContainsFunc(states(), func(s string) bool { return t.hit(engine.Clean(s)) })
}

func (f *Filter) isField(name string) bool {
	_, is := column.Find(f.chosen, name)
	return is || name == "ns" || name == "cluster"
}

// On reports whether the filter has a term or a label selector.
func (f *Filter) On() bool { return len(f.terms) > 0 || f.labels != "" }

// OfCauses reports whether it selects runs by what a diagnosis says, which names clusters, too.
func (f *Filter) OfCauses() bool { return f.has("cause", "why", "cluster") }

// NeedsRuns reports whether the filter needs more of a run that has succeeded than its row (engine.RunView.RowOnly).
func (f *Filter) NeedsRuns() bool {
	return slices.ContainsFunc(f.terms, func(t term) bool {
		name := t.field
		switch {
		case t.compare != nil && (t.compare.part || slices.Contains([]string{"waiting", "stuck", "updating"}, t.compare.name)):
			return false // the same for every run that has succeeded
		case t.compare != nil:
			name = t.compare.name
		case name == "": // a word may be in a column of the configuration
			return slices.ContainsFunc(f.chosen, func(c column.Column) bool { return c.IsField() })
		case name == "ns":
			return false
		}
		c, ok := column.Find(f.chosen, name)
		return !ok || !c.OfRow
	})
}

// OfStages reports whether it selects runs by nothing but the stage where they are: a finished run is at none.
func (f *Filter) OfStages() bool {
	return f.has("stage") && !slices.ContainsFunc(f.terms, func(t term) bool { return t.field != "stage" })
}

// has reports whether it has a term of any of the fields.
func (f *Filter) has(fields ...string) bool {
	return slices.ContainsFunc(f.terms, func(t term) bool { return slices.Contains(fields, t.field) })
}

// Timed reports whether what the filter lists depends on the time.
func (f *Filter) Timed() bool {
	for _, t := range f.terms {
		if t.compare != nil && t.compare.timed {
			return true
		}
	}
	return false
}

// OfHubs returns the filter with words that also match the name of a run's hub: a list of
// several hubs shows it.
func (f *Filter) OfHubs() *Filter {
	of := *f
	of.hubs = true
	return &of
}

// Loosely returns the filter with words that also match the name of a run by their letters in
// order; ok is false when it has no such word.
func (f *Filter) Loosely() (loose Filter, ok bool) {
	loose = *f
	loose.loose = true
	for _, t := range f.terms {
		ok = ok || t.word()
	}
	return loose, ok
}

// word reports whether a term is a word to be found anywhere.
func (t *term) word() bool {
	if t.not || t.field != "" || t.compare != nil {
		return false
	}
	for _, w := range t.wants {
		if strings.ContainsAny(w, "*?") {
			return false
		}
	}
	return true
}

// Run reports whether a run is listed; now is the hub's time.
func (f *Filter) Run(v *engine.RunView, now time.Time) bool {
	for i := range f.terms {
		t := &f.terms[i]
		holds := false
		switch {
		case t.compare != nil:
			holds = t.compare.holds(v, now)
		default:
			holds = t.inRun(v, f.chosen) || f.hubs && t.field == "" && t.inHub(v) || f.loose && t.word() && t.letters(v)
		}
		if holds == t.not {
			return false
		}
	}
	return true
}

// inHub reports whether the term holds for the hub of a run.
func (t *term) inHub(v *engine.RunView) bool {
	c, _ := column.Named("hub")
	return c.Hits(v, t.hit)
}

// inRun reports whether the term holds for a run, its negation aside.
func (t *term) inRun(v *engine.RunView, chosen []column.Column) bool {
	switch t.field {
	case "ns":
		return t.hit(v.ID.Namespace())
	case "":
		for _, columns := range [][]column.Column{column.All(), chosen} {
			for i := range columns {
				if c := &columns[i]; c.Anywhere && c.Hits(v, t.hit) {
					return true
				}
			}
		}
		return false
	}
	name, hit := t.field, t.hit
	if name == "cluster" || name == "why" {
		// Clusters are known by name only where the reason names them.
		name, hit = "why", t.among
	}
	c, _ := column.Find(chosen, name)
	return c.Hits(v, hit)
}

// Cluster reports whether a cluster of a stage is listed. Comparisons are about the run.
func (f *Filter) Cluster(s *engine.StageView, c *engine.ClusterView) bool {
	for i := range f.terms {
		t := &f.terms[i]
		if t.compare == nil && t.inCluster(s, c) == t.not {
			return false
		}
	}
	return true
}

// inCluster reports whether the term holds for a cluster, its negation aside.
func (t *term) inCluster(s *engine.StageView, c *engine.ClusterView) bool {
	state := engine.Clean(c.State.String())
	switch t.field {
	case "state":
		return t.hit(state)
	case "stage":
		return t.hit(s.Name)
	case "cluster":
		return t.hit(c.Name)
	case "why":
		return t.among(c.Why)
	case "run":
		return t.hit(c.PreemptedBy.Title())
	case "":
		return t.hit(c.Name) || t.hit(state) || t.hit(c.Why)
	}
	return !t.not // the run's, not the cluster's
}
