package runlist

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/internal/situation"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// TestWhatNeedsRunsThatWereNotReadSaysSo checks which runs a list asks for of which only the rows were read, and that it says when
// its filter or its order needs all of them.
func TestWhatNeedsRunsThatWereNotReadSaysSo(t *testing.T) {
	s := situation.Snapshot()
	s.Runs = s.Runs[:2]
	for i := range 100 {
		id := situation.RunID("", fmt.Sprintf("done-%02d", i))
		s.Runs = append(s.Runs, &engine.RunView{ID: id, Word: engine.WordDone, Terminal: true, Partial: true, RowOnly: true, Created: situation.Ago(time.Hour)})
	}
	l := listed(t, s, 120, 35)
	from, to := l.Window()
	rows, all := l.RowOnly()
	if len(rows) != to-from-2 || rows[0] != s.Runs[2].ID || all {
		t.Errorf("the screen has rows %d to %d, %d are read, all %v", from, to, len(rows), all)
	}
	l.Update(keymap.Bottom)
	l.Arrange(120, 35, false, true)
	if rows, _ = l.RowOnly(); !slices.Contains(rows, s.Runs[101].ID) || slices.Contains(rows, s.Runs[2].ID) {
		t.Errorf("at the end %v are read", rows)
	}
	l.marks = map[engine.ID]bool{s.Runs[2].ID: true, s.Runs[0].ID: true}
	if marked, _ := l.RowOnly(); len(marked) != len(rows)+1 || !slices.Contains(marked, s.Runs[2].ID) {
		t.Errorf("with a mark above the screen %v are read", marked)
	}
	l.SetFilter("state:stuck")
	l.Arrange(120, 35, false, true)
	if marked, _ := l.RowOnly(); len(marked) != 1 {
		t.Errorf("with a mark that the filter hides %v are read", marked)
	}
	l.SetFilter("")
	l.ClearMarks()
	for _, tt := range []struct {
		what, needs string // what needs all of them; empty for nothing
		do          func()
		help        bool
		none        string // in place of the rows
	}{
		{"a filter by state", "", func() { l.SetFilter("state:done") }, false, ""},
		{"a filter by clusters", "filter", func() { l.SetFilter("clusters>100") }, true, "No matches so far: details of 100 runs not read; esc clears the filter."},
		{"no filter", "", func() { l.SetFilter("") }, false, ""},
		{"sorted by age", "", func() { l.SortBy("age", false) }, false, ""},
		{"sorted by clusters", "sort order", func() { l.SortBy("clusters", false) }, false, ""},
		{"and a filter that needs none", "sort order", func() { l.SetFilter("state:done") }, false, ""},
		{"and matches nothing", "sort order", func() { l.SetFilter("run:nowhere") }, false, "No matches; "},
		{"and one that needs them", "sort order", func() { l.SetFilter("done=0") }, true, ""}, // the note stays
	} {
		tt.do()
		l.Arrange(120, 35, false, true)
		_, all := l.RowOnly()
		l.scene.Note.Expire(situation.Now, true)
		want := ""
		if tt.needs != "" {
			want = fmt.Sprintf("Reading the details of DONE runs: the %s needs them.", tt.needs)
		}
		if got := l.scene.Note.Text().String(); got != want || all != (want != "") {
			t.Errorf("%s: note %q, want %q; all %v", tt.what, got, want, all)
		}
		if help := strings.Contains(l.FilterHelp().String(), "reading the details of 100 DONE runs"); help != tt.help {
			t.Errorf("%s: help %q", tt.what, l.FilterHelp())
		}
		place := ansi.Strip(l.Place(cell.NewRow(l.scene.Theme, 120, theme.Plain)).String())
		if strings.Contains(place, "details of 100 runs not read") != (want != "") {
			t.Errorf("%s: line above the list %q", tt.what, place)
		}
		if shown := ansi.Strip(strings.Join(l.rowLines(), "\n")); strings.Contains(shown, "No matches") != (tt.none != "") || !strings.Contains(shown, tt.none) {
			t.Errorf("%s: %q instead of the rows:\n%s", tt.what, tt.none, shown)
		}
	}
	for i := range s.Runs {
		v := *s.Runs[i]
		v.Partial, v.RowOnly = false, false
		s.Runs[i] = &v
	}
	if rows, all := l.RowOnly(); len(rows) > 0 || all {
		t.Errorf("all are read, and %v are asked for, all %v", rows, all)
	}
	l.scene.Note.Expire(situation.Now, true)
	if note := l.scene.Note.Text(); !note.IsZero() {
		t.Errorf("it still says %q", note)
	}
}
