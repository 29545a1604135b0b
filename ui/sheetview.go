package ui

import (
	"strconv"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// sheetView draws the page on top.
func (m *Model) sheetView(out []string) []string {
	th, w, s := m.look.th, m.look.w, m.sheet()
	h := m.sheetRows()
	if !s.got {
		r := newRow(th, w, theme.Plain).to(sheetIndent)
		if s.err.IsZero() {
			return append(out, "", r.put(theme.Sub, "asking the hub"+th.Glyph.Ellipsis).String())
		}
		out = append(out, "")
		for _, l := range wrapText(th, s.err, w-8, 6) {
			out = append(out, newRow(th, w, theme.Plain).to(sheetIndent).put(theme.Bad, l).String())
		}
		for _, l := range wrapText(th, s.hint, w-8, 6) {
			out = append(out, newRow(th, w, theme.Plain).to(sheetIndent).put(theme.Sub, l).String())
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
		both := newRow(th, w, theme.Plain)
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
		r := newRow(th, w, theme.Plain).fill(theme.Faint, th.Glyph.Rule, 2).to(sheetIndent)
		r.put(theme.Name|theme.Bold, cellText(th, p.section.Title)).gap(1)
		if !p.section.Note.IsZero() {
			r.put(theme.Sub, cutEnd(th, cellText(th, p.section.Note), max(0, w-r.at()-3))).gap(1)
		}
		return r.fill(theme.Faint, th.Glyph.Rule, w)
	case pieceHead:
		r := newRow(th, w, theme.Plain).to(sheetIndent)
		for i, n := range p.cols {
			if i < len(p.section.Head) {
				r.col(theme.Faint, cellText(th, p.section.Head[i]), n)
			}
			r.gap(2)
		}
		return r
	case pieceText:
		r := newRow(th, w, theme.Plain)
		if p.mark != engine.MarkNone {
			r.to(p.indent-2).put(p.k, th.Glyph.PageMark(p.mark))
		}
		return r.to(p.indent).put(p.k, p.text)
	case pieceAxis:
		from, to := clock(p.section.From, m.hubNow()), clock(p.section.To, m.hubNow())
		r := newRow(th, w, theme.Plain).to(p.indent).put(theme.Faint, from)
		return r.to(w-1-width(to)).put(theme.Faint, to)
	case pieceRow:
		return m.rowView(s, p, w)
	}
	return newRow(th, w, theme.Plain)
}

func (m *Model) rowView(s *sheet, p *piece, w int) *row {
	th, sr := m.look.th, s.rows[p.row]
	g := theme.Plain
	sel := !sr.row.Key.IsZero() && sr.row.Key == s.sel
	if sel {
		g = theme.Cursor
	}
	r := newRow(th, w, g)
	if sel {
		r.put(theme.Key, th.Glyph.Cursor)
	}
	if s.marks[gateOf(sr.row)] {
		r.to(1).put(theme.Key|theme.Bold, markOf)
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
		n += 3 + width(cellText(m.look.th, all[i].sheet.title))
	}
	if len(all) > 2 {
		n += 4
	}
	return n
}

// cellView writes a cell up to a column: its mark, its words, its times.
func (m *Model) cellView(r *row, c *engine.Cell, end int, sel, first bool) {
	th, k := m.look.th, theme.OfRole(c.Role)
	if sel && c.Role == engine.RoleText {
		k = theme.Name
	}
	if c.Mark != engine.MarkNone {
		r.put(k, th.Glyph.PageMark(c.Mark)+" ")
		if k == theme.Done {
			k = theme.Text // the mark is enough where all is well
		}
	}
	text, tail := cellText(th, c.Text), m.cellTimes(c)
	if text != "" && tail != "" {
		tail = " " + tail
	}
	// One word is a name, and names often differ at their ends only.
	if room := max(0, end-r.at()-width(tail)); first || c.Role == engine.RoleName || !strings.Contains(text, " ") {
		r.put(k, cutMiddle(th, text, room))
	} else {
		r.put(k, cutEnd(th, text, room))
	}
	if text != "" {
		k = theme.Sub
	}
	r.put(k, cutEnd(th, tail, max(0, end-r.at())))
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
		right = append(right, span{theme.Sub, "  " + strconv.Itoa(min(len(s.lines), s.top+h)) + "/" + strconv.Itoa(len(s.lines))})
	}
	if s.got && !s.err.IsZero() {
		right = append(right, span{theme.Wait, "  as of " + clock(s.answer.At, m.hubNow())})
	}
	m.rootCrumb(r)
	if m.screen == screenRun && m.run.view != nil {
		r.put(theme.Text, cutTitle(th, cellText(th, runTitle(m.run.view)), max(12, m.look.w/4, m.look.w-r.at()-spansWidth(right)-m.sheetsWidth()))).put(theme.Sub, " "+th.Glyph.Crumb+" ")
	}
	all := m.sheets()
	first := max(0, len(all)-2)
	if first > 0 {
		r.put(theme.Sub, th.Glyph.Ellipsis+" "+th.Glyph.Crumb+" ")
	}
	for i := first; i < len(all); i++ {
		k := theme.Text
		if i == len(all)-1 {
			k = theme.Name | theme.Bold
		}
		room := max(12, m.look.w-r.at()-spansWidth(right)-2)
		if i < len(all)-1 {
			room /= 2
		}
		r.put(k, cutMiddle(th, cellText(th, all[i].sheet.title), room))
		if i < len(all)-1 {
			r.put(theme.Sub, " "+th.Glyph.Crumb+" ")
		}
	}
	r.to(m.look.w - spansWidth(right) - 1)
	for _, x := range right {
		r.put(x.k, x.s)
	}
}
