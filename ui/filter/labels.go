package filter

import (
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/selector"
)

// takeLabels takes the label selectors out of a filter, written as for kubectl: -l app=web. It
// returns the other words. One that is invalid is left out.
func (f *Filter) takeLabels(s string) string {
	var words, labels []string
	for all := strings.Fields(s); len(all) > 0; {
		w := all[0]
		all = all[1:]
		after, is := strings.CutPrefix(w, "--selector")
		if is = is && (after == "" || after[0] == '='); !is {
			after, is = strings.CutPrefix(w, "-l")
		}
		if !is {
			words = append(words, w)
			continue
		}
		if after = strings.TrimPrefix(after, "="); after != "" {
			all = append([]string{after}, all...)
		}
		var want string
		if want, all = takeSelector(all); want == "" {
			f.Err = engine.Lit("-l needs a label selector such as app=web")
			continue
		}
		if wrong := selector.Wrong(want); !wrong.IsZero() {
			f.Err = engine.Textf("-l: %s", wrong)
			continue
		}
		labels = append(labels, want)
	}
	f.labels = strings.Join(labels, ",")
	return strings.Join(words, " ")
}

// takeSelector returns the selector at the beginning of words, and the words after it. It is one
// word; in quotes, in parentheses, beside in and notin and after a comma, several.
func takeSelector(words []string) (selector string, rest []string) {
	for i, w := range words {
		selector = strings.TrimSpace(selector + " " + w)
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		quote := selector[:1]
		switch {
		case strings.Contains(`"'`, quote) && (len(selector) == 1 || !strings.HasSuffix(selector, quote)):
		case strings.Count(selector, "(") > strings.Count(selector, ")"):
		case strings.HasSuffix(w, ","), w == "in", w == "notin", next == "in", next == "notin":
		default:
			return strings.Trim(selector, `"'`), words[i+1:]
		}
	}
	return strings.Trim(selector, `"'`), nil
}

// Labels is the label selector of the filter, which the API servers evaluate; empty for none.
func (f *Filter) Labels() string { return f.labels }
