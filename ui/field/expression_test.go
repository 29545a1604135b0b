package field

import (
	"strconv"
	"testing"
)

// TestExpression goes through the expressions that were entered, of filters and searches apart.
func TestExpression(t *testing.T) {
	var e Expression
	step := func(older bool, want string, moved bool) {
		t.Helper()
		if got := e.Step(older); got != moved || e.Value() != want {
			t.Errorf("shows %q, moved %v, want %q", e.Value(), got, want)
		}
	}
	enter := func(before, typed string, search bool) {
		e.Open(before, search)
		if e.Value() != "" || e.Before() != before {
			t.Errorf("starts with %q before %q", e.Value(), e.Before())
		}
		e.Set(typed)
		e.Keep()
	}
	enter("", "a", false)
	enter("a", "b", false)
	enter("b", "", false) // nothing typed
	enter("", "a", false) // again: it is the newest
	enter("", "words", true)
	e.Open("of a view", false)
	step(true, "of a view", true)
	step(true, "a", true)
	step(true, "b", true)
	step(true, "b", false)
	step(false, "a", true)
	step(false, "of a view", true)
	step(false, "", true)
	step(false, "", false)
	e.Open("", true)
	step(true, "words", true)
	step(true, "words", false)
	for i := range 2 * mostPast {
		enter("", strconv.Itoa(i), false)
	}
	e.Open("", false)
	n := 0
	for e.Step(true) {
		n++
	}
	if n != mostPast {
		t.Errorf("keeps %d", n)
	}
}
