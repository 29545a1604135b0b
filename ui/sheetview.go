package ui

import (
	"strconv"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/stages"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// sheetView draws the page on top.
func (m *Model) sheetView(out []string) []string {
	th, w, s := m.look.th, m.look.w, m.sheet()
	h := m.sheetRows()
	if !s.got {
		r := cell.NewRow(th, w, theme.Plain).To(sheetIndent)
		if s.err.IsZero() {
			return append(out, "", r.Put(theme.Sub, "loading"+th.Glyph.Ellipsis).String())
		}
		out = append(out, "")
		for _, l := range cell.Wrap(th, s.err, w-8, 6) {
			out = append(out, cell.NewRow(th, w, theme.Plain).To(sheetIndent).Put(theme.Bad, l).String())
		}
		for _, l := range cell.Wrap(th, s.hint, w-8, 6) {
			out = append(out, cell.NewRow(th, w, theme.Plain).To(sheetIndent).Put(theme.Sub, l).String())
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
		both := cell.NewRow(th, w, theme.Plain)
		both.Join(r)
		both.To(l.split)
		both.Join(right)
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

func (m *Model) pieceView(s *sheet, p *piece, w int) *cell.Row {
	th := m.look.th
	switch p.kind {
	case pieceTitle:
		r := cell.NewRow(th, w, theme.Plain).Fill(theme.Faint, th.Glyph.Rule, 2).To(sheetIndent)
		r.Put(theme.Name|theme.Bold, cell.Text(th, p.section.Title)).Gap(1)
		if !p.section.Note.IsZero() {
			r.Put(theme.Sub, cell.Cut(th, cell.Text(th, p.section.Note), max(0, w-r.At()-3))).Gap(1)
		}
		return r.Fill(theme.Faint, th.Glyph.Rule, w)
	case pieceHead:
		r := cell.NewRow(th, w, theme.Plain).To(sheetIndent)
		for i, n := range p.cols {
			if i < len(p.section.Head) {
				r.Col(theme.Faint, cell.Text(th, p.section.Head[i]), n)
			}
			r.Gap(2)
		}
		return r
	case pieceText:
		r := cell.NewRow(th, w, theme.Plain)
		if p.mark != engine.MarkNone {
			r.To(p.indent-2).Put(p.k, th.Glyph.PageMark(p.mark))
		}
		return r.To(p.indent).Put(p.k, p.text)
	case pieceAxis:
		from, to := cell.Clock(p.section.From, m.hubNow()), cell.Clock(p.section.To, m.hubNow())
		r := cell.NewRow(th, w, theme.Plain).To(p.indent).Put(theme.Faint, from)
		return r.To(w-1-cell.Width(to)).Put(theme.Faint, to)
	case pieceRow:
		return m.rowView(s, p, w)
	}
	return cell.NewRow(th, w, theme.Plain)
}

func (m *Model) rowView(s *sheet, p *piece, w int) *cell.Row {
	th, sr := m.look.th, s.rows[p.row]
	g := theme.Plain
	sel := !sr.row.Key.IsZero() && sr.row.Key == s.sel
	if sel {
		g = theme.Cursor
	}
	r := cell.NewRow(th, w, g)
	if sel {
		r.Put(theme.Key, th.Glyph.Cursor)
	}
	if s.marks[gateOf(sr.row)] {
		r.To(1).Put(theme.Key|theme.Bold, markOf)
	}
	r.To(sheetIndent)
	for i := range sr.row.Cells {
		n := w - r.At() - 1
		if len(sr.row.Cells) > 1 && i < len(sr.cols) {
			n = sr.cols[i]
		}
		end := r.At() + n
		m.cellView(r, &sr.row.Cells[i], end, sel, i == 0)
		if i < len(sr.row.Cells)-1 || len(sr.row.Strip) > 0 {
			r.To(end).Gap(2)
		}
	}
	if len(sr.row.Strip) > 0 && len(sr.row.Cells) > 1 {
		stages.Strip(th, r, sr.sec, sr.row.Strip, w-1)
	}
	if sel {
		r.To(w)
	}
	return r
}

// sheetsWidth is what the names of the pages take in the way to the one on top.
func (m *Model) sheetsWidth() int {
	n, all := 2, m.sheets()
	for i := max(0, len(all)-2); i < len(all); i++ {
		n += 3 + cell.Width(cell.Text(m.look.th, all[i].sheet.title))
	}
	if len(all) > 2 {
		n += 4
	}
	return n
}

// cellView writes a cell up to a column: its mark, its words, its times.
func (m *Model) cellView(r *cell.Row, c *engine.Cell, end int, sel, first bool) {
	th, k := m.look.th, theme.OfRole(c.Role)
	if sel && c.Role == engine.RoleText {
		k = theme.Name
	}
	if c.Mark != engine.MarkNone {
		r.Put(k, th.Glyph.PageMark(c.Mark)+" ")
		if k == theme.Done {
			k = theme.Text // the mark is enough where all is well
		}
	}
	text, tail := cell.Text(th, c.Text), m.cellTimes(c)
	if text != "" && tail != "" {
		tail = " " + tail
	}
	// One word is a name, and names often differ at their ends only.
	if room := max(0, end-r.At()-cell.Width(tail)); first || c.Role == engine.RoleName || !strings.Contains(text, " ") {
		r.Put(k, cell.CutMiddle(th, text, room))
	} else {
		r.Put(k, cell.Cut(th, text, room))
	}
	if text != "" {
		k = theme.Sub
	}
	r.Put(k, cell.Cut(th, tail, max(0, end-r.At())))
}

// cellTimes are the time of day and the age that a cell has, if any.
func (m *Model) cellTimes(c *engine.Cell) string {
	s := ""
	if !c.At.IsZero() {
		s = cell.Clock(c.At, m.hubNow())
	}
	if !c.Since.IsZero() {
		if s != "" {
			s += " "
		}
		s += cell.Long(m.since(c.Since))
	}
	return s
}

// sheetCrumbs writes the way to the page on top, and on the right how much of
// it is seen and how old it is when it could not be renewed.
func (m *Model) sheetCrumbs(r *cell.Row) {
	th, s := m.look.th, m.sheet()
	var right []span
	if h := m.sheetRows(); len(s.lines) > h {
		right = append(right, span{theme.Sub, "  " + strconv.Itoa(min(len(s.lines), s.top+h)) + "/" + strconv.Itoa(len(s.lines))})
	}
	if s.got && !s.err.IsZero() {
		right = append(right, span{theme.Wait, "  as of " + cell.Clock(s.answer.At, m.hubNow())})
	}
	m.rootCrumb(r)
	if m.screen == screenRun && m.run.view != nil {
		r.Put(theme.Text, cell.CutTitle(th, cell.Text(th, runTitle(m.run.view)), max(12, m.look.w/4, m.look.w-r.At()-spansWidth(right)-m.sheetsWidth()))).Put(theme.Sub, " "+th.Glyph.Crumb+" ")
	}
	all := m.sheets()
	first := max(0, len(all)-2)
	if first > 0 {
		r.Put(theme.Sub, th.Glyph.Ellipsis+" "+th.Glyph.Crumb+" ")
	}
	for i := first; i < len(all); i++ {
		k := theme.Text
		if i == len(all)-1 {
			k = theme.Name | theme.Bold
		}
		room := max(12, m.look.w-r.At()-spansWidth(right)-2)
		if i < len(all)-1 {
			room /= 2
		}
		r.Put(k, cell.CutMiddle(th, cell.Text(th, all[i].sheet.title), room))
		if i < len(all)-1 {
			r.Put(theme.Sub, " "+th.Glyph.Crumb+" ")
		}
	}
	r.To(m.look.w - spansWidth(right) - 1)
	for _, x := range right {
		r.Put(x.k, x.s)
	}
}
