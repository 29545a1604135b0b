package page

import (
	"slices"
	"strconv"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// aside is what is shown of the row under the cursor, at the side of the list or below it.
type aside struct {
	on     bool // rows of the page have one
	beside bool // at the side
	w, h   int  // its size, the head included
	// focus is set while keys scroll it; top is its first line on the screen, of the row of.
	focus bool
	top   int
	of    engine.Text
}

// mostMeasured is how many rows are measured for the height of an aside.
const mostMeasured = 200

// leastAside is the least height of an aside below the list.
const leastAside = 6

// asideBeside is the width from which it may be at the side.
const asideBeside = 140

// leastBeside is the least width of an aside at the side of the list.
const leastBeside = 46

// hasAside reports whether rows of the page have one, and h lines have room for it.
func (s *Page) hasAside(h int) bool {
	has := func(r page.Row) bool { return len(r.Aside) > 0 }
	return h >= 2*leastAside && slices.ContainsFunc(s.answer.Sections, func(sec page.Section) bool { return slices.ContainsFunc(sec.Rows, has) })
}

// asideFor divides a size between the list, which is laid out for all of its width, and the aside.
func (s *Page) asideFor(w, h int) (listW, listH int) {
	s.aside = aside{focus: s.aside.focus, top: s.aside.top, of: s.aside.of, on: true}
	s.aside.w = w
	for i := range min(mostMeasured, len(s.rows)) { // as high as the longest, so that the list does not move with the cursor
		s.aside.h = max(s.aside.h, 1+len(s.asideLines(&s.rows[i])))
	}
	s.aside.h = max(leastAside, min(s.aside.h, h*3/5))
	if w >= asideBeside {
		// A short list and the aside have the whole width below each other: nothing is cut.
		if len(s.lines)+1+s.aside.h > h {
			s.aside.beside, s.aside.w, s.aside.h = true, max(leastBeside, w/3), h
			return w - s.aside.w - 1, h
		}
	}
	return w, h - s.aside.h
}

// asideLines are the sentences of a row, wrapped.
func (s *Page) asideLines(r *rowAt) (out []string) {
	for _, x := range r.row.Aside {
		out = append(out, cell.Wrap(s.th, x, s.aside.w-rowIndent-1, mostLines)...)
	}
	return out
}

// asideOf returns the row under the cursor and its sentences, nil for none.
func (s *Page) asideOf() (*page.Row, []string) {
	if i := s.rowAt(); i >= 0 {
		return s.rows[i].row, s.asideLines(&s.rows[i])
	}
	return nil, nil
}

// arrangeAside begins the aside of another row at its start, and leaves one that has room.
func (s *Page) arrangeAside() {
	if s.aside.of != s.selected {
		s.aside.of, s.aside.top = s.selected, 0
	}
	s.scrollAside(0)
	s.aside.focus = s.aside.focus && s.HasMore()
}

// scrollAside moves its lines.
func (s *Page) scrollAside(d int) {
	_, lines := s.asideOf()
	s.aside.top = max(0, min(s.aside.top+d, len(lines)-s.aside.h+1))
}

// Free is the first cell at the side of the list, below an aside that stands there; false for none.
func (s *Page) Free() (x, y int, ok bool) {
	if !s.aside.on || !s.aside.beside {
		return 0, 0, false
	}
	_, lines := s.asideOf()
	return s.w + 1, min(s.aside.h, len(lines)+2), true
}

// HasMore reports whether the aside has more lines than room: keys scroll it after Focus.
func (s *Page) HasMore() bool {
	if s == nil || !s.aside.on {
		return false
	}
	_, lines := s.asideOf()
	return len(lines) > s.aside.h-1
}

// Focus makes keys scroll the aside, or move in the list again.
func (s *Page) Focus() { s.aside.focus = !s.aside.focus && s.HasMore() }

// Wheel scrolls what is drawn at a cell of the page.
func (s *Page) Wheel(x, y, lines int) {
	if s.aside.on && (x >= s.w || y >= s.h) {
		s.scrollAside(lines)
		return
	}
	s.Scroll(lines)
}

// asideView draws it, for the row under the cursor.
func (s *Page) asideView() []string {
	th := s.th
	r, lines := s.asideOf()
	if len(lines) == 0 { // nothing is known of the row
		return cell.Pad(nil, s.aside.h)
	}
	title := "details "
	if s.Markable() {
		title = "evidence "
	}
	title += cell.Text(th, r.Cells[0].Text) + ", " + cell.Text(th, r.Cells[1].Text)
	style, room, more := theme.Name, s.aside.h-1, ""
	if to := min(len(lines), s.aside.top+room); to-s.aside.top < len(lines) {
		more = strconv.Itoa(to) + "/" + strconv.Itoa(len(lines)) + " "
		if lines = lines[s.aside.top:to]; !s.aside.focus {
			more += th.Key("next-pane") + " scrolls "
		}
	}
	if s.aside.focus {
		style = theme.Key
	}
	head := cell.NewRow(th, s.aside.w, theme.Plain).Fill(style, th.Glyph.Rule, 2).To(rowIndent)
	head.Put(style|theme.Bold, cell.CutMiddle(th, title, max(0, s.aside.w-rowIndent-4-cell.Width(more)))).Gap(1).Put(theme.Sub, more).Fill(style, th.Glyph.Rule, s.aside.w)
	out := []string{head.String()}
	for _, l := range lines {
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
