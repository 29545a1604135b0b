// Package filter decides which rows of a list are listed: words that all must be
// found in a run or a cluster, or in one of its fields.
package filter

import (
	"path"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
)

// Filter decides which rows are listed. The zero filter lists all.
type Filter struct {
	Text  string
	terms []term
}

// term is one word of a filter. All terms must hold.
type term struct {
	not   bool
	field string // empty: anywhere
	want  string // lower case; with * or ? a pattern for the whole field, behind = the whole field
}

// New reads a filter: words that must all be found, !word that must
// not, field:word with * and ? as in file names, field:=word for the whole field.
func New(s string) Filter {
	f := Filter{Text: s}
	for w := range strings.FieldsSeq(strings.ToLower(s)) {
		var t term
		w, t.not = strings.CutPrefix(w, "!")
		if field, want, ok := strings.Cut(w, ":"); ok && isField(field) {
			t.field, w = field, want
		}
		if t.want = w; w != "" {
			f.terms = append(f.terms, t)
		}
	}
	return f
}

// isField reports whether a name may stand before a colon: that of a column, or of what
// the list has no column for.
func isField(name string) bool {
	_, is := column.Named(name)
	return is || name == "ns" || name == "cluster"
}

// On reports whether the filter has a term.
func (f Filter) On() bool { return len(f.terms) > 0 }

// Run reports whether a run is listed.
func (f Filter) Run(v *engine.RunView) bool {
	for _, t := range f.terms {
		if t.inRun(v) == t.not {
			return false
		}
	}
	return true
}

// inRun reports whether the term holds for a run, its negation aside.
func (t *term) inRun(v *engine.RunView) bool {
	switch t.field {
	case "ns":
		return t.hit(v.ID.Namespace())
	case "":
		columns := column.All()
		for i := range columns {
			if c := &columns[i]; c.Anywhere && c.Hits(v, t.hit) {
				return true
			}
		}
		return false
	}
	name, hit := t.field, t.hit
	if name == "cluster" || name == "why" {
		// Clusters are known by name only where the reason names them.
		name, hit = "why", t.among
	}
	c, _ := column.Named(name)
	return c.Hits(v, hit)
}

// Cluster reports whether a cluster of a stage is listed.
func (f Filter) Cluster(s *engine.StageView, c *engine.ClusterView) bool {
	for _, t := range f.terms {
		if t.holds(func(field string, hit func(engine.Text) bool) bool {
			state := engine.Clean(c.State.String())
			switch field {
			case "state":
				return hit(state)
			case "stage":
				return hit(s.Name)
			case "cluster":
				return hit(c.Name)
			case "why":
				return t.among(c.Why)
			case "run":
				return hit(c.PreemptedBy.Title())
			case "":
				return hit(c.Name) || hit(state) || hit(c.Why)
			}
			return !t.not // the run's, not the cluster's
		}) == t.not {
			return false
		}
	}
	return true
}

func (t *term) holds(look func(string, func(engine.Text) bool) bool) bool {
	return look(t.field, func(x engine.Text) bool { return t.hit(x) })
}

// hit reports whether the term fits a field: a pattern the whole of it, a word
// any part of it.
func (t *term) hit(x engine.Text) bool {
	s := strings.ToLower(x.String())
	if t.field == "state" {
		s = strings.ReplaceAll(s, " ", "-")
	}
	if whole, ok := strings.CutPrefix(t.want, "="); ok && t.field != "" {
		return s == whole
	}
	if !strings.ContainsAny(t.want, "*?") {
		return strings.Contains(s, t.want)
	}
	// Only '/' is special to path.Match beside the wildcards.
	esc := strings.NewReplacer("/", "\x00", "[", `\[`, `\`, `\\`)
	ok, err := path.Match(esc.Replace(t.want), strings.ReplaceAll(s, "/", "\x00"))
	return ok && err == nil
}

// among reports whether the term fits any word of a sentence.
func (t *term) among(x engine.Text) bool {
	if !strings.ContainsAny(t.want, "*?") {
		return t.hit(x)
	}
	for w := range strings.FieldsSeq(x.String()) {
		if t.hit(engine.Clean(strings.Trim(w, ",.:;\"'()"))) {
			return true
		}
	}
	return false
}
