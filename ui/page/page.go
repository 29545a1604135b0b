// Package page is a page of sections about a cluster, a placement, the approvals or
// another subject: its rows and prose, the row under the cursor, the marks and what
// of it is on the screen. It knows no other component; the root model asks for its
// answer and follows its rows. The lines are written by cells: sections stand side by
// side, and columns, ages and strips of time change with the width and the second.
package page

import (
	"sort"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// Page is a page of sections over the list or the opened run. Pages are opened from
// pages; esc takes the topmost off.
type Page struct {
	title    engine.Text
	question page.Question
	subject  Subject

	// number separates the question of this page from those of others, and from its own
	// from before it was covered.
	number int
	asking bool
	loaded bool
	// old is set when the answer is from before the page was covered.
	old    bool
	answer page.Answer
	err    engine.Text // why the latest question has no answer
	hint   engine.Text

	th      *theme.Theme // with now, w and h: what it is arranged for
	now     time.Time
	w, h    int
	spinner string // drawn while the page loads
	rows    []rowAt
	lines   []line
	laid    laidFor
	ordered ordered
	lastRow int // where the row under the cursor was
	aside   aside
	shares  shares
	// wrapTables is set while the last column of tables goes on in further lines.
	wrapTables bool
	selected   engine.Text // key of the row under the cursor; empty for none
	top        int
	marks      map[Gate]bool
	lookup
	// begun is set once the cursor was put on its first row, as long as there are rows, or was
	// moved. The first of a part of the rows may be another one than that of all.
	begun bool
	first engine.Text // the row that the cursor was last put on
}

// New returns a page that waits for the answer to its question.
func New(title engine.Text, q page.Question, about Subject) *Page {
	return &Page{title: title, question: q, subject: about}
}

// WithoutCursor returns the page with no row selected, as long as no key moves to one.
func (s *Page) WithoutCursor() *Page {
	s.begun = true
	return s
}

// Title is its name among the crumbs.
func (s *Page) Title() engine.Text { return s.title }

// Question is what it asks.
func (s *Page) Question() page.Question { return s.question }

// Reask sets another question about the same subject. What is shown answers the one before.
func (s *Page) Reask(q page.Question) { s.question, s.old = q, true }

// Subject is what keys on the page are about.
func (s *Page) Subject() Subject { return s.subject }

// Ask takes note that its question was asked, under a number.
func (s *Page) Ask(number int) { s.number, s.asking = number, true }

// Number is that of its latest question.
func (s *Page) Number() int { return s.number }

// IsAsking reports whether its latest question has no answer yet.
func (s *Page) IsAsking() bool { return s.asking }

// Cover takes note that something else takes the place of the page. Answers that come in the
// meantime are dropped: what is shown when the page is back is old.
func (s *Page) Cover() { s.asking, s.old = false, true }

// AsOf returns when the answer was read if the screen has to say so, because it is old: it could
// not be read again, is older than live data, or is from before the page was covered. now is the time by the clock of the hub that the page is about.
func (s *Page) AsOf(now time.Time) (at time.Time, ok bool) {
	at = s.answer.At
	return at, s.loaded && !at.IsZero() && (!s.err.IsZero() || s.old || now.Sub(at) > engine.StaleAfter)
}

// IsLoaded reports whether an answer is shown.
func (s *Page) IsLoaded() bool { return s.loaded }

// Answer is the one that is shown.
func (s *Page) Answer() page.Answer { return s.answer }

// Err is why the latest question has no answer; empty when it has one.
func (s *Page) Err() engine.Text { return s.err }

// IsPartial reports whether the answer lacks runs that were still loading.
func (s *Page) IsPartial() bool { return s.answer.Partial }

// Selected is the key of the row under the cursor; empty for none.
func (s *Page) Selected() engine.Text { return s.selected }

// Select puts the cursor on a row.
func (s *Page) Select(key engine.Text) { s.selected = key }

// Spin sets the frame of the spinner that is drawn while the page loads.
func (s *Page) Spin(frame string) { s.spinner = frame }

// Take shows an answer; one that failed leaves what was shown.
func (s *Page) Take(a page.Answer) {
	s.asking = false
	s.err, s.hint = a.Err, a.Hint
	if s.err.IsZero() {
		s.answer, s.loaded, s.old, s.laid, s.shares = a, true, false, laidFor{}, shares{}
	}
}

// Update moves the cursor and scrolls as a key does, and reports whether a does that.
func (s *Page) Update(a keymap.Action) bool {
	if s.onSearch(a) {
		return true
	}
	if s.aside.focus {
		_, lines := s.asideOf()
		d, ok := a.Distance(s.aside.h-1, len(lines))
		s.scrollAside(d)
		return ok
	}
	d, ok := a.Distance(s.h, len(s.lines))
	switch {
	case !ok:
	case a == keymap.Down || a == keymap.Up:
		s.step(d, s.h)
	default:
		s.Scroll(d)
	}
	return ok
}

// Window returns which lines are on the screen, and how many there are.
func (s *Page) Window() (from, to, of int) {
	return s.top, min(len(s.lines), s.top+s.h), len(s.lines)
}

// Subject is what keys on a page are about.
type Subject struct {
	Run, Placement, Member engine.ID
}

// Gate names an approval of a run. A run or request that was made anew under
// its name is another one.
type Gate struct{ Run, Request engine.ID }

// Markable reports whether rows can be marked: approvals can.
func (s *Page) Markable() bool { return s.question == page.ApprovalsQuestion{} }

// gateOf is the approval that a row of the inbox is about.
func gateOf(r *page.Row) Gate { return Gate{r.Run, r.Object} }

// Mark marks the approval of a row, or clears its mark, and goes on to the next.
func (s *Page) Mark(r *page.Row) {
	marks := make(map[Gate]bool, len(s.marks)+1)
	for g := range s.marks {
		marks[g] = true
	}
	if g := gateOf(r); marks[g] {
		delete(marks, g)
	} else {
		marks[g] = true
	}
	s.marks = marks
	s.step(1, s.h)
}

// IsMarked reports whether anything is marked.
func (s *Page) IsMarked() bool { return len(s.marks) > 0 }

// ClearMarks clears the marks.
func (s *Page) ClearMarks() { s.marks = nil }

// Leave goes back from the aside to the list, else ends the search, else clears the marks. It
// reports whether there was one of them.
func (s *Page) Leave() bool {
	switch {
	case s.aside.focus:
		s.aside.focus = false
	case s.Filter() != "":
		s.lookup = lookup{}
	case s.IsMarked():
		s.ClearMarks()
	default:
		return false
	}
	return true
}

// Marked lists the marked approvals, in the order of the page; what is no longer on it
// comes last and is refused by the guard.
func (s *Page) Marked() []Gate {
	var out []Gate
	seen := make(map[Gate]bool, len(s.marks))
	for i := range s.rows {
		if g := gateOf(s.rows[i].row); s.marks[g] && !seen[g] {
			seen[g] = true
			out = append(out, g)
		}
	}
	var gone []Gate
	for g := range s.marks {
		if !seen[g] {
			gone = append(gone, g)
		}
	}
	sort.Slice(gone, func(i, j int) bool { return gone[i].Request.Compare(gone[j].Request) < 0 })
	return append(out, gone...)
}

// Strategy is the one that the page or its row imagines a run by; empty when it
// imagines none.
func (s *Page) Strategy() engine.Text {
	if r := s.Row(); r != nil {
		if q, ok := r.Page.(page.NewRunQuestion); ok {
			return q.Strategy
		}
	}
	q, _ := s.question.(page.NewRunQuestion)
	return q.Strategy
}

// SelectsStrategy reports whether the page is the one on which the strategy of a new run is
// selected.
func (s *Page) SelectsStrategy() bool {
	if s == nil {
		return false
	}
	_, is := s.question.(page.NewRunQuestion)
	return is
}
