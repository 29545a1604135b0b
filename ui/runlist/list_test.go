package runlist

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/internal/situation"
	"github.com/stagewatch/stagewatch/ui/scene"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// listed returns a list of runs in a size.
func listed(t *testing.T, s *engine.Snapshot, w, h int) *List {
	l := New(t.Context(), &scene.Scene{Theme: theme.New(true, false, false), Now: situation.Now, Snap: s}, nil, nil)
	l.Arrange(w, h, false, true)
	return l
}

// View is called after every message: a row that did not change costs no drawing.
func TestWarmRowsAreNotDrawnAgain(t *testing.T) {
	s := situation.Snapshot()
	for i := range 1000 {
		v := *s.Runs[i%19]
		v.ID = situation.RunID("ns", situation.Text("%s-%d", v.ID.Name(), i).String())
		s.Runs = append(s.Runs, &v)
	}
	l := listed(t, s, 120, 35)
	l.View()
	v := l.rows[5]
	if n := testing.AllocsPerRun(100, func() { l.row(v, false) }); n > 2 {
		t.Errorf("%.0f allocations for a warm row", n)
	}
	if len(l.cache) > l.list.H {
		t.Errorf("%d rows cached for a window of %d", len(l.cache), l.list.H)
	}
	before := l.row(v, false)
	l.scene.Now = situation.Now.Add(3 * time.Minute)
	if l.row(v, false) == before {
		t.Error("a row kept its age for three minutes")
	}
	l.Arrange(90, 35, false, true)
	if l.row(v, false) == before {
		t.Error("a row kept its width")
	}
}

// TestAFilterSelectsItsFirstMatch checks that the cursor is on the first row that a filter lists,
// unless it lists the selected one.
func TestAFilterSelectsItsFirstMatch(t *testing.T) {
	l := listed(t, situation.Snapshot(), 120, 35)
	l.Update(keymap.Bottom)
	last := l.Selected()
	l.SetFilter("state:running")
	l.Arrange(120, 35, false, true)
	if at, of := l.At(); at != 0 || of < 2 || l.Selected() == last {
		t.Fatalf("row %d of %d", at, of)
	}
	was := l.Selected()
	l.SetFilter("")
	l.Arrange(120, 35, false, true)
	if l.Selected() != was {
		t.Errorf("without the filter %s is selected, was %s", l.Selected().Title(), was.Title())
	}
}

func TestColumnsDoNotJump(t *testing.T) {
	s := situation.Snapshot()
	l := listed(t, s, 80, 19)
	was := l.cols
	less := *s
	less.Runs = less.Runs[len(less.Runs)-1:]
	l.scene.Snap = &less
	l.Arrange(80, 19, false, true)
	if l.cols != was {
		t.Errorf("columns went from %+v to %+v", was, l.cols)
	}
	l.Arrange(81, 19, false, true)
	if l.cols == was {
		t.Error("another width keeps the columns")
	}
}

// TestSortedHeadIsWhole checks that the arrow of the order takes no letter of a head, among
// the columns that fit and among chosen ones, where heads are whole and where they are short.
func TestSortedHeadIsWhole(t *testing.T) {
	for _, chosen := range [][]column.Column{nil, column.Chosen([]string{"run", "state", "age", "instate", "clusters", "snapshot"}, nil)} {
		for _, width := range []int{100, 120, 160} {
			for _, c := range column.Sortable(chosen) {
				l := listed(t, situation.Snapshot(), width, 20)
				l.Columns(chosen)
				l.Arrange(width, 20, false, true)
				at := slices.IndexFunc(l.all(), func(x column.Column) bool { return x.Word() == c.Word() })
				if at < 0 || l.cols.width[at] == 0 {
					continue // not shown at this width
				}
				for _, desc := range []bool{false, true} {
					l.SortBy(c.Word(), desc)
					l.Arrange(width, 20, false, true)
					want := c.HeadFor(width < wholeHeads)
					if by, _ := l.Sorted(); by != "" {
						want = l.order.mark(l.scene.Theme, want, len(want)+1)
					}
					if head := ansi.Strip(l.head()); !strings.Contains(head, want) {
						t.Errorf("%d columns, %d chosen, by %s: no %s in %q", width, len(chosen), c.Word(), want, head)
					}
				}
			}
		}
	}
}

// What the mouse hits is the row that is drawn there.
func TestHitFindsTheRowThatIsDrawn(t *testing.T) {
	l := listed(t, situation.Snapshot(), 100, 20)
	for _, at := range []int{0, 7, 18} {
		l.list.To(at)
		l.Arrange(100, 20, false, true)
		from, to := l.Window()
		for y, line := range strings.Split(ansi.Strip(l.View()), "\n") {
			id := l.Hit(y)
			if y == 0 || y > to-from {
				if !id.IsZero() {
					t.Errorf("line %d hits %v", y, id.Title())
				}
				continue
			}
			if !strings.Contains(line, column.Title(l.rows[from+y-1]).String()) || id != l.rows[from+y-1].ID {
				t.Errorf("line %d hits %v:\n%s", y, id.Title(), line)
			}
		}
	}
}

// Runs that differ only in their hub are two rows: the cursor, the selection and the
// marks tell them apart, also when they change places.
func TestRunsOfTwoHubsAreTwoRows(t *testing.T) {
	s := situation.Snapshot()
	one, other := *s.Runs[0], *s.Runs[0]
	one.ID, other.ID = one.ID.On(engine.NewHubName("prod", "")), other.ID.On(engine.NewHubName("test", ""))
	s.Runs = []*engine.RunView{&one, &other}
	l := listed(t, s, 120, 30)
	if !l.Pick(other.ID) || l.Current() != &other || l.Selected() != other.ID {
		t.Fatalf("selected %v", l.Selected())
	}
	l.mark()
	l.Pick(other.ID)
	turned := *s
	turned.Runs = []*engine.RunView{&other, &one}
	l.scene.Snap = &turned
	l.Arrange(120, 30, false, true)
	if at, of := l.At(); at != 0 || of != 2 || l.Current() != &other {
		t.Errorf("the cursor is on row %d of %d", at, of)
	}
	if m := l.Marked(); len(m) != 1 || m[0] != other.ID {
		t.Errorf("marked are %v", m)
	}
}

// TestStaleRowsRecede checks that only the rows of sets that may be old recede, as soon as
// they are, and that they come back (docs/promises.md#i1).
func TestStaleRowsRecede(t *testing.T) {
	s := situation.Snapshot()
	l := listed(t, s, 120, 35)
	drawn := func() map[*engine.RunView]string {
		out := map[*engine.RunView]string{}
		for _, v := range l.rows {
			out[v] = l.row(v, false)
		}
		return out
	}
	fresh := drawn()
	s.Link.Stale = []engine.StaleSet{{Kind: engine.KindApprovalRequest}}
	stale, receded := drawn(), 0
	for v, row := range stale {
		if want := v.ID.Kind().Namespaced(); want != (row != fresh[v]) || want && row != l.scene.Theme.Behind(fresh[v]) {
			t.Errorf("%v: %q, fresh %q", v.ID, row, fresh[v])
		} else if want {
			receded++
		}
	}
	if receded == 0 || receded == len(stale) {
		t.Errorf("%d of %d rows recede", receded, len(stale))
	}
	s.Link.Stale = nil
	for v, row := range drawn() {
		if row != fresh[v] {
			t.Errorf("%v stays %q", v.ID, row)
		}
	}
}

// TestNamesAndCausesBesideAPane holds what a list pane gives to names and causes: of a cause
// enough is left to tell two runs apart, and the stage line comes last.
func TestNamesAndCausesBesideAPane(t *testing.T) {
	for _, tt := range []struct{ name, cause, free, run, line, left int }{
		{29, 44, 63, 29, 12, 22}, // a wide pane has all three
		{37, 44, 63, 31, 0, 32},  // long names take the stage line, and leave room for most causes
		{37, 20, 63, 37, 0, 26},  // short causes leave room for long names
		{37, 44, 52, 26, 0, 26},
		{37, 44, 40, 20, 0, 20},
		{10, 12, 63, 10, 41, 12}, // short names and causes leave room for the stage line
		{37, 44, 14, 8, 0, 6},
	} {
		run, line, cause := tt.name, 0, tt.cause
		namesFirst(&run, &line, &cause, tt.free)
		if run != tt.run || line != tt.line || cause != tt.left {
			t.Errorf("name %d, cause %d in %d cells: run %d, stages %d, cause %d; want %d, %d, %d", tt.name, tt.cause, tt.free, run, line, cause, tt.run, tt.line, tt.left)
		}
	}
}

// TestACauseIsCutAtItsPlace checks that a cause that is cut in the list of two panes says what
// is wrong before it says where, also beside long names.
func TestACauseIsCutAtItsPlace(t *testing.T) {
	s := situation.Snapshot()
	for i, v := range s.Runs {
		r := *v
		r.ID = situation.RunID("team-payments", situation.Text("approval-not-accepted-%d", i).String())
		r.Why.Short = engine.Lit("webhook policy.example denied Deployment web on weu-canary-1")
		s.Runs[i] = &r
	}
	l := New(t.Context(), &scene.Scene{Theme: theme.New(true, false, false), Now: situation.Now, Snap: s}, nil, nil)
	l.Arrange(89, 40, false, false)
	if got := ansi.Strip(l.row(l.rows[0], false)); !strings.Contains(got, "webhook policy.example denied D…") {
		t.Errorf("the cause is cut in another place: %q", got)
	}
}

// TestNoAccess: a login that failed says nothing about permissions.
func TestNoAccess(t *testing.T) {
	for failed, want := range map[bool]string{true: "The login to this hub failed.", false: "You may not list runs on this hub."} {
		s := &engine.Snapshot{Link: engine.Link{State: engine.LinkRefused, LoginFailed: failed, Err: engine.Lit("the reason"), Hint: engine.Lit("the hint")}}
		view := ansi.Strip(listed(t, s, 80, 20).View())
		i, j := strings.Index(view, want), strings.Index(view, "the reason")
		if i < 0 || j < i || strings.Contains(view, "may not list") == failed {
			t.Errorf("login failed %t:\n%s", failed, view)
		}
	}
}

// TestWhatIsDrawnOnceIsCurrent checks that a list which was drawn before looks as a new one after
// anything has changed that its reasons are drawn from.
func TestWhatIsDrawnOnceIsCurrent(t *testing.T) {
	s := situation.Snapshot()
	w, h, th := 120, 35, theme.New(true, false, false)
	keys := func(*engine.Diagnosis) cell.Spans { return nil }
	draw := func(l *List) string {
		l.scene.Snap, l.scene.Theme, l.Keys = s, th, keys
		l.Arrange(w, h, false, true)
		return l.View()
	}
	used := listed(t, s, w, h)
	last := draw(used)
	for name, change := range map[string]func(){
		"width":  func() { w = 90 },
		"height": func() { h = 30 },
		"theme":  func() { th = theme.New(true, true, false) },
		"keys": func() {
			keys = func(*engine.Diagnosis) cell.Spans {
				return cell.Spans{cell.Styled(theme.Key, "K"), cell.Styled(theme.Sub, " act")}
			}
		},
		"run": func() {
			next, v := *s, *s.Runs[0]
			v.Why.What = situation.Text("Something else is wrong with it.")
			next.Runs = append([]*engine.RunView{&v}, s.Runs[1:]...)
			s = &next
		},
	} {
		change()
		got := draw(used)
		if got == last {
			t.Errorf("%s: nothing is drawn anew", name)
		}
		if last = got; got != draw(listed(t, s, w, h)) {
			t.Errorf("%s: differs from a new list", name)
		}
	}
}

// TestWhatWasReadEarlierIsDimmer checks the style of a cause whose bindings are not read any more.
func TestWhatWasReadEarlierIsDimmer(t *testing.T) {
	c, ok := column.Find(nil, "cause")
	if !ok {
		t.Fatal("no column")
	}
	v := *situation.Snapshot().Runs[0]
	for _, tt := range []struct {
		kept *engine.Kept
		sel  bool
		want theme.Style
	}{{nil, false, theme.Text}, {&engine.Kept{}, false, theme.Sub}, {&engine.Kept{}, true, theme.Text}} {
		v.Kept = tt.kept
		if got := cellStyle(c, &v, tt.sel); got != tt.want {
			t.Errorf("kept %v, under the cursor %v: style %v, want %v", tt.kept != nil, tt.sel, got, tt.want)
		}
	}
}

// TestAFilterByStagesWithoutMatches checks that the list says which runs a filter by a stage does not find, if it finds nothing.
func TestAFilterByStagesWithoutMatches(t *testing.T) {
	l := listed(t, situation.Snapshot(), 80, 24)
	for filter, want := range map[string]bool{"stage:nowhere": true, "cluster:nowhere": false, "run:nowhere": false, "stage:* run:nowhere": false} {
		l.SetFilter(filter)
		l.Arrange(80, 24, false, true)
		got := ansi.Strip(l.View())
		if !strings.Contains(got, "No matches") || strings.Contains(got, "Finished runs have no stage:.") != want {
			t.Errorf("filter %q: %s", filter, got)
		}
	}
}

// TestAFilterByCausesNamesWhatIsNotRead checks that a filter by causes says of how many runs it waits
// for the bindings, also in a narrow terminal.
func TestAFilterByCausesNamesWhatIsNotRead(t *testing.T) {
	s := situation.Snapshot()
	for i, v := range s.Runs {
		v.Why.Bindings, v.Read, v.Word = i < 4, i < 2, engine.WordStuck
	}
	for w, note := range map[int]string{160: "details of 2 runs not read", 80: "2 unread"} {
		l := listed(t, s, w, 35)
		for filter, want := range map[string]bool{"cause:manifest-not-applied": true, "why:quota": true, "!cause:quota": true, "cluster:nowhere": true, "stage:nowhere": false, "quota": false, "": false} {
			l.SetFilter(filter)
			l.Arrange(w, 35, false, true)
			r := cell.NewRow(l.scene.Theme, w, theme.Plain)
			got := ansi.Strip(l.Place(r).String())
			if strings.Contains(got, note) != want || l.OfCauses() != want {
				t.Errorf("filter %q: %s", filter, got)
			}
			if cell.Width(strings.TrimRight(got, " ")) > w || !regexp.MustCompile(`needs attention +\d`).MatchString(got) {
				t.Errorf("filter %q in %d columns: %q", filter, w, got)
			}
		}
	}
}

// TestCounts checks that rows of placements without a run are not counted as runs.
func TestCounts(t *testing.T) {
	s := situation.Snapshot()
	rows, placements := len(s.Runs), count(s.Runs, func(v *engine.RunView) bool { return v.Word == engine.WordNoRun })
	if placements != 1 {
		t.Fatalf("%d placements without a run", placements)
	}
	l := listed(t, s, 120, 30)
	only := *s
	only.Runs = slices.DeleteFunc(slices.Clone(s.Runs), isRun)
	if got := listed(t, &only, 120, 30).Counts(); got != "1 placement" {
		t.Errorf("no run exists: %q", got)
	}
	for filter, want := range map[string]string{
		"":            fmt.Sprintf("%d runs", rows-1),
		"state:stuck": fmt.Sprintf("1 of %d runs", rows-1),
		"billing":     "1 placement",
		"run:nowhere": fmt.Sprintf("0 of %d runs", rows-1),
	} {
		l.SetFilter(filter)
		l.Arrange(120, 35, false, true)
		if got := l.Counts(); got != want {
			t.Errorf("filter %q: %q, want %q", filter, got, want)
		}
	}
}
