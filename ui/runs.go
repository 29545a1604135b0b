package ui

import (
	"strconv"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/filter"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/list"
	"github.com/stagewatch/stagewatch/ui/stages"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// runsPane is the list of runs.
type runsPane struct {
	list     list.List[engine.ID]
	rows     []*engine.RunView // as listed, after the filter
	filter   filter.Filter
	problems bool // only rows with a problem
	marks    map[engine.ID]bool
	cols     runCols
	most     runCols // what the columns would have liked, so far, at this width
	cache    map[*engine.RunView]cachedRow
	made     madeOf
}

// madeOf is what the listed rows were made of; they are made anew only when
// it changes.
type madeOf struct {
	snap     *engine.Snapshot
	filter   string
	problems bool
	w        int
}

// cachedRow is a styled row and what it depends on beside its RunView.
type cachedRow struct {
	cols      runCols
	th        *theme.Theme
	sel       bool
	mark      string
	word, age string
	s         string
}

// runCols are the widths of the columns; 0 hides one.
type runCols struct {
	gap, word, run, place, snap, line, at, done, age, limit int
}

const (
	wordWidth = 12 // "NOT ACCEPTED"; a late run needs more
	ageWidth  = 4
	// wholeHeads is the width from which no head is shortened. Below it the room
	// is for names.
	wholeHeads = 110
)

func (m *Model) arrangeRuns() {
	p := &m.runs
	if now := (madeOf{m.scene.Snap, p.filter.Text, p.problems, m.look.w}); now != p.made {
		p.made = now
		p.rows = p.rows[:0:0]
		keys := make([]engine.ID, 0, len(m.scene.Snap.Runs))
		for _, v := range m.scene.Snap.Runs {
			if p.problems && !v.Ails() {
				continue
			}
			if !p.filter.Run(v) {
				continue
			}
			p.rows = append(p.rows, v)
			keys = append(keys, v.ID)
		}
		p.list.Set(keys)
		p.cols = m.runCols(m.scene.Snap.Runs)
		fresh := make(map[*engine.RunView]cachedRow, len(p.cache))
		for _, v := range p.rows {
			if c, ok := p.cache[v]; ok {
				fresh[v] = c
			}
		}
		p.cache = fresh
	}
	p.list.Resize(m.runsHeight())
}

// current returns the row under the cursor, nil when the list is empty.
func (p *runsPane) current() *engine.RunView {
	if p.list.Idx < len(p.rows) && len(p.rows) > 0 {
		return p.rows[p.list.Idx]
	}
	return nil
}

// runCols fits the columns to the width: names as long as they need, the
// thread as long as it can be, the placement where there is room for it.
func (m *Model) runCols(runs []*engine.RunView) runCols {
	c := runCols{gap: 1, word: wordWidth, age: ageWidth, limit: m.look.w - 1}
	if m.look.w >= wholeHeads {
		c.gap = 2
	}
	// Columns grow and do not shrink again, or they would jump as runs move.
	most := &m.runs.most
	if most.limit != c.limit {
		*most = runCols{run: 8, place: 9, snap: 4, at: 5, done: 4, limit: c.limit}
	}
	run, place, snap, at, done := most.run, most.place, most.snap, most.at, most.done
	for _, v := range runs {
		run = max(run, cell.Width(cell.Text(m.scene.Theme, label.Title(v))))
		place = max(place, cell.Width(cell.Text(m.scene.Theme, v.Placement.Title())))
		snap = max(snap, cell.Width(cell.Text(m.scene.Theme, label.Snapshot(v))))
		at = max(at, cell.Width(label.Stage(m.scene.Theme, v)))
		done = max(done, len(label.Done(v)))
	}
	most.run, most.place, most.snap, most.at, most.done = run, place, snap, at, done
	for _, v := range runs {
		if v.Late {
			c.word = max(c.word, len(label.State(v, m.scene.HubNow())))
		}
	}
	c.at, c.done, c.snap = min(at, 16), min(done, 9), min(snap, 6)
	if m.look.w >= wholeHeads {
		c.snap, c.done, c.age = len("SNAPSHOT"), max(c.done, len("CLUSTERS")), len("IN STATE")
	}
	if m.look.w < 66 {
		c.snap = 0
	}
	if m.look.w < 56 {
		c.at = 0
	}
	free := c.limit - 1 - 2 - c.word - c.done - c.age - 3*c.gap
	for _, n := range []int{c.snap, c.at} {
		if n > 0 {
			free -= n + c.gap
		}
	}
	// run, thread and their gaps share what is left.
	free -= c.gap
	// A name that is cut may be the wrong name: it goes before the thread,
	// which tells as much in 12 columns.
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

// runsView returns the heading and the rows on screen.
func (m *Model) runsView(out []string) []string {
	p := &m.runs
	out = append(out, m.runsHead())
	from, to := p.list.Window()
	for i := from; i < to; i++ {
		m.note(spot{y: len(out), to: m.look.w, kind: spotRun, id: p.rows[i].ID})
		out = append(out, m.runRow(p.rows[i], i == p.list.Idx))
	}
	if len(p.rows) == 0 && p.list.H > 0 {
		what := engine.Lit("No matches; esc clears the filter.")
		if p.problems && !p.filter.On() {
			what = engine.Lit("No run has a problem; esc shows all.")
		}
		out = append(out, cell.NewRow(m.scene.Theme, m.look.w, theme.Plain).To(3).Text(theme.Sub, what).String())
		from, to = 0, 1
	}
	for i := to - from; i < p.list.H; i++ {
		out = append(out, "")
	}
	return out
}

func (m *Model) runsHead() string {
	c := m.runs.cols
	r := cell.NewRow(m.scene.Theme, m.look.w, theme.Plain)
	r.To(3).Col(theme.Faint, "STATE", c.word)
	head := func(n int, s string) {
		if n > 0 {
			r.Gap(c.gap)
			r.Col(theme.Faint, s, n)
		}
	}
	head(c.run, "RUN")
	head(c.place, "PLACEMENT")
	snap, done, age := "SNAPSHOT", "CLUSTERS", "IN STATE"
	if m.look.w < wholeHeads {
		snap, done, age = "SNAP", "CLUS", "TIME"
	}
	head(c.snap, snap)
	head(c.line, "STAGES")
	head(c.at, "STAGE")
	r.Gap(c.gap).Right(theme.Faint, done, c.done)
	r.Gap(c.gap).Right(theme.Faint, age, c.age)
	return r.String()
}

// runRow returns the styled row, from the cache while nothing in it changed.
func (m *Model) runRow(v *engine.RunView, sel bool) string {
	key := cachedRow{cols: m.runs.cols, th: m.scene.Theme, sel: sel, mark: m.markOn(v.ID), age: label.Age(v, m.scene.HubNow()), word: label.State(v, m.scene.HubNow())}
	if c, ok := m.runs.cache[v]; ok {
		s := c.s
		if c.s = ""; c == key {
			return s
		}
	}
	th, c := m.scene.Theme, m.runs.cols
	g := theme.Plain
	if sel {
		g = theme.Cursor
	}
	r := cell.NewRow(th, m.look.w, g)
	if sel {
		r.Put(theme.Key, th.Glyph.Cursor)
	}
	calm := !v.Ails() && v.Word != engine.WordRunning
	k := label.StateStyle(v)
	r.To(1).Put(k|theme.Bold, th.Glyph.Words[v.Word])
	if key.mark != "" {
		r.To(2).Put(theme.Key|theme.Bold, key.mark)
	}
	r.To(3).Col(k|theme.Bold, key.word, c.word)
	name, sub := theme.Name, theme.Text
	if calm && !sel {
		name, sub = theme.Text, theme.Sub
	}
	r.Gap(c.gap).Put(name, cell.CutTitle(th, cell.Text(th, label.Title(v)), c.run)).To(3 + c.word + c.gap + c.run)
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
	column(c.at, theme.Sub, label.Stage(m.scene.Theme, v))
	r.Gap(c.gap).Right(sub, label.Done(v), c.done)
	r.Gap(c.gap).Right(theme.Sub, key.age, c.age)
	key.s = r.String()
	s := key.s
	m.runs.cache[v] = key
	return s
}

// counts tells how many rows there are and how many are shown.
func (m *Model) counts() string {
	if m.scene.Snap == nil {
		return ""
	}
	n := len(m.scene.Snap.Runs)
	s := label.Plural(n, "run")
	if !m.scene.Snap.Complete {
		s = "loading, " + strconv.Itoa(n) + " so far"
	}
	if shown := len(m.runs.rows); m.scene.Snap.Complete && shown != n {
		s = strconv.Itoa(shown) + " of " + s
	}
	return s
}
