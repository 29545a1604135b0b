package page

import (
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/search"
)

// lookup is what is looked for on the page. All rows stay.
type lookup struct {
	search.Search

	// from is where the page was before, shown where the search has put it.
	from, shown place
}

// place is where a page is: its first line on the screen, and the row under the cursor.
type place struct {
	top      int
	selected engine.Text
}

// SetFilter looks for words and goes to the first line that has them, from where the page was
// before the search. While nothing is found, and without words, it is there.
func (s *Page) SetFilter(words string) {
	if now := (place{s.top, s.selected}); s.Filter() == "" || now != s.shown {
		s.from = now
	}
	s.top, s.selected = s.from.top, s.from.selected
	s.Look(words)
	s.find()
	s.Begin(func(line int) bool { return line >= s.top })
	s.reveal()
}

// StartFilter begins a search from where the page is, and returns what brings that back, with
// the search before.
func (s *Page) StartFilter() (cancel func()) {
	now, was := place{s.top, s.selected}, s.lookup
	s.from, s.shown = now, now
	return func() {
		s.lookup, s.top, s.selected = was, now.top, now.selected
		s.find()
	}
}

// find lists the lines that have what is looked for.
func (s *Page) find() {
	if s.Filter() == "" {
		s.List(nil)
		return
	}
	var hits []int
	for i := range s.lines {
		if l := &s.lines[i]; s.Has(s.words(&l.left)) || s.Has(s.words(&l.right)) {
			hits = append(hits, i)
		}
	}
	s.List(hits)
}

// words are those of a piece; of a row also what its columns cut.
func (s *Page) words(p *piece) string {
	switch p.kind {
	case pieceTitle:
		return cell.Text(s.th, p.section.Heading()) + "\n" + cell.Text(s.th, p.section.Note)
	case pieceRow:
		var b strings.Builder
		for i := range s.rows[p.row].row.Cells {
			b.WriteString(cell.Text(s.th, s.rows[p.row].row.Cells[i].Text) + "\n")
		}
		return b.String()
	case pieceText:
		return p.text
	case pieceBlank, pieceHead, pieceAxis:
	}
	return ""
}

// onSearch goes to another match, and reports whether there is one.
func (s *Page) onSearch(a keymap.Action) bool {
	if !s.Next(a) {
		return false
	}
	s.reveal()
	return true
}

// isMatch reports whether a piece, one of those on the screen, is on the line that the search is at.
func (s *Page) isMatch(p *piece) bool {
	i := s.Line()
	return i >= 0 && (p == &s.lines[i].left || p == &s.lines[i].right) && s.Has(s.words(p))
}

// reveal puts the match on the screen, and the cursor on its row.
func (s *Page) reveal() {
	defer func() { s.shown = place{s.top, s.selected} }()
	line := s.Line()
	if line < 0 {
		return
	}
	if line < s.top || line >= s.top+s.h {
		s.Scroll(line - s.h/3 - s.top)
	}
	for _, p := range []*piece{&s.lines[line].left, &s.lines[line].right} {
		if p.kind == pieceRow && s.isMatch(p) && !s.rows[p.row].row.Key.IsZero() {
			s.selected, s.begun = s.rows[p.row].row.Key, true
			return
		}
	}
}
