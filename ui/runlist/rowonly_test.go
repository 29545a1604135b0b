package runlist

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/internal/situation"
)

// TestWhatDependsOnRunsThatWereNotReadSaysSo checks which runs a list asks for of which only the rows were read, and that it
// says when its filter or its order depends on all of them.
func TestWhatDependsOnRunsThatWereNotReadSaysSo(t *testing.T) {
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
	for _, tt := range []struct {
		what string
		do   func()
		all  bool
	}{
		{"a filter by state", func() { l.SetFilter("state:done") }, false},
		{"a filter by clusters", func() { l.SetFilter("clusters>100") }, true},
		{"no filter", func() { l.SetFilter("") }, false},
		{"sorted by age", func() { l.SortBy("age", false) }, false},
		{"sorted by clusters", func() { l.SortBy("clusters", false) }, true},
		{"a filter, too", func() { l.SetFilter("done=0") }, true},
	} {
		tt.do()
		l.Arrange(120, 35, false, true)
		_, all := l.RowOnly()
		l.scene.Note.Expire(situation.Now, true)
		note := l.scene.Note.Text()
		says := strings.Contains(note.String(), "Reading the runs that have succeeded")
		help := strings.Contains(l.FilterHelp().String(), "reading 100 succeeded runs for this filter")
		title := l.unreadText() == "100 runs not read"
		if all != tt.all || says != tt.all || help != tt.all || title != tt.all {
			t.Errorf("%s: all %v, note %q, help %q, title %q", tt.what, all, note, l.FilterHelp(), l.unreadText())
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
