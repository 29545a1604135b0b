package stack

import (
	"strconv"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/scene"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// Place writes the way to what is on top, and on the right where in it the screen is.
func (s Stack) Place(r *cell.Row, sc *scene.Scene) {
	if s.Sheet() != nil {
		s.sheetCrumbs(r, sc)
		return
	}
	s.rootCrumb(r, sc)
	s.Run().Place(r)
}

// rootCrumb writes the list and, where the opened run was not opened from it, that
// other levels lie between.
func (s Stack) rootCrumb(r *cell.Row, sc *scene.Scene) {
	g, of := &sc.Theme.Glyph, engine.ID{}
	r.Put(theme.Sub, "Runs "+g.Crumb+" ")
	if run := s.Run(); run != nil {
		of = run.ID()
		if len(s)-len(s.Sheets()) > 1 {
			r.Put(theme.Sub, g.Ellipsis+" "+g.Crumb+" ")
		}
	}
	if top := s.Sheet(); top != nil {
		of = enginepage.Subject(top.Question()) // none for the approvals of all hubs
	}
	if hub := of.Hub(); sc.Snap != nil && len(sc.Snap.Hubs) > 0 && !hub.IsZero() {
		r.Put(theme.Name, cell.CutMiddle(sc.Theme, cell.Text(sc.Theme, hub.Text()), max(10, r.Limit()/5))).Put(theme.Sub, " "+g.Crumb+" ")
	}
}

// sheetsWidth is what the names of the pages take in the way to the one on top.
func (s Stack) sheetsWidth(th *theme.Theme) int {
	n, all := 2, s.Sheets()
	for i := max(0, len(all)-2); i < len(all); i++ {
		n += 3 + cell.Width(cell.Text(th, all[i].Sheet.Title()))
	}
	if len(all) > 2 {
		n += 4
	}
	return n
}

// sheetCrumbs writes the way to the page on top, and on the right how much of
// it is seen and when it was read, if it is old.
func (s Stack) sheetCrumbs(r *cell.Row, sc *scene.Scene) {
	th, top, w := sc.Theme, s.Sheet(), r.Limit()
	var right cell.Spans
	if top.Filter() != "" {
		at, of := top.Found()
		right = append(right, cell.Styled(theme.Wait, "  match "+strconv.Itoa(at)+"/"+strconv.Itoa(of)))
	}
	if from, to, of := top.Window(); to-from < of {
		right = append(right, cell.Styled(theme.Sub, "  "+strconv.Itoa(to)+"/"+strconv.Itoa(of)))
	}
	now := sc.NowOf(enginepage.Subject(top.Question()))
	if at, ok := top.AsOf(now); ok {
		right = append(right, cell.Styled(theme.Wait, "  as of "+engine.Time(at, now).String()))
	}
	s.rootCrumb(r, sc)
	if run := s.Run(); run != nil && run.Run() != nil {
		r.Put(theme.Text, cell.CutTitle(th, cell.Text(th, column.Title(run.Run())), max(12, w/4, w-r.At()-right.Width()-s.sheetsWidth(th)))).Put(theme.Sub, " "+th.Glyph.Crumb+" ")
	}
	all := s.Sheets()
	first := max(0, len(all)-2)
	if first > 0 {
		r.Put(theme.Sub, th.Glyph.Ellipsis+" "+th.Glyph.Crumb+" ")
	}
	for i := first; i < len(all); i++ {
		k := theme.Text
		if i == len(all)-1 {
			k = theme.Name | theme.Bold
		}
		room := max(12, w-r.At()-right.Width()-2)
		if i < len(all)-1 {
			room /= 2
		}
		r.Put(k, cell.CutMiddle(th, cell.Text(th, all[i].Sheet.Title()), room))
		if i < len(all)-1 {
			r.Put(theme.Sub, " "+th.Glyph.Crumb+" ")
		}
	}
	r.To(w - right.Width() - 1)
	r.Spans(right)
}
