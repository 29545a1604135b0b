package ui

import (
	"strconv"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// The header is two rows and a third one below: whose data this is and how
// fresh, what is shown, and what is wrong with it. The third row is blank when
// nothing is wrong, so that nothing moves when something is.

// headRows is the height of the header.
const headRows = 3

func (m *Model) headerView(out []string) []string {
	return append(out, m.hubLine(), m.placeLine(), m.noticeLine())
}

// hubLine names context, server and user on the left, the link on the right.
func (m *Model) hubLine() string {
	th, w := m.scene.Theme, m.look.w
	r := cell.NewRow(th, w, theme.Bar).To(1)
	var right cell.Spans
	if m.scene.Snap == nil {
		right = cell.Spans{cell.Styled(theme.Wait|theme.Bold, engine.LinkLoading.String())}
	} else {
		right = m.linkSpans()
		if w >= 60 {
			right = append(right, cell.Styled(theme.Text, "   "+m.counts()))
		}
	}
	if w >= 70 {
		right = append(right, cell.Styled(theme.Key|theme.Bold, "   ?"), cell.Styled(theme.Sub, " help"))
	}
	room := w - right.Width() - 3
	if m.scene.Snap != nil {
		h := m.scene.Snap.Hub
		ctx, server, user := cell.Text(th, h.Context), label.Server(cell.Text(th, h.Server)), cell.Text(th, h.User)
		ctx = cell.CutMiddle(th, ctx, max(10, room*2/5))
		r.Put(theme.Name|theme.Bold, cell.Cut(th, ctx, room))
		room -= cell.Width(ctx)
		if h.Protected && room >= len(protected)+2 {
			r.Put(theme.Ask|theme.Bold, "  "+protected)
			room -= len(protected) + 2
		}
		if left := m.liftedFor(); left != "" && room >= len(left)+2 {
			r.Put(theme.Bad|theme.Bold, "  "+left)
			room -= len(left) + 2
		}
		if user != "" && room >= 12 {
			user = cell.CutMiddle(th, user, min(32, room-2))
			r.Put(theme.Sub, "  "+user)
			room -= cell.Width(user) + 2
		}
		if server != "" && room >= min(28, cell.Width(server)+2) {
			r.Put(theme.Faint, "  "+cell.CutMiddle(th, server, room-2))
		}
	}
	r.To(w - right.Width() - 1)
	r.Spans(right)
	return r.String()
}

// protected marks a context in which every write asks for its name.
const protected = "PROTECTED"

// linkSpans tells how fresh the data is.
func (m *Model) linkSpans() cell.Spans {
	l := m.scene.Snap.Link
	if !m.ended.IsZero() {
		return cell.Spans{cell.Styled(theme.Bad|theme.Bold, "ENDED")}
	}
	switch l.State {
	case engine.LinkLive:
		if m.scene.Snap.Scope.NoHub {
			return cell.Spans{cell.Styled(theme.Bad|theme.Bold, "NOT A HUB")}
		}
		return cell.Spans{cell.Styled(theme.Done, m.scene.Theme.Glyph.Live), cell.Styled(theme.Text, " live "+cell.Short(m.scene.Since(l.Heard)))}
	case engine.LinkLoading:
		return cell.Spans{cell.Styled(theme.Wait|theme.Bold, l.State.String())}
	case engine.LinkReconnecting, engine.LinkStale:
		return cell.Spans{cell.Styled(theme.Wait|theme.Bold, l.State.String()), cell.Styled(theme.Text, " "+cell.Short(m.scene.Since(l.Since)))}
	}
	return cell.Spans{cell.Styled(theme.Bad|theme.Bold, l.State.String())}
}

// placeLine tells what is shown: the scope of the list, or the way to the run.
func (m *Model) placeLine() string {
	th, w := m.scene.Theme, m.look.w
	r := cell.NewRow(th, w, theme.Plain).To(1)
	if m.sheet() != nil {
		m.sheetCrumbs(r)
		return r.String()
	}
	if m.screen == screenRun {
		m.crumbs(r)
		return r.String()
	}
	r.Put(theme.Text, "Runs")
	if m.scene.Snap == nil {
		return r.String()
	}
	r.Put(theme.Sub, " "+th.Glyph.Dot+" ").Text(theme.Sub, m.scene.Snap.Scope.Namespaces)
	if !m.scene.Snap.Scope.ClusterRuns && !m.scene.Snap.Scope.Namespaces.IsZero() {
		r.Put(theme.Sub, " only")
	}
	if m.runs.filter.On() {
		r.Put(theme.Sub, " "+th.Glyph.Dot+" filter ").Text(theme.Key|theme.Bold, engine.Clean(m.runs.filter.Text))
	}
	if m.runs.problems {
		r.Put(theme.Sub, " "+th.Glyph.Dot+" ").Put(theme.Key|theme.Bold, "only problems")
	}
	var right cell.Spans
	for i, n := range m.scene.Snap.Need {
		sep := "needs attention  "
		if i > 0 {
			sep = " " + th.Glyph.Dot + " "
		}
		right = append(right, cell.Styled(theme.Sub, sep), cell.Styled(theme.OfWord(n.Word)|theme.Bold, label.Need(n)))
	}
	if len(right) == 0 && m.scene.Snap.Complete && len(m.scene.Snap.Runs) > 0 {
		right = cell.Spans{cell.Styled(theme.Sub, "nothing needs attention")}
	}
	// At a narrow width the entries that matter least go first; that there are
	// more of them is said.
	for n := len(right) / 2; n > 1 && r.At()+2+right.Width()+1 > w; {
		n--
		hidden := 0
		for _, more := range m.scene.Snap.Need[n:] {
			hidden += more.Count
		}
		right = append(right[:2*n], cell.Styled(theme.Sub, " "+th.Glyph.Dot+" "), cell.Styled(theme.Text, strconv.Itoa(hidden)+" more"))
	}
	if all := 0; len(m.scene.Snap.Need) > 0 && r.At()+2+right.Width()+1 > w {
		for _, n := range m.scene.Snap.Need {
			all += n.Count
		}
		right = cell.Spans{cell.Styled(theme.Sub, "needs attention  "), cell.Styled(theme.OfWord(m.scene.Snap.Need[0].Word)|theme.Bold, strconv.Itoa(all))}
	}
	r.To(max(r.At()+2, w-right.Width()-1))
	r.Spans(right)
	return r.String()
}

// noticeLine tells what is wrong with the link, why writes are off and what
// is hidden; the first of them that there is.
func (m *Model) noticeLine() string {
	th := m.scene.Theme
	r := cell.NewRow(th, m.look.w, theme.Plain).To(1)
	if m.scene.Snap == nil {
		if !m.ended.IsZero() {
			r.Text(theme.Bad, m.ended)
		}
		return r.String()
	}
	l := m.scene.Snap.Link
	switch {
	case !m.ended.IsZero():
		r.Text(theme.Bad, m.ended).Put(theme.Sub, " "+th.Glyph.Dot+" data is not updated")
	case l.State == engine.LinkReconnecting || l.State == engine.LinkStale || l.State == engine.LinkRefused:
		age := "no data yet, "
		if !l.Heard.IsZero() && len(m.scene.Snap.Runs) > 0 {
			age = "data is " + cell.Short(m.scene.Since(l.Heard)) + " old, "
		}
		r.Put(theme.Wait, age+"writes are off")
		if !l.Err.IsZero() {
			r.Put(theme.Sub, " "+th.Glyph.Dot+" ").Text(theme.Text, l.Err)
		}
		if !l.Hint.IsZero() {
			r.Put(theme.Sub, " "+th.Glyph.Dot+" ").Text(theme.Sub, l.Hint)
		}
	case l.State == engine.LinkLive && !m.scene.Snap.WritesOff.IsZero():
		r.Put(theme.Wait, "writes are off: ").Text(theme.Text, m.scene.Snap.WritesOff)
		if m.scene.Snap.Held == engine.HeldReadOnly {
			r.Put(theme.Sub, " "+th.Glyph.Dot+" :write lifts it")
		}
	case !m.scene.Snap.Scope.Short.IsZero() && !m.scene.Snap.Scope.NoHub:
		r.Text(theme.Wait, m.scene.Snap.Scope.Short)
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
}

// crumbs writes the way to the opened run and what it rolls out.
func (m *Model) crumbs(r *cell.Row) {
	th := m.scene.Theme
	m.rootCrumb(r)
	v := m.run.view
	if v == nil {
		r.Text(theme.Name|theme.Bold, m.run.id.Title())
		return
	}
	r.Put(theme.Name|theme.Bold, cell.CutTitle(th, cell.Text(th, label.Title(v)), max(12, m.look.w/2)))
	r.Put(theme.Sub, "  ")
	m.about(r, v)
}

// about writes what a run rolls out: placement, snapshot, strategy.
func (m *Model) about(r *cell.Row, v *engine.RunView) {
	th := m.scene.Theme
	sep := " " + th.Glyph.Dot + " "
	first, full := true, false
	part := func(label string, x engine.Text) {
		// A part that has room for its beginning only tells nothing.
		if full = full || !first && r.Left() < cell.Width(sep)+cell.Width(label)+1+min(8, cell.Width(cell.Text(th, x))); full || x.IsZero() {
			return
		}
		if !first {
			r.Put(theme.Sub, sep)
		}
		first = false
		r.Put(theme.Sub, label+" ").Text(theme.Text, x)
	}
	if !v.Placement.IsZero() {
		name := v.Placement.Title()
		if !v.Placement.Namespace().IsZero() {
			name = v.Placement.Name() // the run's name before it has the namespace
		}
		part(strings.ToUpper(v.Placement.Kind().Short()), name)
	}
	if v.Index.IsZero() {
		part("asks for snapshot", v.IndexAsked)
	} else {
		part("snapshot", v.Index)
	}
	part("strategy", v.Strategy)
	if !v.Started.IsZero() {
		part("started", engine.Textf("%s UTC", engine.Clean(cell.Clock(v.Started, m.scene.HubNow()))))
	}
}
