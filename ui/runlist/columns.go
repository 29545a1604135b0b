package runlist

import (
	"strconv"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/stages"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// maxColumns bounds the columns of the list, maxTimed those whose cells depend on the
// time: arrays compare without an allocation.
const maxColumns, maxTimed = column.Most + 1, 3

// cachedRow is a styled row and what it depends on beside its RunView.
type cachedRow struct {
	cols  columns
	th    *theme.Theme
	sel   bool
	mark  string
	stale bool
	words string                // of the filter, which are marked
	timed [maxTimed]engine.Text // the cells that depend on the time
	s     string
}

// columns are the widths of the columns of package column, in its order; 0 hides one.
type columns struct {
	gap, limit int
	width      [maxColumns]int
}

const (
	stateWidth = 12 // "NOT ACCEPTED"; a late run needs more
	waitWidth  = 13 // "WAITING 9m59s"
	// wholeHeads is the width from which no head is shortened, wholeHeadsBeside that of a list
	// with panes beside it. Below it the room is for names and causes.
	wholeHeads, wholeHeadsBeside = 110, 132
	// shortLine is the length at which the stage line still says where a run is,
	// longestName what the name of a run gets at most.
	shortLine, longestName = 12, 44
	// narrowHub is what the name of a hub gets where there is no room for causes: its beginning and its end.
	narrowHub = 9
)

// short reports whether heads are shortened.
func (l *List) short() bool { return l.w < wholeHeads || !l.alone && l.w < wholeHeadsBeside }

// fit fits the columns to the width: names as long as they need, the stage line as
// long as it can be, the placement where there is room for it.
func (l *List) fit(runs []*engine.RunView) columns {
	c := columns{gap: 1, limit: l.w - 1}
	if !l.short() {
		c.gap = 2
	}
	all := l.all()
	widest := l.widen(runs, c.limit)
	for i := range all {
		widest[i] = max(widest[i], l.headWidth(&all[i]))
	}
	if l.chosen != nil {
		return l.fitChosen(c, widest)
	}
	causes := !l.alone || l.w >= column.CauseFrom
	narrow := len(l.scene.Snap.Hubs) > 0 && !causes
	var run, place, line, cause *int
	free := c.limit - 1 - 2 - c.gap // the cursor, a mark, the gap before the stage line
	for i := range all {
		switch col, n := &all[i], &c.width[i]; {
		case col.Wide, col.Hubs && len(l.scene.Snap.Hubs) == 0:
		case col.Drawn:
			line = n
		case col.Name == "run":
			run, *n = n, widest[i]
		case col.Name == "placement":
			place, *n = n, widest[i]
		case col.Name == "cause":
			cause, *n = n, min(widest[i], col.Max)
		case l.w >= col.From && (!causes || l.w >= col.BesideCause) && (!narrow || col.BesideCause < wholeHeads):
			*n = max(widest[i], col.Min)
			if col.Max > 0 {
				*n = min(*n, col.Max)
			}
			if narrow && col.Hubs {
				*n = min(*n, narrowHub)
			}
			if !l.short() {
				*n = max(*n, l.headWidth(col))
			}
			free -= *n + c.gap
		}
	}
	if causes {
		free -= c.gap
		if l.alone {
			shareWithCause(run, line, cause, free)
		} else {
			namesFirst(run, line, cause, free)
		}
	} else {
		// A name that is cut may be the wrong name: it goes before the stage line, which
		// says as much in 12 columns.
		*cause, *run = 0, max(8, min(*run, max(free*5/10, free-shortLine), longestName))
		*line = max(0, free-*run)
	}
	want := *place
	*place = 0
	if spare := *line - longLine; spare > 18 {
		*place = min(want, spare-c.gap, 34)
		*line -= *place + c.gap
	}
	*line = min(*line, longestLine)
	if *line < 6 {
		*run, *line = *run+*line, 0
	}
	return c
}

// headWidth is the width of a head, with the cell of the arrow in a column that the list is
// sorted by.
func (l *List) headWidth(c *column.Column) int {
	n := len(c.HeadFor(l.short()))
	if l.order.by == c.Word() {
		n++
	}
	return n
}

// shareWithCause shares free cells among the name of a run, its stage line and its cause:
// the name gets most, since a name that is cut may be the wrong one.
func shareWithCause(run, line, cause *int, free int) {
	*line = min(max(shortLine, free/5), longLine)
	free -= *line
	*run = max(8, min(*run, longestName, max(free*55/100, free-*cause)))
	*cause = max(0, min(*cause, free-*run))
	*line += free - *run - *cause
}

// A cause still says something in leastCause cells, enough beside a stage line in goodCause,
// and in wholeCause most are whole.
const leastCause, goodCause, wholeCause = 12, 20, 32

// namesFirst shares free cells in a list beside which the stages of the selected run stand:
// two runs must not look the same, so their names come before the stage line. Names that
// are too long for that are cut so that most causes are whole.
func namesFirst(run, line, cause *int, free int) {
	want := min(*run, longestName)
	*run = max(8, min(want, max(free/2, free-min(*cause, wholeCause)), free-leastCause))
	if free -= *run; *run < want || free < shortLine+goodCause {
		*line, *cause = 0, max(0, free)
		return
	}
	*cause = min(*cause, free-shortLine)
	*line = min(free-*cause, longestLine)
}

// widen measures the cells of runs, each view once. Columns grow and do not shrink again at one
// width, or they would jump as runs move.
func (l *List) widen(runs []*engine.RunView, limit int) *[maxColumns]int {
	all, widest, measured := l.all(), &l.widest, l.measured
	if widest.limit != limit {
		*widest, measured = columns{limit: limit}, nil
		for i := range all {
			widest.width[i] = len(all[i].HeadFor(l.short()))
			if all[i].Name == "state" {
				widest.width[i] = max(widest.width[i], stateWidth)
			}
		}
	}
	l.measured = make(map[*engine.RunView]bool, len(runs))
	for _, v := range runs {
		if l.measured[v] = true; measured[v] {
			continue
		}
		for i := range all {
			col, n := &all[i], &widest.width[i]
			switch {
			case col.Text == nil, col.Wide && l.chosen == nil:
			case col.Name == "state" && v.Late:
				*n = max(*n, cell.Width(cell.Text(l.scene.Theme, column.State(v))))
			case col.Name == "state" && v.Word == engine.WordWaiting:
				*n = max(*n, waitWidth)
			case col.Name == "state", col.Timed: // those of Timed change each second: Min is wide enough
			default:
				*n = max(*n, cell.Width(cell.Text(l.scene.Theme, col.Text(v, l.scene.HubNow()))))
			}
		}
	}
	return &widest.width
}

// rowLines returns the heading and the rows on screen.
func (l *List) rowLines() []string {
	out := []string{l.head()}
	from, to := l.list.Window()
	for i := from; i < to; i++ {
		out = append(out, l.row(l.rows[i], i == l.list.Idx))
	}
	if len(l.rows) == 0 && l.list.H > 0 {
		out = append(out, cell.NewRow(l.scene.Theme, l.w, theme.Plain).To(3).Text(theme.Sub, l.noMatches()).String())
		from, to = 0, 1
	}
	return cell.Pad(out, len(out)+max(0, l.list.H-(to-from)))
}

func (l *List) head() string {
	r := cell.NewRow(l.scene.Theme, l.w, theme.Plain).To(3)
	all, first := l.all(), true
	for i := range all {
		n := l.cols.width[i]
		if n == 0 {
			continue
		}
		if !first {
			r.Gap(l.cols.gap)
		}
		first = false
		head, k := all[i].HeadFor(l.short()), theme.Faint
		if l.order.by == all[i].Word() {
			head, k = l.order.mark(l.scene.Theme, head, n), theme.Key|theme.Bold
		}
		put(r, k, &all[i], head, n)
	}
	return r.String()
}

// put writes a cell of a column into n cells of the terminal.
func put(r *cell.Row, k theme.Style, c *column.Column, s string, n int) {
	if c.Right {
		r.Right(k, s, n)
		return
	}
	r.Col(k, s, n)
}

// putMarked writes a cell whose bytes at marks stand out.
func putMarked(r *cell.Row, k theme.Style, s string, marks []int, n int) {
	end, from := r.At()+n, 0
	for i := 0; i < len(marks); {
		j := i + 1
		for j < len(marks) && marks[j] == marks[j-1]+1 {
			j++
		}
		r.Put(k, s[from:marks[i]]).Put(theme.Wait|theme.Bold, s[marks[i]:marks[j-1]+1])
		from, i = marks[j-1]+1, j
	}
	r.Put(k, s[from:]).To(end)
}

// row returns the styled row, from the cache while nothing in it changed.
func (l *List) row(v *engine.RunView, sel bool) string {
	th, all, now := l.scene.Theme, l.all(), l.scene.NowOf(v.ID)
	key := cachedRow{cols: l.cols, th: th, sel: sel, mark: l.markOn(v.ID), stale: l.scene.Of(v.ID).Link.StaleFor(v), words: l.filter.Text}
	timed := 0
	for i := range all {
		if all[i].Timed && l.cols.width[i] > 0 {
			key.timed[timed] = all[i].Text(v, now)
			timed++
		}
	}
	if c, ok := l.cache[v]; ok {
		s := c.s
		if c.s = ""; c == key {
			return s
		}
	}
	g := theme.Plain
	if sel {
		g = theme.Cursor
	}
	r := cell.NewRow(th, l.w, g)
	if sel {
		r.Put(theme.Key, th.Glyph.Cursor)
	}
	r.To(1).Put(label.StateStyle(v)|theme.Bold, th.Glyph.Words[v.Word])
	if key.mark != "" {
		r.To(2).Put(theme.Key|theme.Bold, key.mark)
	}
	r.To(3)
	timed = 0
	first := true
	for i := range all {
		c, n := &all[i], l.cols.width[i]
		if n == 0 {
			continue
		}
		if !first {
			r.Gap(l.cols.gap)
		}
		first = false
		if c.Drawn {
			end := r.At() + n
			stages.Line(th, r, v, n)
			r.To(end)
			continue
		}
		var x engine.Text
		if c.Timed {
			x = key.timed[timed]
			timed++
		} else {
			x = c.Text(v, now)
		}
		s := cell.Text(th, x)
		switch {
		case c.Name == "run", c.Name == "placement":
			s = cell.CutTitle(th, s, n)
		case c.Name == "hub":
			s = cell.CutMiddle(th, s, n)
		case c.Name == "cause" && !v.Why.Short.IsZero():
			s = cell.CutPhrase(th, s, cell.Text(th, column.CausePlace(v)), n)
		case x.IsZero() && c.IsField() && v.Fields != nil:
			s = "-"
		}
		if marks := l.shown.Marks(s); c.Name == "run" && len(marks) > 0 {
			putMarked(r, cellStyle(c, v, sel), s, marks, n)
			continue
		}
		k := cellStyle(c, v, sel)
		if c.Name == "hub" && l.scene.OfHub(v.ID.Hub()) != theme.Name {
			k = l.scene.OfHub(v.ID.Hub())
		}
		put(r, k, c, s, n)
	}
	key.s = r.String()
	if key.stale && !sel {
		key.s = th.Behind(key.s)
	}
	s := key.s
	l.cache[v] = key
	return s
}

// cellStyle is the style of a cell; calm runs are dimmer than those to look at.
func cellStyle(c *column.Column, v *engine.RunView, sel bool) theme.Style {
	bright := sel || v.InTrouble() || v.Word == engine.WordRunning
	switch c.Name {
	case "state":
		return label.StateStyle(v) | theme.Bold
	case "run":
		if bright {
			return theme.Name
		}
		return theme.Text
	case "clusters", "cause":
		if bright && (c.Name == "clusters" || sel || v.Kept == nil) { // what was read earlier is dimmer
			return theme.Text
		}
	case "snapshot":
		if v.Index.IsZero() {
			return theme.Faint // only asked for
		}
	}
	return theme.Sub
}

// Counts is how many runs there are and how many are shown. Rows of placements without a run are not counted.
func (l *List) Counts() string {
	if l.scene.Snap == nil {
		return ""
	}
	n := count(l.scene.Snap.Runs, isRun)
	s := label.Plural(n, "run")
	hubs, whole := len(l.scene.Snap.Hubs), 0
	for _, h := range l.scene.Snap.Hubs {
		if h.Complete {
			whole++
		}
	}
	switch {
	case l.scene.Snap.Complete:
	case l.cutOff():
		s += ", more exist"
	case n == 0 && !l.loads(): // not permitted, for one: the list says why
		s = "no runs read"
	case whole > 0:
		s += " of " + strconv.Itoa(whole) + "/" + strconv.Itoa(hubs) + " hubs"
	default:
		s += " so far"
	}
	switch shown := count(l.rows, isRun); {
	case !l.scene.Snap.Complete:
	case shown == 0 && len(l.rows) > 0:
		s = label.Plural(len(l.rows), "placement")
	case shown == n:
	default:
		s = strconv.Itoa(shown) + " of " + s
	}
	return s
}
