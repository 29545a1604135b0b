package page

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
)

// Row returns the row under the cursor, nil when there is none.
func (s *Page) Row() *page.Row {
	if i := s.rowAt(); i >= 0 {
		return s.rows[i].row
	}
	return nil
}

// rowAt returns the index of the row under the cursor, -1 when there is none. It looks first where
// that was the last time.
func (s *Page) rowAt() int {
	is := func(i int) bool { return i < len(s.rows) && s.rows[i].row.Key == s.selected }
	if s.selected.IsZero() {
		return -1
	}
	if !is(s.lastRow) {
		s.lastRow = slices.IndexFunc(s.rows, func(r rowAt) bool { return r.row.Key == s.selected })
	}
	if s.lastRow < 0 {
		s.lastRow = 0
		return -1
	}
	return s.lastRow
}

// Opens is the page that the row under the cursor opens; nil for none, and without a page.
func (s *Page) Opens() page.Question {
	if s == nil || s.Row() == nil {
		return nil
	}
	return s.Row().Page
}

// at returns the first line of the row under the cursor, -1 when there is none.
func (s *Page) at() int {
	for i := range s.lines {
		for _, p := range s.lines[i].pieces() {
			if p.kind == pieceRow && !s.selected.IsZero() && s.rows[p.row].row.Key == s.selected {
				return i
			}
		}
	}
	return -1
}

// seek puts the cursor of a page of approvals on that of the run that it was opened from: what
// the next key approves is not another run.
func (s *Page) seek() {
	if !s.Markable() || s.subject.Run.IsZero() || !s.selected.IsZero() {
		return
	}
	for i := range s.rows {
		if s.rows[i].row.Run == s.subject.Run {
			s.selected = s.rows[i].row.Key
			if line := s.at(); line >= s.h {
				s.top = line - s.h/2
			}
			return
		}
	}
}

// order lists the rows that can be selected, with their lines, top to bottom.
func (s *Page) order() (keys []engine.Text, at []int) {
	if s.ordered.made {
		return s.ordered.keys, s.ordered.at
	}
	defer func() { s.ordered = ordered{keys, at, true} }()
	for i := range s.lines {
		for _, p := range s.lines[i].pieces() {
			if p.kind == pieceRow && !s.rows[p.row].row.Key.IsZero() {
				keys, at = append(keys, s.rows[p.row].row.Key), append(at, i)
			}
		}
	}
	return keys, at
}

// ordered are the rows that can be selected, until the page is laid out again.
type ordered struct {
	keys []engine.Text
	at   []int
	made bool
}

// step moves the cursor to the next row that can be selected when that is on
// screen, and scrolls by a line when it is not: prose between rows is read too.
func (s *Page) step(d, h int) {
	keys, at := s.order()
	now := -1
	for i, k := range keys {
		if k == s.selected {
			now = i
		}
	}
	next := now + d
	if now < 0 && d < 0 {
		next = -1
	}
	if next >= 0 && next < len(keys) && at[next] >= s.top && at[next] < s.top+h {
		s.selected = keys[next]
		return
	}
	if s.top+d < 0 || s.top+d > max(0, len(s.lines)-h) {
		if next >= 0 && next < len(keys) {
			s.selected = keys[next]
		}
		return
	}
	s.top += d
	if next >= 0 && next < len(keys) && at[next] >= s.top && at[next] < s.top+h {
		s.selected = keys[next]
	}
}

// Scroll moves the window by d lines and the cursor into it.
func (s *Page) Scroll(d int) {
	h := s.h
	s.top = max(0, min(s.top+d, len(s.lines)-h))
	keys, at := s.order()
	best := -1
	for i := range keys {
		in := at[i] >= s.top && at[i] < s.top+h
		if keys[i] == s.selected && in && d > -len(s.lines) && d < len(s.lines) {
			return
		}
		if in && (best < 0 || d > 0) {
			best = i
		}
	}
	if best >= 0 {
		s.selected = keys[best]
	}
}
