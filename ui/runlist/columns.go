package runlist

import (
	"strconv"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/stages"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// cachedRow is a styled row and what it depends on beside its RunView.
type cachedRow struct {
	cols       columns
	th         *theme.Theme
	sel        bool
	mark       string
	state, age string
	s          string
}

// columns are the widths of the columns; 0 hides one.
type columns struct {
	gap, state, run, place, snap, line, at, done, age, limit int
}

const (
	stateWidth = 12 // "NOT ACCEPTED"; a late run needs more
	waitWidth  = 13 // "WAITING 9m59s"
	ageWidth   = 5  // "9m59s"
	// wholeHeads is the width from which no head is shortened. Below it the room
	// is for names.
	wholeHeads = 110
)

// fit fits the columns to the width: names as long as they need, the stage line as
// long as it can be, the placement where there is room for it.
func (l *List) fit(runs []*engine.RunView) columns {
	c := columns{gap: 1, age: ageWidth, limit: l.w - 1}
	if l.w >= wholeHeads {
		c.gap = 2
	}
	// Columns grow and do not shrink again, or they would jump as runs move.
	widest := &l.widest
	if widest.limit != c.limit {
		*widest = columns{state: stateWidth, run: 8, place: 9, snap: 4, at: 5, done: 4, limit: c.limit}
	}
	run, place, snap, at, done := widest.run, widest.place, widest.snap, widest.at, widest.done
	for _, v := range runs {
		run = max(run, cell.Width(cell.Text(l.scene.Theme, label.Title(v))))
		place = max(place, cell.Width(cell.Text(l.scene.Theme, v.Placement.Title())))
		snap = max(snap, cell.Width(cell.Text(l.scene.Theme, label.Snapshot(v))))
		at = max(at, cell.Width(label.Stage(l.scene.Theme, v)))
		done = max(done, len(label.Done(v)))
	}
	widest.run, widest.place, widest.snap, widest.at, widest.done = run, place, snap, at, done
	for _, v := range runs {
		switch {
		case v.Late:
			widest.state = max(widest.state, len(label.State(v, l.scene.HubNow())))
		case v.Word == engine.WordWaiting:
			widest.state = max(widest.state, waitWidth)
		}
	}
	c.state, c.at, c.done, c.snap = widest.state, min(at, 16), min(done, 9), min(snap, 6)
	if l.w >= wholeHeads {
		c.snap, c.done, c.age = len("SNAPSHOT"), max(c.done, len("CLUSTERS")), len("IN STATE")
	}
	if l.w < 66 {
		c.snap = 0
	}
	if l.w < 56 {
		c.at = 0
	}
	free := c.limit - 1 - 2 - c.state - c.done - c.age - 3*c.gap
	for _, n := range []int{c.snap, c.at} {
		if n > 0 {
			free -= n + c.gap
		}
	}
	// run, stage line and their gaps share what is left.
	free -= c.gap
	// A name that is cut may be the wrong name: it goes before the stage line, which
	// says as much in 12 columns.
	c.run = max(8, min(run, max(free*5/10, free-12), 44))
	c.line = max(0, free-c.run)
	if spare := c.line - 36; spare > 18 {
		c.place = min(place, spare-c.gap, 34)
		c.line -= c.place + c.gap
	}
	if c.line > 72 {
		c.line = 72
	}
	if c.line < 6 {
		c.run, c.line = c.run+c.line, 0
	}
	return c
}

// rowLines returns the heading and the rows on screen.
func (l *List) rowLines() []string {
	out := []string{l.head()}
	from, to := l.list.Window()
	for i := from; i < to; i++ {
		out = append(out, l.row(l.rows[i], i == l.list.Idx))
	}
	if len(l.rows) == 0 && l.list.H > 0 {
		what := engine.Lit("No matches; esc clears the filter.")
		if l.problems && !l.filter.On() {
			what = engine.Lit("No run has a problem; esc shows all.")
		}
		out = append(out, cell.NewRow(l.scene.Theme, l.w, theme.Plain).To(3).Text(theme.Sub, what).String())
		from, to = 0, 1
	}
	return cell.Pad(out, len(out)+max(0, l.list.H-(to-from)))
}

func (l *List) head() string {
	c := l.cols
	r := cell.NewRow(l.scene.Theme, l.w, theme.Plain)
	r.To(3).Col(theme.Faint, "STATE", c.state)
	head := func(n int, s string) {
		if n > 0 {
			r.Gap(c.gap)
			r.Col(theme.Faint, s, n)
		}
	}
	head(c.run, "RUN")
	head(c.place, "PLACEMENT")
	snap, done, age := "SNAPSHOT", "CLUSTERS", "IN STATE"
	if l.w < wholeHeads {
		snap, done, age = "SNAP", "CLUS", "TIME"
	}
	head(c.snap, snap)
	head(c.line, "STAGES")
	head(c.at, "STAGE")
	r.Gap(c.gap).Right(theme.Faint, done, c.done)
	r.Gap(c.gap).Right(theme.Faint, age, c.age)
	return r.String()
}

// row returns the styled row, from the cache while nothing in it changed.
func (l *List) row(v *engine.RunView, sel bool) string {
	key := cachedRow{cols: l.cols, th: l.scene.Theme, sel: sel, mark: l.markOn(v.ID), age: label.Age(v, l.scene.HubNow()), state: label.State(v, l.scene.HubNow())}
	if c, ok := l.cache[v]; ok {
		s := c.s
		if c.s = ""; c == key {
			return s
		}
	}
	th, c := l.scene.Theme, l.cols
	g := theme.Plain
	if sel {
		g = theme.Cursor
	}
	r := cell.NewRow(th, l.w, g)
	if sel {
		r.Put(theme.Key, th.Glyph.Cursor)
	}
	calm := !v.Ails() && v.Word != engine.WordRunning
	k := label.StateStyle(v)
	r.To(1).Put(k|theme.Bold, th.Glyph.Words[v.Word])
	if key.mark != "" {
		r.To(2).Put(theme.Key|theme.Bold, key.mark)
	}
	r.To(3).Col(k|theme.Bold, key.state, c.state)
	name, sub := theme.Name, theme.Text
	if calm && !sel {
		name, sub = theme.Text, theme.Sub
	}
	r.Gap(c.gap).Put(name, cell.CutTitle(th, cell.Text(th, label.Title(v)), c.run)).To(3 + c.state + c.gap + c.run)
	column := func(n int, k theme.Style, s string) {
		if n > 0 {
			r.Gap(c.gap).Col(k, s, n)
		}
	}
	if c.place > 0 {
		column(c.place, theme.Sub, cell.CutTitle(th, cell.Text(th, v.Placement.Title()), c.place))
	}
	snap := theme.Sub
	if v.Index.IsZero() {
		snap = theme.Faint // only asked for
	}
	column(c.snap, snap, cell.Text(th, label.Snapshot(v)))
	if c.line > 0 {
		r.Gap(c.gap)
		end := r.At() + c.line
		stages.Line(th, r, v, c.line)
		r.To(end)
	}
	column(c.at, theme.Sub, label.Stage(l.scene.Theme, v))
	r.Gap(c.gap).Right(sub, label.Done(v), c.done)
	r.Gap(c.gap).Right(theme.Sub, key.age, c.age)
	key.s = r.String()
	s := key.s
	l.cache[v] = key
	return s
}

// Counts is how many rows there are and how many are shown.
func (l *List) Counts() string {
	if l.scene.Snap == nil {
		return ""
	}
	n := len(l.scene.Snap.Runs)
	s := label.Plural(n, "run")
	if !l.scene.Snap.Complete {
		s = "loading, " + strconv.Itoa(n) + " so far"
	}
	if shown := len(l.rows); l.scene.Snap.Complete && shown != n {
		s = strconv.Itoa(shown) + " of " + s
	}
	return s
}
