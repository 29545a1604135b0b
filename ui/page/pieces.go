package page

import (
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/stages"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// View draws the lines on the screen.
func (s *Page) View() []string {
	var out []string
	th, w, h := s.th, s.w, s.h
	if !s.loaded {
		r := cell.NewRow(th, w, theme.Plain).To(rowIndent)
		if s.err.IsZero() {
			return append(out, "", r.Put(theme.Sub, "loading"+th.Glyph.Ellipsis+" "+s.spinner).String())
		}
		out = append(out, "")
		for _, l := range cell.Wrap(th, s.err, w-8, 6) {
			out = append(out, cell.NewRow(th, w, theme.Plain).To(rowIndent).Put(theme.Bad, l).String())
		}
		for _, l := range cell.Wrap(th, s.hint, w-8, 6) {
			out = append(out, cell.NewRow(th, w, theme.Plain).To(rowIndent).Put(theme.Sub, l).String())
		}
		return out
	}
	for i := max(0, min(s.top, len(s.lines)-h)); i < min(len(s.lines), s.top+h); i++ {
		l := &s.lines[i]
		if l.split == 0 {
			out = append(out, s.pieceView(&l.left, w).String())
			continue
		}
		r := s.pieceView(&l.left, l.split-1)
		right := s.pieceView(&l.right, w-l.split)
		both := cell.NewRow(th, w, theme.Plain)
		both.Join(r)
		both.To(l.split)
		both.Join(right)
		out = append(out, both.String())
	}
	return s.withAside(out)
}

// Hit returns the key of the row that is drawn at a column and a line of the page,
// empty for none.
func (s *Page) Hit(x, y int) engine.Text {
	i := max(0, min(s.top, len(s.lines)-s.h)) + y
	if y < 0 || y >= s.h || x >= s.w || i >= len(s.lines) {
		return engine.Text{}
	}
	l := &s.lines[i]
	p := l.left
	if l.split > 0 && x >= l.split {
		p = l.right
	}
	if p.kind != pieceRow {
		return engine.Text{}
	}
	return s.rows[p.row].row.Key
}

func (s *Page) pieceView(p *piece, w int) *cell.Row {
	th := s.th
	mark := ""
	if s.isMatch(p) {
		mark = th.Glyph.Cursor
	}
	switch p.kind {
	case pieceTitle:
		r := cell.NewRow(th, w, theme.Plain).Put(theme.Key, mark).Fill(theme.Faint, th.Glyph.Rule, 2).To(rowIndent)
		r.PutFound(theme.Name|theme.Bold, cell.Text(th, p.section.Heading()), s.Filter()).Gap(1)
		if !p.section.Note.IsZero() {
			r.PutFound(theme.Sub, cell.Cut(th, cell.Text(th, p.section.Note), max(0, w-r.At()-3)), s.Filter()).Gap(1)
		}
		return r.Fill(theme.Faint, th.Glyph.Rule, w)
	case pieceHead:
		r := cell.NewRow(th, w, theme.Plain).To(rowIndent)
		for i, n := range p.cols {
			if i < len(p.section.Head) {
				r.Col(theme.Faint, cell.Text(th, p.section.Head[i]), n)
			}
			r.Gap(2)
		}
		return r
	case pieceText:
		r := cell.NewRow(th, w, theme.Plain).Put(theme.Key, mark)
		if p.mark != page.MarkNone {
			r.To(p.indent-2).Put(p.k, th.Glyph.PageMark(p.mark))
		}
		return r.To(p.indent).PutFound(p.k, p.text, s.Filter())
	case pieceAxis:
		from, to := engine.Time(p.section.From, s.now).String(), engine.Time(p.section.To, s.now).String()
		r := cell.NewRow(th, w, theme.Plain).To(p.indent).Put(theme.Faint, from)
		return r.To(w-1-cell.Width(to)).Put(theme.Faint, to)
	case pieceRow:
		return s.rowView(p, w, mark)
	}
	return cell.NewRow(th, w, theme.Plain)
}

func (s *Page) rowView(p *piece, w int, mark string) *cell.Row {
	th, sr := s.th, s.rows[p.row]
	g := theme.Plain
	sel := !sr.row.Key.IsZero() && sr.row.Key == s.selected
	if sel {
		g, mark = theme.Cursor, th.Glyph.Cursor
	}
	r := cell.NewRow(th, w, g).Put(theme.Key, mark)
	if s.marks[gateOf(sr.row)] {
		r.To(1).Put(theme.Key|theme.Bold, markGlyph)
	}
	r.To(rowIndent)
	for i := range sr.row.Cells {
		if s.aside.on && len(sr.row.Cells) > 1 && i >= len(sr.cols) {
			break // no room for this column
		}
		n := w - r.At() - 1
		if len(sr.row.Cells) > 1 && i < len(sr.cols) {
			n = sr.cols[i]
		}
		end := r.At() + n
		var cuts map[string]string
		if len(sr.row.Cells) > 1 && i < len(sr.cuts) {
			cuts = sr.cuts[i]
		}
		s.cellView(r, &sr.row.Cells[i], end, sel, i, cuts)
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

// isName reports whether a cell is a name: one word is, and names often differ at their ends only.
func isName(c *page.Cell, text string, column int) bool {
	return column == 0 || c.Role == engine.RoleName || !strings.Contains(text, " ")
}

// cellView writes a cell up to a column: its mark, its words, its times. cuts are the names that
// are cut.
func (s *Page) cellView(r *cell.Row, c *page.Cell, end int, sel bool, column int, cuts map[string]string) {
	th, k := s.th, theme.OfRole(c.Role)
	if sel && c.Role == engine.RoleText {
		k = theme.Name
	}
	if c.Mark != page.MarkNone {
		r.Put(k, th.Glyph.PageMark(c.Mark)+" ")
		if k == theme.Done {
			k = theme.Text // the mark is enough where all is well
		}
	}
	text, tail := cell.Text(th, c.Text), s.cellTimes(c)
	if text != "" && tail != "" {
		tail = " " + tail
	}
	room := max(0, end-r.At()-cell.Width(tail))
	switch cut, ok := cuts[text]; {
	case ok && cell.Width(cut) <= room && cell.Width(text) > room:
		r.PutFound(k, cut, s.Filter())
	case isName(c, text, column):
		r.PutFound(k, cell.CutMiddle(th, text, room), s.Filter())
	default:
		r.PutFound(k, cell.Cut(th, text, room), s.Filter())
	}
	if text != "" {
		k = theme.Sub
	}
	r.Put(k, cell.Cut(th, tail, max(0, end-r.At())))
}

// cellTimes are the time of day and the age that a cell has, if any.
func (s *Page) cellTimes(c *page.Cell) string {
	out := ""
	if !c.At.IsZero() {
		out = engine.Time(c.At, s.now).String()
	}
	if !c.Since.IsZero() {
		if out != "" {
			out += " "
		}
		out += engine.Age(s.since(c.Since)).String()
	}
	return out
}

// markGlyph stands before a marked row.
const markGlyph = "*"
