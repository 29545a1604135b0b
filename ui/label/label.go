// Package label is how components describe a run outside the list: the style of its
// state, what it is about, counts in words.
package label

import (
	"strconv"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// StateStyle is the style of the state; a slow run needs a look.
func StateStyle(v *engine.RunView) theme.Style {
	if v.Late || v.Slow && v.Word == engine.WordRunning {
		return theme.Wait
	}
	return theme.OfWord(v.Word)
}

// Plural is a count of things, "1 run" or "2 runs".
func Plural(n int, s string) string {
	if n == 1 {
		return "1 " + s
	}
	return strconv.Itoa(n) + " " + s + "s"
}

// Need is one entry of "needs attention": 2 approvals, 1 stuck, 1 waiting late, 1+ running will fail.
func Need(n engine.Need) string {
	w := strings.ToLower(n.Word.String())
	switch {
	case n.Least:
		return strconv.Itoa(n.Count) + "+ " + w + " will fail"
	case n.Fails:
		return strconv.Itoa(n.Count) + " " + w + " will fail"
	case n.Word == engine.WordApproval:
		return Plural(n.Count, w)
	}
	if n.Late {
		w += " late"
	}
	return strconv.Itoa(n.Count) + " " + w
}

// Server is the address of an API server without what all of them have.
func Server(s string) string {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "https://"), "http://")
	return strings.TrimSuffix(strings.TrimSuffix(s, "/"), ":443")
}

// Refused says that an act is not possible, why, and what to do.
func Refused(a engine.Act, no engine.Refusal) engine.Text {
	switch {
	case no.Hint.IsZero() && a == engine.ActRaise: // not "cannot write": that may be possible
		return engine.Capital(no.Why)
	case no.Hint.IsZero():
		return engine.Textf("Cannot %s: %s", a.String(), no.Why)
	}
	return engine.Textf("Cannot %s: %s. %s", a.String(), no.Why.Clause(), engine.Capital(no.Hint))
}

// Hub is the alias of a hub, else its context.
func Hub(h *engine.Hub) engine.Text {
	if h.Name.IsZero() {
		return h.Context
	}
	return h.Name.Text()
}
