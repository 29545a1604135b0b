// Package runlist is the list of runs with the reasons of the selected one below it:
// its filter, marks, columns and selection. The rows are windowed and cached; package
// list has the measured reason.
package runlist

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/filter"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/list"
	"github.com/stagewatch/stagewatch/ui/reasons"
	"github.com/stagewatch/stagewatch/ui/scene"
	"github.com/stagewatch/stagewatch/ui/selection"
	"github.com/stagewatch/stagewatch/ui/stages"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// List is the list of runs. Waits, Keys and Views may be set by the root model.
type List struct {
	scene *scene.Scene
	hubs  []engine.Text // contexts that may be hubs

	// Waits reports whether a notification is set for a run.
	Waits func(engine.ID) bool
	// Views are the saved ones.
	Views []View
	// Keys are those for the next step of a diagnosis.
	Keys func(*engine.Diagnosis) cell.Spans

	w, h     int
	typing   bool // the filter is being typed
	alone    bool // the reasons of the selected run are part of the list
	list     list.List[engine.ID]
	rows     []*engine.RunView // as listed, after the filter
	filter   filter.Filter
	labels   *selection.Selection // by the label selector of the filter
	shown    filter.Filter        // by which the rows were listed
	problems bool                 // only rows with a problem
	order    order
	view     used
	marks    map[engine.ID]bool
	cols     columns
	chosen   []column.Column          // of the configuration; nil for those that fit
	widest   columns                  // what the columns needed so far, at this width
	measured map[*engine.RunView]bool // views that widest counts
	cache    map[*engine.RunView]cachedRow
	common   []common // of the listed runs
	made     madeOf
	resting  resting
	reasons  drawnReasons
	reading  bool // runs that have succeeded are read for the filter or the order
}

// madeOf is what the listed rows were made of; they are made again only when it
// changes.
type madeOf struct {
	snap     *engine.Snapshot
	filter   string
	selected int
	problems bool
	order    order
	at       time.Time // for a filter that depends on the time
	w        int
	alone    bool
}

// listsAs reports whether the same rows are asked for, in the same order.
func (m *madeOf) listsAs(o madeOf) bool {
	return m.filter == o.filter && m.selected == o.selected && m.problems == o.problems && m.order == o.order
}

// New returns an empty list. hubs are named where the cluster is none; asker answers which runs
// a label selector selects, until ctx ends.
func New(ctx context.Context, sc *scene.Scene, asker selection.Asker, hubs []engine.Text) *List {
	return &List{scene: sc, hubs: hubs, labels: selection.New(ctx, sc, asker)}
}

// Arrange fits the list to the data and to a size. Unless it stands alone, what it
// knows of the selected run is beside it.
func (l *List) Arrange(w, h int, typing, alone bool) {
	l.w, l.h, l.typing, l.alone = w, h, typing, alone
	if l.scene.Snap == nil {
		return
	}
	now := madeOf{snap: l.scene.Snap, filter: l.filter.Text, selected: l.labels.Changes(), problems: l.problems, order: l.order, w: w, alone: alone}
	if l.filter.Timed() {
		now.at = l.scene.HubNow().Truncate(time.Second)
	}
	left := l.resting.held && l.resting.view.ID != l.list.Sel
	if now != l.made || left {
		same := now.listsAs(l.made)
		l.made, l.resting.held = now, l.resting.held && same
		l.rows, l.shown = l.listed(&l.filter), l.filter
		if loose, ok := l.filter.Loosely(); ok && len(l.rows) == 0 {
			l.rows, l.shown = l.listed(&loose), loose
		}
		keys := make([]engine.ID, 0, len(l.rows))
		l.sort(l.rows, l.scene.HubNow())
		if same {
			l.rows = l.rest(l.rows)
		}
		for _, v := range l.rows {
			keys = append(keys, v.ID)
		}
		if !same && !slices.Contains(keys, l.list.Sel) {
			l.list.Idx = 0 // the first match
		}
		l.list.Set(keys)
		l.cols = l.fit(l.scene.Snap.Runs)
		l.common = inCommon(l.rows, len(l.scene.Snap.Hubs) > 0)
		fresh := make(map[*engine.RunView]cachedRow, len(l.cache))
		for _, v := range l.rows {
			if c, ok := l.cache[v]; ok {
				fresh[v] = c
			}
		}
		l.cache = fresh
	}
	if alone {
		l.list.Resize(max(1, l.sharedRows()-l.reasonRows()))
	} else {
		l.list.Resize(max(1, h-1-l.commonRows()))
	}
	l.rests()
}

// listed returns the runs that a filter lists, in the order of the snapshot.
func (l *List) listed(f *filter.Filter) (rows []*engine.RunView) {
	if len(l.scene.Snap.Hubs) > 1 {
		f = f.OfHubs()
	}
	for _, v := range l.scene.Snap.Runs {
		if (!l.problems || v.InTrouble()) && f.Run(v, l.scene.HubNow()) && l.labels.Admits(v) {
			rows = append(rows, v)
		}
	}
	return rows
}

// Update moves the cursor and changes what is listed, and reports whether a does that.
func (l *List) Update(a keymap.Action) bool {
	if l.list.Move(a) {
		return true
	}
	switch a {
	case keymap.Mark:
		l.mark()
	case keymap.OnlyProblems:
		l.problems = !l.problems
	case keymap.NextProblem:
		l.nextProblem()
	case keymap.NextMatch:
		l.nextMatch(1)
	case keymap.PrevMatch:
		l.nextMatch(-1)
	case keymap.Back:
		l.back()
	default:
		return false
	}
	return true
}

// back clears the marks, else the filter.
func (l *List) back() {
	switch {
	case len(l.marks) > 0:
		l.marks = nil
		return
	case l.filter.Text == "" && !l.problems:
		l.scene.Say(theme.Sub, engine.Lit("Nothing to clear; {leave} quits."))
	}
	l.filter, l.problems = filter.Filter{}, false
}

// nextProblem goes to the next run that needs a person.
func (l *List) nextProblem() {
	by := map[engine.ID]*engine.RunView{}
	for _, v := range l.rows {
		by[v.ID] = v
	}
	was := l.list.Sel
	switch found := l.list.Seek(1, func(id engine.ID) bool { return by[id].InTrouble() }); {
	case found && l.list.Sel == was:
		l.scene.Say(theme.Sub, engine.Lit("No other listed run has a problem."))
	case !found && l.filter.On():
		l.scene.Say(theme.Sub, engine.Lit("No listed run has a problem."))
	case !found:
		l.scene.Say(theme.Done, engine.Lit("No run has a problem."))
	}
}

// nextMatch moves among the rows that the filter lists.
func (l *List) nextMatch(d int) {
	if !l.filter.On() {
		l.scene.Say(theme.Sub, engine.Lit("No filter is set: {filter} starts one."))
		return
	}
	l.list.Seek(d, func(engine.ID) bool { return true })
}

// Current returns the run under the cursor, nil when the list is empty.
func (l *List) Current() *engine.RunView {
	if l.list.Idx < len(l.rows) && len(l.rows) > 0 {
		return l.rows[l.list.Idx]
	}
	return nil
}

// Selected returns the selection, which stays while its row is loading.
func (l *List) Selected() engine.ID { return l.list.Sel }

// Select puts the cursor on a run that may not be listed yet.
func (l *List) Select(id engine.ID) { l.list.Sel, l.list.Held = id, true }

// Pick puts the cursor on a listed run; it reports whether it is listed.
func (l *List) Pick(id engine.ID) bool { return l.list.Pick(id) }

// Hold keeps the cursor on its run from here on, wherever that is sorted to.
func (l *List) Hold() { l.list.Held = true }

// Held reports whether the cursor stays on its run.
func (l *List) Held() bool { return l.list.Held }

// At returns the place of the cursor and how many rows there are.
func (l *List) At() (at, of int) { return l.list.Idx, len(l.rows) }

// Window returns the range of rows on the screen.
func (l *List) Window() (from, to int) { return l.list.Window() }

// Scroll moves the cursor by so many rows.
func (l *List) Scroll(rows int) { l.list.By(rows) }

// Listing is what the list shows and where its cursor is.
type Listing struct {
	Sel    engine.ID
	Held   bool // whether the cursor stays on Sel
	Filter string
	// Problems is whether only runs in trouble are listed.
	Problems bool
}

// Listing returns what Return needs to show the list as it is now.
func (l *List) Listing() Listing { return Listing{l.list.Sel, l.list.Held, l.filter.Text, l.problems} }

// Return shows the list as it was at p.
func (l *List) Return(p Listing) {
	l.list.Sel, l.list.Held = p.Sel, p.Held
	l.filter, l.problems = filter.New(p.Filter, l.chosen...), p.Problems
}

// mark marks the run under the cursor, or clears its mark, and goes on to the next.
func (l *List) mark() {
	v := l.Current()
	if v == nil || v.Word == engine.WordNoRun {
		return
	}
	marks := make(map[engine.ID]bool, len(l.marks)+1)
	for id := range l.marks {
		marks[id] = true
	}
	if marks[v.ID] {
		delete(marks, v.ID)
	} else {
		marks[v.ID] = true
	}
	l.marks = marks
	l.list.By(1)
	if n := len(marks); n > 0 {
		l.scene.Say(theme.Text, engine.Textf("%s marked: {approve}, {run}, {stop} and {delete} act on them; {back} clears the marks.", engine.Clean(label.Plural(n, "run"))))
	}
}

// Marked lists the marked runs that still exist, in the order of the list.
func (l *List) Marked() []engine.ID {
	var out []engine.ID
	for _, v := range l.scene.Snap.Runs {
		if l.marks[v.ID] {
			out = append(out, v.ID)
		}
	}
	return out
}

// ClearMarks clears the marks.
func (l *List) ClearMarks() { l.marks = nil }

const (
	markGlyph  = "*"
	awaitGlyph = "w"
)

// markOn is the mark of a row: one for an act goes before one for a notification.
func (l *List) markOn(id engine.ID) string {
	switch {
	case l.marks[id]:
		return markGlyph
	case l.Waits != nil && l.Waits(id):
		return awaitGlyph
	}
	return ""
}

// Hit returns the run whose row is at line y of the list, zero for none.
func (l *List) Hit(y int) engine.ID {
	from, to := l.list.Window()
	if i := from + y - 1; y >= 1 && i < to {
		return l.rows[i].ID
	}
	return engine.ID{}
}

// leastReasons is the height that WHY, RECOVERY and NEXT always have.
func (l *List) leastReasons() int {
	switch {
	case l.h < 11:
		return 2
	case l.h < 15:
		return 3
	case l.h < 19:
		return 5
	case l.h < 25:
		return 7
	case l.h < 35:
		return 6
	}
	return 8
}

// previewRows is the height of the stages of the run under the cursor, which a tall
// terminal has room for, and a lower one when all rows are on screen.
func (l *List) previewRows() int {
	n := stages.BoxRows(2) + 1
	spare := l.h - 2 - n - l.leastReasons()
	if l.h < 39 && (l.h < 25 || spare < len(l.rows)) {
		return 0
	}
	return n
}

// sharedRows is what the rows and the reasons below them share.
func (l *List) sharedRows() int { return l.h - 2 - l.previewRows() }

// mostReasons is the height that the reasons need on a narrow terminal when they are
// long.
const mostReasons = 13

// reasonRows is the height of the reasons: rows that a short list leaves empty are
// theirs, so that no sentence is cut beside a blank. It does not depend on the run
// under the cursor nor on a filter that is being typed, or the line above would jump.
func (l *List) reasonRows() int {
	rows := len(l.rows)
	if l.typing {
		rows = len(l.scene.Snap.Runs)
	}
	return max(l.leastReasons(), min(l.sharedRows()-rows, mostReasons))
}

// View draws the rows, and the stages and reasons of the run under the cursor.
func (l *List) View() string {
	if l.scene.Snap == nil || len(l.scene.Snap.Runs) == 0 {
		return strings.Join(l.emptyView(), "\n")
	}
	out := l.rowLines()
	if !l.alone {
		if from, to := l.list.Window(); to > from {
			out = append(out[:1+to-from], l.belowLines(l.h-1-(to-from))...)
		}
		return strings.Join(out, "\n")
	}
	v := l.Current()
	out = append(out, l.divider(v))
	if n := l.previewRows(); n > 0 {
		var boxes []string
		if v != nil && len(v.Stages) > 0 {
			b := stages.Boxes{Theme: l.scene.Theme, Run: v, Now: l.scene.HubNow(), Chosen: v.At, Tasks: min(2, stages.TaskRows(v))}
			boxes = b.View(l.w)
		}
		out = append(out, cell.Pad(boxes, n)...)
	}
	why := reasons.Reasons{Scene: l.scene, Run: v}
	if v != nil {
		why.Of = &v.Why
		if l.Keys != nil {
			why.Keys = l.Keys(&v.Why)
		}
	}
	return strings.Join(append(out, l.reasons.lines(&why, l.w, l.reasonRows())...), "\n")
}
