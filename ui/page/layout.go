package page

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// mostLines is more lines than a text has: a page scrolls.
const mostLines = 1000

// wide is the width from which sections stand side by side.
const wide = 132

// laidFor is what the lines of a page depend on.
type laidFor struct {
	w, h int
	th   *theme.Theme
	made bool
}

// rowAt is a row of the answer and the columns of its section.
type rowAt struct {
	row  *page.Row
	sec  *page.Section
	cols []int
	// cuts are the names of each column that are cut, as they are drawn.
	cuts []map[string]string
}

// pieceKind is what a piece of a line is.
type pieceKind uint8

const (
	pieceBlank pieceKind = iota
	pieceTitle
	pieceHead
	pieceRow
	pieceAxis // the times at the ends of strips
	pieceText // a line of prose, or of a row's note
)

// piece is one section's part of a line.
type piece struct {
	kind    pieceKind
	section *page.Section
	row     int // index into rows
	cols    []int
	k       theme.Style
	indent  int
	text    string
	mark    page.Mark
}

// line is a line of a page: one piece, or two side by side.
type line struct {
	left, right piece
	split       int // the column of the right piece; 0 for none
}

func (l *line) pieces() []piece {
	if l.split == 0 {
		return []piece{l.left}
	}
	return []piece{l.left, l.right}
}

// Arrange lays the page out for a theme, a time by the hub's clock and a size.
func (s *Page) Arrange(th *theme.Theme, at time.Time, w, h int) {
	s.th, s.now = th, at
	now := laidFor{w: w, h: h, th: th, made: true}
	if s.laid != now && s.loaded {
		s.laid, s.w, s.h, s.aside.on = now, w, h, s.hasAside(h)
		s.wrapTables = false
		s.layOut()
		if s.aside.on {
			if w, h = s.asideFor(w, h); w != s.w {
				s.w = w
				s.layOut()
			}
			s.h = h
			if below := len(s.lines) + 1; !s.aside.beside && below < h { // below a short list at once
				s.h, s.aside.h = below, s.aside.h+h-below
			}
		} else if s.aside = (aside{}); len(s.lines) < h { // blank rows are for what the tables cut
			s.wrapTables = true
			if s.layOut(); len(s.lines) > h {
				s.wrapTables = false
				s.layOut()
			}
		}
		s.find()
	} else if !s.loaded {
		s.w, s.h = w, h
	}
	h = s.h
	if !s.loaded {
		return
	}
	keys, rows := s.order()
	if s.begun = s.begun || s.selected != s.first; !s.begun { // until a key has moved it
		s.selected = engine.Text{}
		s.seek()
	}
	if len(keys) == 0 {
		s.begun = s.begun && s.selected.IsZero() // a cursor is put on the rows that come
		s.selected = engine.Text{}
	} else if s.at() < 0 && (!s.begun || !s.selected.IsZero()) {
		// The page is new, or its row went: the first one that is on screen.
		s.selected = engine.Text{}
		for i, k := range keys {
			if rows[i] >= s.top && rows[i] < s.top+h {
				s.selected = k
				break
			}
		}
	}
	s.begun, s.first = s.begun || len(keys) > 0 && !s.answer.Partial, s.selected
	s.top = max(0, min(s.top, len(s.lines)-h))
	if s.aside.on {
		s.arrangeAside()
	}
}

// since is the time from t to now; zero when t is unknown.
func (s *Page) since(t time.Time) time.Duration {
	if t.IsZero() {
		return 0
	}
	return max(0, s.now.Sub(t))
}

// layOut breaks the answer into lines.
func (s *Page) layOut() {
	s.rows, s.lines, s.ordered = s.rows[:0:0], s.lines[:0:0], ordered{}
	ss, w := s.answer.Sections, s.w
	for i := 0; i < len(ss); i++ {
		if i > 0 {
			s.lines = append(s.lines, line{})
		}
		if i+1 < len(ss) && ss[i+1].Beside && w >= wide {
			half := w / 2
			left, right := s.layOutSection(&ss[i], half-1), s.layOutSection(&ss[i+1], w-half)
			for j := range max(len(left), len(right)) {
				l := line{split: half}
				if j < len(left) {
					l.left = left[j]
				}
				if j < len(right) {
					l.right = right[j]
				}
				s.lines = append(s.lines, l)
			}
			i++
			continue
		}
		for _, p := range s.layOutSection(&ss[i], w) {
			s.lines = append(s.lines, line{left: p})
		}
	}
}

func (s *Page) layOutSection(sec *page.Section, w int) []piece {
	th := s.th
	out := []piece{{kind: pieceTitle, section: sec}}
	cols := s.columns(sec, w)
	if len(sec.Head) > 0 && len(cols) > 0 && s.alike(sec)[0] == sec {
		out = append(out, piece{kind: pieceHead, section: sec, cols: cols})
	}
	cuts := s.cuts(sec, cols)
	for i := range sec.Rows {
		r := &sec.Rows[i]
		s.rows = append(s.rows, rowAt{row: r, sec: sec, cols: cols, cuts: cuts})
		n := len(s.rows) - 1
		switch {
		case len(r.Cells) == 0:
			out = append(out, piece{})
		case len(r.Cells) == 1 && r.Key.IsZero() && r.Cells[0].At.IsZero() && r.Cells[0].Since.IsZero():
			c := r.Cells[0]
			indent := rowIndent
			if c.Mark != page.MarkNone {
				indent += 2
			}
			for j, l := range cell.WrapKept(th, cell.Text(th, c.Text), w-indent-1, mostLines) {
				p := piece{kind: pieceText, k: theme.OfRole(c.Role), indent: indent, text: l}
				if j == 0 {
					p.mark = c.Mark
				}
				out = append(out, p)
			}
		default:
			out = append(out, s.layOutRow(n, len(sec.Head) == 0 || s.wrapTables && len(r.Strip) == 0)...)
		}
		if !r.Note.IsZero() && (len(r.Aside) == 0 || !s.aside.on) {
			indent := rowIndent + 2
			// Below a label a note goes on where the value began; in a table it
			// would lose half of the line.
			most := 22
			if len(sec.Head) > 0 {
				most = 12
			}
			if len(cols) > 1 && cols[0] < most && len(r.Cells) > 1 && w-rowIndent-cols[0]-2 >= leastNote {
				indent = rowIndent + cols[0] + 2
			}
			for _, l := range cell.Wrap(th, r.Note, w-indent-1, mostLines) {
				out = append(out, piece{kind: pieceText, k: theme.Sub, indent: indent, text: l})
			}
		}
	}
	if !sec.To.IsZero() && len(cols) == 2 {
		out = append(out, piece{kind: pieceAxis, section: sec, indent: rowIndent + cols[0] + cols[1] + 4})
	}
	return out
}

// leastCell is the least width of a cell that goes on in further lines.
const leastCell = 16

// leastNote is the least width of a note that goes on where the value began.
const leastNote = 40

// rowIndent is where rows of a page begin.
const rowIndent = 3

// columns computes the widths of a section's columns: what they need, and
// when that is too much the widest give way, the last one first.
func (s *Page) columns(sec *page.Section, w int) []int {
	var cols []int
	grow := func(i, n int) {
		for len(cols) <= i {
			cols = append(cols, 0)
		}
		cols[i] = max(cols[i], n)
	}
	for _, alike := range s.alike(sec) {
		for i := range alike.Rows {
			r := &alike.Rows[i]
			if len(r.Cells) < 2 {
				continue
			}
			for j := range r.Cells {
				grow(j, s.cellWidth(&r.Cells[j]))
			}
		}
	}
	if len(cols) == 0 {
		return nil
	}
	for i, h := range sec.Head {
		if i < len(cols) {
			grow(i, cell.Width(cell.Text(s.th, h)))
		}
	}
	if !sec.To.IsZero() {
		w = max(w/2, w-60) // strips need room too
	}
	room, sum := w-rowIndent-1-2*(len(cols)-1), 0
	for _, n := range cols {
		sum += n
	}
	last, least := len(cols)-1, 24
	if s.aside.on { // the aside has the words of the last column, too
		if least = 12; last < len(sec.Head) {
			least = max(least, cell.Width(cell.Text(s.th, sec.Head[last])))
		}
		if cut := cols[last] - least; cut > 0 && sum-cut > room {
			return fit(cols[:last], room+2, sum-cols[last])
		}
	}
	if sum > room {
		give := min(sum-room, max(0, cols[last]-least))
		cols[last] -= give
		sum -= give
	}
	return fit(cols, room, sum)
}

// cuts shortens the names of a section's columns that are wider than those.
func (s *Page) cuts(sec *page.Section, cols []int) []map[string]string {
	out := make([]map[string]string, len(cols))
	for j, n := range cols {
		var names []string
		for i := range sec.Rows {
			if len(sec.Rows[i].Cells) < 2 || j >= len(sec.Rows[i].Cells) {
				continue
			}
			c := &sec.Rows[i].Cells[j]
			if text := cell.Text(s.th, c.Text); isName(c, text, j) && c.At.IsZero() && c.Since.IsZero() {
				names = append(names, text)
			}
			if c.Mark != page.MarkNone {
				n = min(n, cols[j]-2)
			}
		}
		out[j] = cell.Apart(s.th, names, max(0, n))
	}
	return out
}

// fit makes the widest columns narrower until they have room; sum is what they take.
func fit(cols []int, room, sum int) []int {
	for sum > room {
		wide := 0
		for i := range cols {
			if cols[i] > cols[wide] {
				wide = i
			}
		}
		if cols[wide] <= 6 {
			break
		}
		cols[wide]--
		sum--
	}
	return cols
}

// ageRoom is the room for an age, which grows while a page is open.
const ageRoom = 6

func (s *Page) cellWidth(c *page.Cell) int {
	n := cell.Width(cell.Text(s.th, c.Text))
	if c.Mark != page.MarkNone {
		n += 2
	}
	add := func(d int) {
		if n > 0 && !c.Text.IsZero() {
			n++
		}
		n += d
	}
	if !c.At.IsZero() {
		add(cell.Width(engine.Time(c.At, s.now).String()))
	}
	if !c.Since.IsZero() {
		add(ageRoom)
	}
	return n
}
