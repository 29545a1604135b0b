package runlist

import (
	"strconv"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// leastFilter is how many cells of a long filter are shown before the counts, countsRoom what the
// shortest of these need.
const leastFilter, countsRoom = 12, 26

// wideNote is the width from which it is said what is not read.
const wideNote = 100

// mostWrong is how many cells of what is wrong with a filter come before the counts of what
// needs attention.
const mostWrong = 60

// Place writes what is listed, and on the right what needs attention.
func (l *List) Place(r *cell.Row) *cell.Row {
	r.Put(theme.Text, "Runs")
	if l.scene.Snap == nil {
		return r
	}
	r.Put(theme.Sub, " "+l.scene.Theme.Glyph.Dot+" ").Text(theme.Sub, l.scene.Snap.Scope.Namespaces)
	if !l.scene.Snap.Scope.ClusterRuns && !l.scene.Snap.Scope.Namespaces.IsZero() {
		r.Put(theme.Sub, " only")
	}
	if name := l.Used(); name != "" {
		r.Put(theme.Sub, " "+l.scene.Theme.Glyph.Dot+" view ").Text(theme.Key|theme.Bold, engine.Clean(name))
	}
	var wrong engine.Text
	unread := l.unreadText(r.Limit())
	if strings.TrimSpace(l.filter.Text) != "" {
		r.Put(theme.Sub, " "+l.scene.Theme.Glyph.Dot+" filter ")
		r.Put(theme.Key|theme.Bold, cell.CutMiddle(l.scene.Theme, cell.Text(l.scene.Theme, engine.Clean(l.filter.Text)), max(leastFilter, r.Left()-countsRoom-len(unread))))
		switch err := l.labels.Err(); {
		case !l.filter.Err.IsZero():
			wrong = l.filter.Err
		case !err.IsZero():
			wrong = engine.Textf("-l not evaluated: %s", err)
		case l.labels.Waits():
			r.Put(theme.Sub, " "+l.scene.Theme.Glyph.Dot+" ").Put(theme.Wait, l.scene.Busy("the API server evaluates -l"))
		case l.filter.Labels() != "":
			r.Put(theme.Sub, " "+l.scene.Theme.Glyph.Dot+" -l by the API server")
		}
	}
	if unread != "" {
		r.Put(theme.Sub, " "+l.scene.Theme.Glyph.Dot+" ").Put(theme.Wait, unread)
	}
	if l.problems {
		r.Put(theme.Sub, " "+l.scene.Theme.Glyph.Dot+" ").Put(theme.Key|theme.Bold, "only problems")
	}
	if c, ok := column.Find(l.chosen, l.order.by); ok {
		r.Put(theme.Sub, " "+l.scene.Theme.Glyph.Dot+" by ").Put(theme.Key|theme.Bold, l.order.mark(l.scene.Theme, c.Head, len(c.Head)+1))
	}
	var right cell.Spans
	for i, n := range l.scene.Snap.Need {
		sep := "needs attention  "
		if i > 0 {
			sep = " " + l.scene.Theme.Glyph.Dot + " "
		}
		right = append(right, cell.Styled(theme.Sub, sep), cell.Styled(theme.OfWord(n.Word)|theme.Bold, label.Need(n)))
	}
	if len(right) == 0 && l.scene.Snap.Complete && len(l.scene.Snap.Runs) > 0 {
		right = cell.Spans{cell.Styled(theme.Sub, "nothing needs attention")}
	}
	hint := 0 // what is wrong with the filter
	if !wrong.IsZero() {
		hint = min(cell.Width(cell.Text(l.scene.Theme, wrong)), mostWrong) + 3
	}
	// At a narrow width the entries that matter least go first; that there are
	// more of them is said.
	for n := len(right) / 2; n > 1 && r.At()+hint+2+right.Width()+1 > r.Limit(); {
		n--
		hidden := 0
		for _, more := range l.scene.Snap.Need[n:] {
			hidden += more.Count
		}
		right = append(right[:2*n], cell.Styled(theme.Sub, " "+l.scene.Theme.Glyph.Dot+" "), cell.Styled(theme.Text, strconv.Itoa(hidden)+" more"))
	}
	if all := 0; len(l.scene.Snap.Need) > 0 && r.At()+hint+2+right.Width()+1 > r.Limit() {
		for _, n := range l.scene.Snap.Need {
			all += n.Count
		}
		right = cell.Spans{cell.Styled(theme.Sub, "needs attention  "), cell.Styled(theme.OfWord(l.scene.Snap.Need[0].Word)|theme.Bold, strconv.Itoa(all))}
	}
	if room := r.Left() - right.Width() - 6; !wrong.IsZero() && room > 0 { // what needs attention comes first
		r.Put(theme.Sub, " "+l.scene.Theme.Glyph.Dot+" ").Put(theme.Wait|theme.Bold, cell.Cut(l.scene.Theme, cell.Text(l.scene.Theme, wrong), room))
	}
	r.To(max(r.At()+2, r.Limit()-right.Width()-1))
	r.Spans(right)
	return r
}

// unreadText returns of how many runs something is not read that the filter or the order needs: the bindings, for a filter by
// causes, or all but the row of the run. It is empty for none, and short on a screen of few cells.
func (l *List) unreadText(cells int) string {
	n := 0
	if l.OfCauses() {
		n = count(l.scene.Snap.Runs, (*engine.RunView).Unread)
	}
	if l.needsRuns() {
		n += count(l.scene.Snap.Runs, isRowOnly)
	}
	switch {
	case n == 0:
		return ""
	case cells < wideNote:
		return strconv.Itoa(n) + " unread"
	}
	return "details of " + label.Plural(n, "run") + " not read"
}

// count is how many of the runs are so.
func count(runs []*engine.RunView, so func(*engine.RunView) bool) (n int) {
	for _, v := range runs {
		if so(v) {
			n++
		}
	}
	return n
}

// isRun reports whether a row is one of a run, not of a placement without one.
func isRun(v *engine.RunView) bool { return engine.IsRun(v.ID.Kind()) }

// OfCauses reports whether the list is filtered by what a diagnosis says.
func (l *List) OfCauses() bool { return l.filter.OfCauses() }

// Position says which of the rows the cursor is on; empty when all are on the screen.
func (l *List) Position() string {
	if l := &l.list; len(l.Keys) > l.H {
		return engine.Textf("%d of %d", l.Idx+1, len(l.Keys)).String()
	}
	return ""
}

// divider is the line above WHY: what it is about, and the place of the cursor in the list.
func (l *List) divider(v *engine.RunView) string {
	th, w, below := l.scene.Theme, l.w, l.Position()
	if below != "" {
		below = " " + below + " "
	}
	r := cell.NewRow(th, w, theme.Plain).Fill(theme.Faint, th.Glyph.Rule, 2)
	if v != nil {
		r.To(3).Put(theme.Name|theme.Bold, cell.CutTitle(th, cell.Text(th, column.Title(v)), max(10, w/2))).Put(theme.Sub, "  ")
		body := cell.NewRow(th, w-r.At()-2-cell.Width(below), theme.Plain)
		label.About(th, body, v, l.scene.HubNow())
		r.Join(body)
		r.Gap(1)
	}
	r.Fill(theme.Faint, th.Glyph.Rule, w-cell.Width(below))
	if below != "" {
		r.Put(theme.Sub, below)
	}
	return r.String()
}
