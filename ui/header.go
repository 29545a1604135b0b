package ui

import (
	"strconv"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
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
	th, w := m.look.th, m.look.w
	r := newRow(th, w, groundBar).to(1)
	var right []span
	if m.snap == nil {
		right = []span{{inkWait | bold, engine.LinkLoading.String()}}
	} else {
		right = m.linkSpans()
		if w >= 60 {
			right = append(right, span{inkText, "   " + m.counts()})
		}
	}
	if w >= 70 {
		right = append(right, span{inkKey | bold, "   ?"}, span{inkSub, " help"})
	}
	room := w - spansWidth(right) - 3
	if m.snap != nil {
		h := m.snap.Hub
		ctx, server, user := th.cells(h.Context), shortServer(th.cells(h.Server)), th.cells(h.User)
		ctx = th.cutMiddle(ctx, max(10, room*2/5))
		r.put(inkName|bold, th.cut(ctx, room))
		room -= width(ctx)
		if h.Protected && room >= len(protected)+2 {
			r.put(inkAsk|bold, "  "+protected)
			room -= len(protected) + 2
		}
		if left := m.liftedFor(); left != "" && room >= len(left)+2 {
			r.put(inkBad|bold, "  "+left)
			room -= len(left) + 2
		}
		if user != "" && room >= 12 {
			user = th.cutMiddle(user, min(32, room-2))
			r.put(inkSub, "  "+user)
			room -= width(user) + 2
		}
		if server != "" && room >= min(28, width(server)+2) {
			r.put(inkFaint, "  "+th.cutMiddle(server, room-2))
		}
	}
	r.to(w - spansWidth(right) - 1)
	for _, s := range right {
		r.put(s.k, s.s)
	}
	return r.String()
}

// protected marks a context in which every write asks for its name.
const protected = "PROTECTED"

// span is a piece of a row.
type span struct {
	k ink
	s string
}

func spansWidth(ss []span) int {
	n := 0
	for _, s := range ss {
		n += width(s.s)
	}
	return n
}

// shortServer drops what every server has.
func shortServer(s string) string {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "https://"), "http://")
	return strings.TrimSuffix(strings.TrimSuffix(s, "/"), ":443")
}

// linkSpans tells how fresh the data is.
func (m *Model) linkSpans() []span {
	l := m.snap.Link
	if !m.ended.IsZero() {
		return []span{{inkBad | bold, "ENDED"}}
	}
	switch l.State {
	case engine.LinkLive:
		if m.snap.Scope.NoHub {
			return []span{{inkBad | bold, "NOT A HUB"}}
		}
		return []span{{inkDone, m.look.th.glyph.live}, {inkText, " live " + short(m.since(l.Heard))}}
	case engine.LinkLoading:
		return []span{{inkWait | bold, l.State.String()}}
	case engine.LinkReconnecting, engine.LinkStale:
		return []span{{inkWait | bold, l.State.String()}, {inkText, " " + short(m.since(l.Since))}}
	}
	return []span{{inkBad | bold, l.State.String()}}
}

// placeLine tells what is shown: the scope of the list, or the way to the run.
func (m *Model) placeLine() string {
	th, w := m.look.th, m.look.w
	r := newRow(th, w, groundNone).to(1)
	if m.sheet() != nil {
		m.sheetCrumbs(r)
		return r.String()
	}
	if m.screen == screenRun {
		m.crumbs(r)
		return r.String()
	}
	r.put(inkText, "Runs")
	if m.snap == nil {
		return r.String()
	}
	r.put(inkSub, " "+th.glyph.dot+" ").text(inkSub, m.snap.Scope.Namespaces)
	if !m.snap.Scope.ClusterRuns && !m.snap.Scope.Namespaces.IsZero() {
		r.put(inkSub, " only")
	}
	if m.runs.filter.on() {
		r.put(inkSub, " "+th.glyph.dot+" filter ").text(inkKey|bold, engine.Clean(m.runs.filter.text))
	}
	if m.runs.problems {
		r.put(inkSub, " "+th.glyph.dot+" ").put(inkKey|bold, "only problems")
	}
	var right []span
	for i, n := range m.snap.Need {
		sep := "needs attention  "
		if i > 0 {
			sep = " " + th.glyph.dot + " "
		}
		right = append(right, span{inkSub, sep}, span{wordInk(n.Word) | bold, needText(n)})
	}
	if len(right) == 0 && m.snap.Complete && len(m.snap.Runs) > 0 {
		right = []span{{inkSub, "nothing needs attention"}}
	}
	// At a narrow width the entries that matter least go first; that there are
	// more of them is said.
	for n := len(right) / 2; n > 1 && r.at()+2+spansWidth(right)+1 > w; {
		n--
		hidden := 0
		for _, more := range m.snap.Need[n:] {
			hidden += more.Count
		}
		right = append(right[:2*n], span{inkSub, " " + th.glyph.dot + " "}, span{inkText, strconv.Itoa(hidden) + " more"})
	}
	if all := 0; len(m.snap.Need) > 0 && r.at()+2+spansWidth(right)+1 > w {
		for _, n := range m.snap.Need {
			all += n.Count
		}
		right = []span{{inkSub, "needs attention  "}, {wordInk(m.snap.Need[0].Word) | bold, strconv.Itoa(all)}}
	}
	r.to(max(r.at()+2, w-spansWidth(right)-1))
	for _, s := range right {
		r.put(s.k, s.s)
	}
	return r.String()
}

// noticeLine tells what is wrong with the link, why writes are off and what
// is hidden; the first of them that there is.
func (m *Model) noticeLine() string {
	th := m.look.th
	r := newRow(th, m.look.w, groundNone).to(1)
	if m.snap == nil {
		if !m.ended.IsZero() {
			r.text(inkBad, m.ended)
		}
		return r.String()
	}
	l := m.snap.Link
	switch {
	case !m.ended.IsZero():
		r.text(inkBad, m.ended).put(inkSub, " "+th.glyph.dot+" the data no longer moves")
	case l.State == engine.LinkReconnecting || l.State == engine.LinkStale || l.State == engine.LinkRefused:
		age := "no data yet, "
		if !l.Heard.IsZero() && len(m.snap.Runs) > 0 {
			age = "data is " + short(m.since(l.Heard)) + " old, "
		}
		r.put(inkWait, age+"writes are off")
		if !l.Err.IsZero() {
			r.put(inkSub, " "+th.glyph.dot+" ").text(inkText, l.Err)
		}
		if !l.Hint.IsZero() {
			r.put(inkSub, " "+th.glyph.dot+" ").text(inkSub, l.Hint)
		}
	case l.State == engine.LinkLive && !m.snap.WritesOff.IsZero():
		r.put(inkWait, "writes are off: ").text(inkText, m.snap.WritesOff)
		if m.snap.Held == engine.HeldReadOnly {
			r.put(inkSub, " "+th.glyph.dot+" :write lifts it")
		}
	case !m.snap.Scope.Short.IsZero() && !m.snap.Scope.NoHub:
		r.text(inkWait, m.snap.Scope.Short)
	}
	return r.String()
}

// rootCrumb writes the list and, where the opened run was not opened from it, that
// other levels lie between.
func (m *Model) rootCrumb(r *row) {
	g := &m.look.th.glyph
	r.put(inkSub, "Runs "+g.crumb+" ")
	below := len(m.stack) - len(m.sheets())
	if m.screen == screenRun && below > 1 {
		r.put(inkSub, g.ellipsis+" "+g.crumb+" ")
	}
}

// crumbs writes the way to the opened run and what it rolls out.
func (m *Model) crumbs(r *row) {
	th := m.look.th
	m.rootCrumb(r)
	v := m.run.view
	if v == nil {
		r.text(inkName|bold, m.run.id.Title())
		return
	}
	r.put(inkName|bold, th.cutTitle(th.cells(runTitle(v)), max(12, m.look.w/2)))
	r.put(inkSub, "  ")
	m.about(r, v)
}

// about writes what a run rolls out: placement, snapshot, strategy.
func (m *Model) about(r *row, v *engine.RunView) {
	th := m.look.th
	sep := " " + th.glyph.dot + " "
	first, full := true, false
	part := func(label string, x engine.Text) {
		// A part that has room for its beginning only tells nothing.
		if full = full || !first && r.left() < width(sep)+width(label)+1+min(8, width(th.cells(x))); full || x.IsZero() {
			return
		}
		if !first {
			r.put(inkSub, sep)
		}
		first = false
		r.put(inkSub, label+" ").text(inkText, x)
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
		part("started", engine.Textf("%s UTC", engine.Clean(clock(v.Started, m.hubNow()))))
	}
}
