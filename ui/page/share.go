package page

import (
	"time"

	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// shares is how wide a page is that shares a width.
type shares struct {
	of    laidFor
	least int
	w     int
}

// mostProse is how wide sentences are on a page that shares its width.
const mostProse = 96

// Share arranges the page in as much of a width as it needs, but at least in a half, and leaves
// least cells or more to what stands beside it; in all of the width when that has no room.
func (s *Page) Share(th *theme.Theme, at time.Time, w, h, least int) {
	if of := (laidFor{w: w, h: h, th: th, made: true}); s.loaded && (s.shares.of != of || s.shares.least != least) {
		s.Arrange(th, at, w, h)
		s.shares = shares{of, least, w}
		if n := s.need(); least > 0 && n > 0 && n+least <= w {
			s.shares.w = max(n, w/2)
		}
	}
	if s.loaded {
		w = s.shares.w
	}
	s.Arrange(th, at, w, h)
}

// Width is the width of the page, with what is at its side.
func (s *Page) Width() int {
	if s.aside.on && s.aside.beside {
		return s.w + 1 + s.aside.w
	}
	return s.w
}

// need is how many cells the lines take as they are laid out; 0 for all.
func (s *Page) need() int {
	if s.aside.on {
		return 0
	}
	n := 0
	for i := range s.lines {
		p := &s.lines[i].left
		if s.lines[i].split > 0 || p.kind == pieceAxis {
			return 0
		}
		switch p.kind {
		case pieceText:
			n = max(n, min(mostProse, p.indent+cell.Width(p.text)+1))
		case pieceTitle:
			n = max(n, min(mostProse, rowIndent+cell.Width(cell.Text(s.th, p.section.Heading()))+cell.Width(cell.Text(s.th, p.section.Note))+3))
		case pieceRow:
			sr := &s.rows[p.row]
			if len(sr.row.Strip) > 0 {
				return 0
			}
			at, last := rowIndent+1, len(sr.row.Cells)-1
			for j := range sr.row.Cells {
				room := s.cellWidth(&sr.row.Cells[j])
				if j < len(sr.cols) {
					room = sr.cols[j]
				}
				if j == last && j > 0 && len(sr.sec.Head) == 0 { // it goes on in further lines
					room = min(room, max(leastCell, mostProse-at-2))
				}
				at += room + 2
			}
			n = max(n, at)
		}
	}
	return n
}
