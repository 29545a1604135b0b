package field

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// Expression is a Field that starts empty and goes back to what was entered before: a filter,
// or words to search for.
type Expression struct {
	Field
	before string // what applies until something is typed
	// past are the expressions that were entered, the oldest first: of filters, and of searches in
	// a text. at is the one that is shown, behind the last one while none is.
	past   [2][]string
	search int
	at     int
}

// mostPast is how many expressions are kept.
const mostPast = 50

// Open begins an expression in place of before; search is set for one that is looked for in a
// text.
func (e *Expression) Open(before string, search bool) {
	if e.search = 0; search {
		e.search = 1
	}
	e.before = before
	e.keep(before)
	e.at = len(e.past[e.search])
	e.Set("")
}

// Before returns what applied when the expression was opened.
func (e *Expression) Before() string { return e.before }

// Keep keeps what was typed, to go back to it.
func (e *Expression) Keep() { e.keep(e.Value()) }

func (e *Expression) keep(s string) {
	if s == "" {
		return
	}
	past := append(slices.DeleteFunc(e.past[e.search], func(x string) bool { return x == s }), s)
	e.past[e.search] = past[max(0, len(past)-mostPast):]
}

// Type types a key, or goes to an older or a newer expression, and reports whether that changed
// what is shown.
func (e *Expression) Type(k tea.KeyPressMsg, older, newer bool) bool {
	if older || newer {
		return e.Step(older)
	}
	return e.Update(k)
}

// Step shows the expression before the one that is shown, or with older false the one behind
// it, and reports whether there is one; behind the last one the field is empty.
func (e *Expression) Step(older bool) bool {
	past, at := e.past[e.search], e.at+1
	if older {
		at = e.at - 1
	}
	if at < 0 || at > len(past) {
		return false
	}
	e.at = at
	if e.Set(""); at < len(past) {
		e.Set(past[at])
	}
	return true
}
