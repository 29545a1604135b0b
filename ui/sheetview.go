package ui

import (
	"strconv"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
)

// sheetView draws the page on top.
func (m *Model) sheetView(out []string) []string {
	th, w, s := m.look.th, m.look.w, m.sheet()
	h := m.sheetRows()
	if !s.got {
		r := newRow(th, w, groundNone).to(sheetIndent)
		if s.err.IsZero() {
			return append(out, "", r.put(inkSub, "asking the hub"+th.glyph.ellipsis).String())
		}
		out = append(out, "")
		for _, l := range th.wrap(s.err, w-8, 6) {
			out = append(out, newRow(th, w, groundNone).to(sheetIndent).put(inkBad, l).String())
		}
		for _, l := range th.wrap(s.hint, w-8, 6) {
			out = append(out, newRow(th, w, groundNone).to(sheetIndent).put(inkSub, l).String())
		}
		return out
	}
	for i := max(0, min(s.top, len(s.lines)-h)); i < min(len(s.lines), s.top+h); i++ {
		l := &s.lines[i]
		m.notePieces(s, l, len(out))
		if l.split == 0 {
			out = append(out, m.pieceView(s, &l.left, w).String())
			continue
		}
		r := m.pieceView(s, &l.left, l.split-1)
		right := m.pieceView(s, &l.right, w-l.split)
		both := newRow(th, w, groundNone)
		both.join(r)
		both.to(l.split)
		both.join(right)
		out = append(out, both.String())
	}
	return out
}

// notePieces notes the rows of a line for the mouse.
func (m *Model) notePieces(s *sheet, l *sheetLine, y int) {
	from := 0
	for _, p := range l.pieces() {
		to := m.look.w
		if l.split > 0 && from == 0 {
			to = l.split
		}
		if p.kind == pieceRow && !s.rows[p.row].row.Key.IsZero() {
			m.note(spot{y: y, from: from, to: to, kind: spotRow, key: s.rows[p.row].row.Key})
		}
		from = to
	}
}

func (m *Model) pieceView(s *sheet, p *piece, w int) *row {
	th := m.look.th
	switch p.kind {
	case pieceTitle:
		r := newRow(th, w, groundNone).fill(inkFaint, th.glyph.rule, 2).to(sheetIndent)
		r.put(inkName|bold, th.cells(p.section.Title)).gap(1)
		if !p.section.Note.IsZero() {
			r.put(inkSub, th.cut(th.cells(p.section.Note), max(0, w-r.at()-3))).gap(1)
		}
		return r.fill(inkFaint, th.glyph.rule, w)
	case pieceHead:
		r := newRow(th, w, groundNone).to(sheetIndent)
		for i, n := range p.cols {
			if i < len(p.section.Head) {
				r.col(inkFaint, th.cells(p.section.Head[i]), n)
			}
			r.gap(2)
		}
		return r
	case pieceText:
		r := newRow(th, w, groundNone)
		if p.mark != engine.MarkNone {
			r.to(p.indent-2).put(p.k, th.glyph.pageMark(p.mark))
		}
		return r.to(p.indent).put(p.k, p.text)
	case pieceAxis:
		from, to := clock(p.section.From, m.hubNow()), clock(p.section.To, m.hubNow())
		r := newRow(th, w, groundNone).to(p.indent).put(inkFaint, from)
		return r.to(w-1-width(to)).put(inkFaint, to)
	case pieceRow:
		return m.rowView(s, p, w)
	}
	return newRow(th, w, groundNone)
}

func (m *Model) rowView(s *sheet, p *piece, w int) *row {
	th, sr := m.look.th, s.rows[p.row]
	g := groundNone
	sel := !sr.row.Key.IsZero() && sr.row.Key == s.sel
	if sel {
		g = groundCursor
	}
	r := newRow(th, w, g)
	if sel {
		r.put(inkKey, th.glyph.cursor)
	}
	if s.marks[gateOf(sr.row)] {
		r.to(1).put(inkKey|bold, markOf)
	}
	r.to(sheetIndent)
	for i := range sr.row.Cells {
		n := w - r.at() - 1
		if len(sr.row.Cells) > 1 && i < len(sr.cols) {
			n = sr.cols[i]
		}
		end := r.at() + n
		m.cellView(r, &sr.row.Cells[i], end, sel, i == 0)
		if i < len(sr.row.Cells)-1 || len(sr.row.Strip) > 0 {
			r.to(end).gap(2)
		}
	}
	if len(sr.row.Strip) > 0 && len(sr.row.Cells) > 1 {
		m.strip(r, sr.sec, sr.row.Strip, w-1)
	}
	if sel {
		r.to(w)
	}
	return r
}

// sheetsWidth is what the names of the pages take in the way to the one on top.
func (m *Model) sheetsWidth() int {
	n, all := 2, m.sheets()
	for i := max(0, len(all)-2); i < len(all); i++ {
		n += 3 + width(m.look.th.cells(all[i].sheet.title))
	}
	if len(all) > 2 {
		n += 4
	}
	return n
}

// cellView writes a cell up to a column: its mark, its words, its times.
func (m *Model) cellView(r *row, c *engine.Cell, end int, sel, first bool) {
	th, k := m.look.th, roleInk(c.Role)
	if sel && c.Role == engine.RoleText {
		k = inkName
	}
	if c.Mark != engine.MarkNone {
		r.put(k, th.glyph.pageMark(c.Mark)+" ")
		if k == inkDone {
			k = inkText // the mark is enough where all is well
		}
	}
	text, tail := th.cells(c.Text), m.cellTimes(c)
	if text != "" && tail != "" {
		tail = " " + tail
	}
	// One word is a name, and names often differ at their ends only.
	if room := max(0, end-r.at()-width(tail)); first || c.Role == engine.RoleName || !strings.Contains(text, " ") {
		r.put(k, th.cutMiddle(text, room))
	} else {
		r.put(k, th.cut(text, room))
	}
	if text != "" {
		k = inkSub
	}
	r.put(k, th.cut(tail, max(0, end-r.at())))
}

// cellTimes are the time of day and the age that a cell has, if any.
func (m *Model) cellTimes(c *engine.Cell) string {
	s := ""
	if !c.At.IsZero() {
		s = clock(c.At, m.hubNow())
	}
	if !c.Since.IsZero() {
		if s != "" {
			s += " "
		}
		s += long(m.since(c.Since))
	}
	return s
}

// sheetCrumbs writes the way to the page on top, and on the right how much of
// it is seen and how old it is when it could not be renewed.
func (m *Model) sheetCrumbs(r *row) {
	th, s := m.look.th, m.sheet()
	var right []span
	if h := m.sheetRows(); len(s.lines) > h {
		right = append(right, span{inkSub, "  " + strconv.Itoa(min(len(s.lines), s.top+h)) + "/" + strconv.Itoa(len(s.lines))})
	}
	if s.got && !s.err.IsZero() {
		right = append(right, span{inkWait, "  as of " + clock(s.answer.At, m.hubNow())})
	}
	m.rootCrumb(r)
	if m.screen == screenRun && m.run.view != nil {
		r.put(inkText, th.cutTitle(th.cells(runTitle(m.run.view)), max(12, m.look.w/4, m.look.w-r.at()-spansWidth(right)-m.sheetsWidth()))).put(inkSub, " "+th.glyph.crumb+" ")
	}
	all := m.sheets()
	first := max(0, len(all)-2)
	if first > 0 {
		r.put(inkSub, th.glyph.ellipsis+" "+th.glyph.crumb+" ")
	}
	for i := first; i < len(all); i++ {
		k := inkText
		if i == len(all)-1 {
			k = inkName | bold
		}
		room := max(12, m.look.w-r.at()-spansWidth(right)-2)
		if i < len(all)-1 {
			room /= 2
		}
		r.put(k, th.cutMiddle(th.cells(all[i].sheet.title), room))
		if i < len(all)-1 {
			r.put(inkSub, " "+th.glyph.crumb+" ")
		}
	}
	r.to(m.look.w - spansWidth(right) - 1)
	for _, x := range right {
		r.put(x.k, x.s)
	}
}
