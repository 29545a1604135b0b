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
