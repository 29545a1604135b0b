package ui

import (
	"strconv"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// placeLine says what is shown: the scope of the list, or the way to the run or page.
func (m *Model) placeLine() string {
	r := cell.NewRow(m.scene.Theme, m.look.w, theme.Plain).To(1)
	l := m.layout()
	switch {
	case l.On():
		m.runs.Place(r)
	case m.sheet() != nil:
		m.sheetCrumbs(r)
	case m.screen == screenRun:
		m.rootCrumb(r)
		m.run.Place(r)
	default:
		m.runs.Place(r)
	}
	return r.String()
}

// rootCrumb writes the list and, where the opened run was not opened from it, that
// other levels lie between.
func (m *Model) rootCrumb(r *cell.Row) {
	g := &m.scene.Theme.Glyph
	r.Put(theme.Sub, "Runs "+g.Crumb+" ")
	below := len(m.stack) - len(m.sheets())
	if m.screen == screenRun && below > 1 {
		r.Put(theme.Sub, g.Ellipsis+" "+g.Crumb+" ")
	}
	of := m.target()
	if s := m.sheet(); s != nil {
		of = enginepage.Subject(s.Question()) // none for the approvals of all hubs
	}
	if hub := of.Hub(); m.scene.Snap != nil && len(m.scene.Snap.Hubs) > 0 && !hub.IsZero() {
		r.Put(theme.Name, cell.CutMiddle(m.scene.Theme, cell.Text(m.scene.Theme, hub.Text()), max(10, m.look.w/5))).Put(theme.Sub, " "+g.Crumb+" ")
	}
}

// sheetsWidth is what the names of the pages take in the way to the one on top.
func (m *Model) sheetsWidth() int {
	n, all := 2, m.sheets()
	for i := max(0, len(all)-2); i < len(all); i++ {
		n += 3 + cell.Width(cell.Text(m.scene.Theme, all[i].sheet.Title()))
	}
	if len(all) > 2 {
		n += 4
	}
	return n
}

// sheetCrumbs writes the way to the page on top, and on the right how much of
// it is seen and how old it is when it could not be renewed.
func (m *Model) sheetCrumbs(r *cell.Row) {
	th, s := m.scene.Theme, m.sheet()
	var right cell.Spans
	if from, to, of := s.Window(); to-from < of {
		right = append(right, cell.Styled(theme.Sub, "  "+strconv.Itoa(to)+"/"+strconv.Itoa(of)))
	}
	if s.IsLoaded() && !s.Err().IsZero() {
		right = append(right, cell.Styled(theme.Wait, "  as of "+engine.Time(s.Answer().At, m.scene.HubNow()).String()))
	}
	m.rootCrumb(r)
	if m.screen == screenRun && m.run.Run() != nil {
		r.Put(theme.Text, cell.CutTitle(th, cell.Text(th, column.Title(m.run.Run())), max(12, m.look.w/4, m.look.w-r.At()-right.Width()-m.sheetsWidth()))).Put(theme.Sub, " "+th.Glyph.Crumb+" ")
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
		room := max(12, m.look.w-r.At()-right.Width()-2)
		if i < len(all)-1 {
			room /= 2
		}
		r.Put(k, cell.CutMiddle(th, cell.Text(th, all[i].sheet.Title()), room))
		if i < len(all)-1 {
			r.Put(theme.Sub, " "+th.Glyph.Crumb+" ")
		}
	}
	r.To(m.look.w - right.Width() - 1)
	r.Spans(right)
}
