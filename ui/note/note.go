// Package note is the line that answers the last key: what it says and how long it
// is shown.
package note

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// News is how long news of runs is shown: a person may look elsewhere.
const News = 30 * time.Minute

// Note is one line. The zero Note is empty.
type Note struct {
	style theme.Style
	text  engine.Text
	end   time.Time // local; from then on it is not shown
	// holds reports whether it is still true; nil where only time ends it.
	holds func() bool
	// standing is shown while there is no other.
	standing engine.Text
}

// Stand shows what is wrong until it is called again: now, and whenever there is no other note.
// An empty text ends it.
func (n *Note) Stand(x engine.Text) { *n = Note{standing: x} }

// Clear removes the note.
func (n *Note) Clear() { n.Stand(n.standing) }

// Say replaces the note; an empty text removes it.
func (n *Note) Say(k theme.Style, x engine.Text, now time.Time) {
	n.SayFor(k, x, now, shownFor(k))
}

// SayFor is Say for a note that is shown for a given time.
func (n *Note) SayFor(k theme.Style, x engine.Text, now time.Time, d time.Duration) {
	*n = Note{style: k, text: x, end: now.Add(d), standing: n.standing}
}

// SayWhile is Say for a note that is removed as soon as it is no longer true.
func (n *Note) SayWhile(k theme.Style, x engine.Text, now time.Time, holds func() bool) {
	n.Say(k, x, now)
	n.holds = holds
}

// shownFor is how long a note is shown: answers to keys for as long as it takes to read
// them, what went wrong for longer.
func shownFor(k theme.Style) time.Duration {
	switch k &^ theme.Bold {
	case theme.Bad:
		return 5 * time.Minute
	case theme.Wait:
		return time.Minute
	}
	return 20 * time.Second
}

// Expire removes a note whose time is over, or that is no longer true. Nothing is
// known to be untrue before there is data.
func (n *Note) Expire(now time.Time, data bool) {
	if !n.text.IsZero() && (!now.Before(n.end) || n.holds != nil && data && !n.holds()) {
		n.Clear()
	}
}

// Text returns what it says, empty for nothing.
func (n *Note) Text() engine.Text { return n.text }

// Write writes the note into a row.
func (n *Note) Write(r *cell.Row) {
	if n.text.IsZero() {
		r.Text(theme.Bad, n.standing)
		return
	}
	r.Text(n.style, n.text)
}
