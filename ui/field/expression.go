package field

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// Filtered is what an Expression is typed into: a list, or a text that is searched.
type Filtered interface {
	Filter() string
	SetFilter(s string)
	// StartFilter returns what cancels the filters that are set from now on: it brings back the
	// present one, with the place of the cursor.
	StartFilter() (cancel func())
	FilterErr() engine.Text
	FilterHelp() engine.Text
}

// Expression is a Field that starts empty and goes back to what was entered before: a filter,
// or words to search for.
type Expression struct {
	Field
	on     Filtered
	cancel func()
	// past are the expressions that were entered, the oldest first: of filters, and of searches in
	// a text. at is the one that is shown, behind the last one while none is.
	past   [2][]string
	search int
	at     int
}

// mostPast is how many expressions are kept.
const mostPast = 50

// Open begins an expression in place of the present one; search is set for one that is looked for
// in a text.
func (e *Expression) Open(on Filtered, search bool) {
	if e.search = 0; search {
		e.search = 1
	}
	e.on, e.cancel = on, on.StartFilter()
	e.keep(on.Filter())
	e.at = len(e.past[e.search])
	e.Set("")
}

// Cancel brings back what applied when the expression was opened.
func (e *Expression) Cancel() { e.cancel() }

// Keep keeps what was typed, to go back to it.
func (e *Expression) Keep() { e.keep(e.Value()) }

func (e *Expression) keep(s string) {
	if s == "" {
		return
	}
	past := append(slices.DeleteFunc(e.past[e.search], func(x string) bool { return x == s }), s)
	e.past[e.search] = past[max(0, len(past)-mostPast):]
}

// Type types a key, or goes to an older or a newer expression.
func (e *Expression) Type(k tea.KeyPressMsg, older, newer bool) {
	if (older || newer) && e.Step(older) || !older && !newer && e.Update(k) {
		e.on.SetFilter(e.Value())
	}
}

// Paste inserts a text at the cursor.
func (e *Expression) Paste(s string) {
	if e.Field.Paste(s) {
		e.on.SetFilter(e.Value())
	}
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

// WriteLine writes what is typed, with what is wrong with it or what it can be, and returns the
// column of the cursor.
func (e *Expression) WriteLine(r *cell.Row, th *theme.Theme) (cursor int) {
	cursor = e.Write(r.Put(theme.Key|theme.Bold, "/"), th, theme.Name, r.Left())
	if e.AtEnd() {
		r.Gap(1)
	}
	if err := e.on.FilterErr(); !err.IsZero() {
		r.Put(theme.Wait|theme.Bold, "  ").Text(theme.Wait|theme.Bold, err)
	} else {
		r.Put(theme.Faint, "  ").Text(theme.Faint, e.on.FilterHelp())
	}
	return cursor
}
