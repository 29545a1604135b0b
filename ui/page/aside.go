package page

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// aside is what is shown of the row under the cursor, at the side of the list or below it.
type aside struct {
	on     bool // rows of the page have one
	beside bool // at the side
	w, h   int  // its size, the head included
}

// leastAside is the least height of an aside below the list.
const leastAside = 6

// asideBeside is the width from which it may be at the side.
const asideBeside = 140

// leastBeside is the least width of an aside at the side of the list.
const leastBeside = 46

// asideFor divides a size between the list and the aside.
func (s *Page) asideFor(w, h int) (listW, listH int) {
	s.aside = aside{on: slices.ContainsFunc(s.rows, func(r rowAt) bool { return len(r.row.Aside) > 0 })}
	if !s.aside.on || h < 2*leastAside {
		s.aside.on = false
		return w, h
	}
	s.aside.w = w
	for i := range s.rows { // as high as the longest, so that the list does not move with the cursor
		s.aside.h = max(s.aside.h, 1+len(s.asideLines(&s.rows[i])))
	}
	s.aside.h = max(leastAside, min(s.aside.h, h*3/5))
	if w >= asideBeside {
		// A short list and the aside have the whole width below each other: nothing is cut.
		if s.layOut(); len(s.lines)+1+s.aside.h > h {
			s.aside.beside, s.aside.w, s.aside.h = true, max(leastBeside, w/3), h
			return w - s.aside.w - 1, h
		}
	}
	return w, h - s.aside.h
}

// asideLines are the sentences of a row, wrapped.
func (s *Page) asideLines(r *rowAt) (out []string) {
	for _, x := range r.row.Aside {
		out = append(out, cell.Wrap(s.th, x, s.aside.w-rowIndent-1, 8)...)
	}
	return out
}

// asideView draws it, for the row under the cursor.
func (s *Page) asideView() []string {
	th := s.th
	title, lines := "evidence", []string(nil)
	for i := range s.rows {
		if r := &s.rows[i]; !s.selected.IsZero() && r.row.Key == s.selected {
			title, lines = "evidence "+cell.Text(th, r.row.Cells[0].Text)+", "+cell.Text(th, r.row.Cells[1].Text), s.asideLines(r)
		}
	}
	if len(lines) == 0 { // nothing is known of the row
		return cell.Pad(nil, s.aside.h)
	}
	head := cell.NewRow(th, s.aside.w, theme.Plain).Fill(theme.Faint, th.Glyph.Rule, 2).To(rowIndent)
	head.Put(theme.Name|theme.Bold, cell.CutMiddle(th, title, max(0, s.aside.w-rowIndent-4))).Gap(1).Fill(theme.Faint, th.Glyph.Rule, s.aside.w)
	out := []string{head.String()}
	for i, l := range lines {
		if i == s.aside.h-2 && len(lines) > s.aside.h-1 {
			l = cell.Cut(th, l+" "+th.Glyph.Ellipsis, s.aside.w-rowIndent-1)
		}
		out = append(out, cell.NewRow(th, s.aside.w, theme.Plain).To(rowIndent).Put(theme.Text, l).String())
	}
	return cell.Pad(out, s.aside.h)
}

// withAside joins the list and the aside.
func (s *Page) withAside(list []string) []string {
	if !s.aside.on {
		return list
	}
	if !s.aside.beside {
		return append(cell.Pad(list, s.h), s.asideView()...)
	}
	list = cell.Pad(list, s.h)
	for i, l := range s.asideView() {
		list[i] = cell.Widen(list[i], s.w+1) + l
	}
	return list
}

// alike are the sections with the columns of a section: those of a list with an aside stand
// below each other as one table.
func (s *Page) alike(sec *page.Section) []*page.Section {
	if !s.aside.on {
		return []*page.Section{sec}
	}
	var out []*page.Section
	for i := range s.answer.Sections {
		if o := &s.answer.Sections[i]; slices.Equal(o.Head, sec.Head) {
			out = append(out, o)
		}
	}
	return out
}
