package runlist

import (
	"slices"
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/internal/situation"
)

// TestTheRowUnderTheCursorRests checks that a run whose bindings are read because the cursor is on
// it stays where it stands, and that the next key goes on from there.
func TestTheRowUnderTheCursorRests(t *testing.T) {
	const order = "one two three four"
	for name, tt := range map[string]struct {
		filter  string
		version string // of run three afterwards
		later   string // the rows after its state has changed
		moved   string // the rows once the cursor has moved down
		at      string // the row under the cursor then
	}{
		"sorted to the top":             {"", "1", order, "three one two four", "four"},
		"dropped by a filter":           {"state:running", "1", order, "one two four", "four"},
		"sorted to the top by a change": {"", "2", "three one two four", "three one two four", "one"},
		"dropped by a change":           {"state:running", "2", "one two four", "one two four", "four"},
	} {
		t.Run(name, func(t *testing.T) {
			s := situation.Snapshot()
			s.Runs = nil
			for _, name := range strings.Fields(order) {
				s.Runs = append(s.Runs, &engine.RunView{ID: situation.RunID("", name), Word: engine.WordRunning, At: -1, ResourceVersion: engine.NewRaw("1")})
			}
			l := listed(t, s, 120, 35)
			l.SetFilter(tt.filter)
			names := func() string {
				var out []string
				for _, v := range l.rows {
					out = append(out, v.ID.RawName())
				}
				return strings.Join(out, " ")
			}
			arrange := func() { l.Arrange(120, 35, false, true) }
			arrange()
			l.Update(keymap.Down)
			l.Update(keymap.Down)
			arrange()
			if got := l.Current().ID.RawName(); got != "three" || names() != order {
				t.Fatalf("%s of %s", got, names())
			}
			next := *s
			v := *s.Runs[2]
			v.Word, v.ResourceVersion = engine.WordPreempted, engine.NewRaw(tt.version)
			next.Runs = append([]*engine.RunView{&v}, slices.Delete(slices.Clone(s.Runs), 2, 3)...)
			for range 2 { // a second Snapshot changes nothing
				again := next
				l.scene.Snap = &again
				arrange()
				if names() != tt.later {
					t.Fatalf("rows %s, want %s", names(), tt.later)
				}
			}
			if tt.later == order && l.Current() != &v {
				t.Errorf("the cursor is on %v", l.Current().ID.RawName())
			}
			if name != "dropped by a change" { // there the cursor has fallen to the next one
				l.Update(keymap.Down)
			}
			arrange()
			if got := l.Current().ID.RawName(); got != tt.at || names() != tt.moved {
				t.Errorf("%s of %s, want %s of %s", got, names(), tt.at, tt.moved)
			}
		})
	}
}

// TestNeighboursMove checks that the row under the cursor does not follow another run to its new place.
func TestNeighboursMove(t *testing.T) {
	run := func(name string, word engine.Word) *engine.RunView {
		return &engine.RunView{ID: situation.RunID("", name), Word: word, At: -1, ResourceVersion: engine.NewRaw("1")}
	}
	for name, tt := range map[string]struct {
		cursor string
		// before and after are rows in the order of the snapshot; one with ! has another view. The row
		// under the cursor has none.
		before, after, want string
	}{
		"the one below goes up":             {"three", "one two three four five", "four! one two three five", "four one two three five"},
		"the one below goes down":           {"two", "one two three four", "one two four three!", "one two four three"},
		"one comes below":                   {"two", "one two three", "one two new three", "one two new three"},
		"more come, the cursor is last":     {"two", "one two", "one two three four", "one two three four"},
		"all others go":                     {"two", "one two three", "two", "two"},
		"it goes up, and the one below":     {"three", "one two three four", "three! four! one two", "four one two three"},
		"it goes up, another comes above":   {"two", "one two three four", "two! zero one! three four", "zero one two three four"},
		"it goes up, all others are new":    {"three", "one two three four", "three! one! two! four!", "one two three four"},
		"it goes up, the cursor is last":    {"three", "one two three", "three! one two", "one two three"},
		"it goes down, the cursor is first": {"one", "one two three", "two three one!", "one two three"},
	} {
		t.Run(name, func(t *testing.T) {
			views := map[string]*engine.RunView{}
			snap := func(names string) *engine.Snapshot {
				s := *situation.Snapshot()
				s.Runs = nil
				for _, name := range strings.Fields(names) {
					bare := strings.TrimSuffix(name, "!")
					if views[bare] == nil || bare != name {
						views[bare] = run(bare, engine.WordRunning)
					}
					s.Runs = append(s.Runs, views[bare])
				}
				return &s
			}
			l := listed(t, snap(tt.before), 120, 35)
			if !l.Pick(situation.RunID("", tt.cursor)) {
				t.Fatal("no such row")
			}
			l.Arrange(120, 35, false, true)
			l.scene.Snap = snap(tt.after)
			l.Arrange(120, 35, false, true)
			var got []string
			for _, v := range l.rows {
				got = append(got, v.ID.RawName())
			}
			if strings.Join(got, " ") != tt.want || l.Current().ID.RawName() != tt.cursor {
				t.Errorf("%s, want %s; the cursor is on %s", strings.Join(got, " "), tt.want, l.Current().ID.RawName())
			}
		})
	}
}

// TestRowsFollowTheFirst checks that nothing rests while nobody has moved the cursor.
func TestRowsFollowTheFirst(t *testing.T) {
	s := situation.Snapshot()
	l := listed(t, s, 120, 35)
	next, v := *s, *s.Runs[0]
	next.Runs = append(slices.Clone(s.Runs[1:]), &v)
	l.scene.Snap = &next
	l.Arrange(120, 35, false, true)
	if at, _ := l.At(); at != 0 || l.Current() != s.Runs[1] {
		t.Errorf("row %d, %s", at, l.Current().ID.Title())
	}
}
