package field

import (
	"strconv"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
)

// filtered remembers its filter.
type filtered struct{ words string }

func (f *filtered) Filter() string        { return f.words }
func (f *filtered) SetFilter(s string)    { f.words = s }
func (*filtered) FilterErr() engine.Text  { return engine.Text{} }
func (*filtered) FilterHelp() engine.Text { return engine.Text{} }
func (f *filtered) StartFilter() func()   { was := *f; return func() { *f = was } }

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
		e.Open(&filtered{before}, search)
		if e.Value() != "" {
			t.Errorf("starts with %q", e.Value())
		}
		e.Set(typed)
		e.Keep()
	}
	enter("", "a", false)
	enter("a", "b", false)
	enter("b", "", false) // nothing typed
	enter("", "a", false) // again: it is the newest
	enter("", "words", true)
	e.Open(&filtered{"of a view"}, false)
	step(true, "of a view", true)
	step(true, "a", true)
	step(true, "b", true)
	step(true, "b", false)
	step(false, "a", true)
	step(false, "of a view", true)
	step(false, "", true)
	step(false, "", false)
	e.Open(&filtered{}, true)
	step(true, "words", true)
	step(true, "words", false)
	for i := range 2 * mostPast {
		enter("", strconv.Itoa(i), false)
	}
	e.Open(&filtered{}, false)
	n := 0
	for e.Step(true) {
		n++
	}
	if n != mostPast {
		t.Errorf("keeps %d", n)
	}
}

// TestExpressionAppliesWhatIsTyped: each change applies at once, to what the expression was opened
// on, and all of them are cancelled together.
func TestExpressionAppliesWhatIsTyped(t *testing.T) {
	var e Expression
	on := &filtered{"before"}
	e.Open(on, false)
	for _, r := range "ab" {
		e.Type(tea.KeyPressMsg{Code: r, Text: string(r)}, false, false)
	}
	if on.words != "ab" {
		t.Errorf("typed: %q applies", on.words)
	}
	if e.Paste("c"); on.words != "abc" {
		t.Errorf("pasted: %q applies", on.words)
	}
	if e.Type(tea.KeyPressMsg{Code: tea.KeyUp}, true, false); on.words != "before" {
		t.Errorf("the one before: %q applies", on.words)
	}
	if e.Type(tea.KeyPressMsg{Code: tea.KeyDown}, false, true); on.words != "" {
		t.Errorf("behind the last one: %q applies", on.words)
	}
	if e.Cancel(); on.words != "before" {
		t.Errorf("cancelled: %q applies", on.words)
	}
}
