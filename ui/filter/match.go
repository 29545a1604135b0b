package filter

import (
	"path"
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"

	"github.com/stagewatch/stagewatch/engine"
)

// hit reports whether the term fits a field: a pattern the whole of it, a word
// any part of it.
func (t *term) hit(x engine.Text) bool {
	s := strings.ToLower(x.String())
	if t.field == "state" {
		s = plainState(s)
	}
	return slices.ContainsFunc(t.wants, func(want string) bool {
		return fits(want, s, t.field != "") || t.field == "state" && fits(want, strings.ReplaceAll(s, "-", ""), true)
	})
}

// fits reports whether a word or a pattern, both in lower case, fits a field.
func fits(want, s string, field bool) bool {
	if whole, ok := strings.CutPrefix(want, "="); ok && field {
		return s == whole
	}
	if !strings.ContainsAny(want, "*?") {
		return strings.Contains(s, want)
	}
	// Only '/' is special to path.Match beside the wildcards.
	esc := strings.NewReplacer("/", "\x00", "[", `\[`, `\`, `\\`)
	ok, err := path.Match(esc.Replace(want), strings.ReplaceAll(s, "/", "\x00"))
	return ok && err == nil
}

// among reports whether the term fits any word of a sentence.
func (t *term) among(x engine.Text) bool {
	if !slices.ContainsFunc(t.wants, func(want string) bool { return strings.ContainsAny(want, "*?") }) {
		return t.hit(x)
	}
	for w := range strings.FieldsSeq(x.String()) {
		if t.hit(engine.Clean(strings.Trim(w, ",.:;\"'()"))) {
			return true
		}
	}
	return false
}

// letters reports whether the letters of a word come in the name of a run in their order.
func (t *term) letters(v *engine.RunView) bool {
	return slices.ContainsFunc(t.wants, func(want string) bool { return len(fuzzy.FindNoSort(want, []string{v.ID.Title().String()})) > 0 })
}

// Marks returns which bytes of the name of a run, as it is shown, the words of the filter
// have matched.
func (f *Filter) Marks(shown string) []int {
	var out []int
	for i := range f.terms {
		t := &f.terms[i]
		if t.not || t.compare != nil || t.field != "" && t.field != "run" {
			continue
		}
		for _, want := range t.wants {
			if at := strings.Index(strings.ToLower(shown), want); at >= 0 && len(strings.ToLower(shown)) == len(shown) {
				for j := range len(want) {
					out = append(out, at+j)
				}
			} else if f.loose && t.word() {
				for _, m := range fuzzy.FindNoSort(want, []string{shown}) {
					out = append(out, m.MatchedIndexes...)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
