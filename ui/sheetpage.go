package ui

import (
	"slices"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// sheet is a page of sections over the list or the opened run. Pages are
// opened from pages; esc takes the topmost off.
type sheet struct {
	title    engine.Text
	question engine.Question
	sub      subject

	// n tells the asking of this page from those of others and from its own of
	// before it was covered.
	n      int
	asking bool
	got    bool
	answer engine.Answer
	err    engine.Text // why the latest asking brought nothing
	hint   engine.Text

	th    *theme.Theme // with now, w and h: what it is arranged for
	now   time.Time
	w, h  int
	rows  []sheetRow
	lines []sheetLine
	laid  laidFor
	sel   engine.Text // key of the row under the cursor; empty for none
	top   int
	marks map[gate]bool
	// begin is set until the cursor was put on its first row.
	begun bool
}

// take shows an answer; one that failed leaves what was shown.
func (s *sheet) take(a engine.Answer) {
	s.asking = false
	s.err, s.hint = a.Err, a.Hint
	if s.err.IsZero() {
		s.answer, s.got, s.laid = a, true, laidFor{}
	}
}

// subject is what keys on a page are about.
type subject struct {
	run, placement, member engine.ID
}

// gate names an approval of a run. A run or request that was made anew under
// its name is another one.
type gate struct{ run, request engine.ID }

// marksOf reports whether rows of a page can be marked: approvals can.
func (s *sheet) marksOf() bool { return s.question.Kind == engine.QuestionInbox }

// gateOf is the approval that a row of the inbox is about.
func gateOf(r *engine.Row) gate { return gate{r.Run, r.Object} }

// mark marks the approval of a row, or clears its mark.
func (s *sheet) mark(r *engine.Row) {
	marks := make(map[gate]bool, len(s.marks)+1)
	for g := range s.marks {
		marks[g] = true
	}
	if g := gateOf(r); marks[g] {
		delete(marks, g)
	} else {
		marks[g] = true
	}
	s.marks = marks
}

// isMarked reports whether anything is marked.
func (s *sheet) isMarked() bool { return len(s.marks) > 0 }

// clearMarks clears the marks.
func (s *sheet) clearMarks() { s.marks = nil }

// marked lists the marked approvals, in the order of the page; what is no longer on it
// comes last and is refused by the guard.
func (s *sheet) marked() []gate {
	var out []gate
	seen := make(map[gate]bool, len(s.marks))
	for i := range s.rows {
		if g := gateOf(s.rows[i].row); s.marks[g] && !seen[g] {
			seen[g] = true
			out = append(out, g)
		}
	}
	var gone []gate
	for g := range s.marks {
		if !seen[g] {
			gone = append(gone, g)
		}
	}
	slices.SortFunc(gone, func(a, b gate) int { return a.request.Compare(b.request) })
	return append(out, gone...)
}

// strategy is the one that the page or its row imagines a run by; empty when it
// imagines none.
func (s *sheet) strategy() engine.Text {
	if r := s.row(); r != nil && !r.Page.Strategy.IsZero() {
		return r.Page.Strategy
	}
	return s.question.Strategy
}
