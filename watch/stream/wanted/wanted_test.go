package wanted

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/store"
)

func TestWantedPlacements(t *testing.T) {
	run := func(name string, word engine.Word, place string) *engine.RunView {
		return &engine.RunView{
			ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", name, "u"), Word: word,
			Placement: engine.NewID(engine.KindClusterResourcePlacement, "", place, "u"),
			Terminal:  word == engine.WordDone || word == engine.WordPreempted,
		}
	}
	slow := run("slow", engine.WordRunning, "p-slow")
	slow.Slow = true
	s := &engine.Snapshot{Runs: []*engine.RunView{
		run("stuck", engine.WordStuck, "p-stuck"), run("pre", engine.WordPreempted, "p-pre"), run("stopping", engine.WordStopping, "p-stopping"),
		slow, run("fine", engine.WordRunning, "p-fine"), run("done", engine.WordDone, "p-done"),
		run("two-a", engine.WordRunning, "p-two"), run("two-b", engine.WordReady, "p-two"),
	}}
	names := func(ids []engine.ID) []string {
		var out []string
		for _, id := range ids {
			_, name, uid := id.Raw()
			out = append(out, name+uid)
		}
		return out
	}
	trouble := []string{"p-stuck", "p-pre", "p-stopping", "p-slow", "p-two"}
	id := func(name string) engine.ID { return engine.NewID(engine.KindClusterStagedUpdateRun, "", name, "u") }
	tests := []struct {
		name  string
		focus engine.Focus
		open  []string
		want  []string
	}{
		{"in trouble", engine.Focus{}, nil, trouble},
		{"opened and cursor first", engine.Focus{Run: id("done"), Cursor: id("fine")}, nil, append([]string{"p-done", "p-fine"}, trouble...)},
		{"cursor on one in trouble", engine.Focus{Cursor: id("pre")}, nil, []string{"p-pre", "p-stuck", "p-stopping", "p-slow", "p-two"}},
		{"open ones stay in front", engine.Focus{}, []string{"p-two", "p-gone"}, []string{"p-two", "p-stuck", "p-pre", "p-stopping", "p-slow"}},
		{"on the first row", engine.Focus{Cursor: id("fine"), Run: id("fine"), Top: true}, nil, append(slices.Clone(trouble), "p-fine")},
		{"a focus that is gone", engine.Focus{Run: id("nobody")}, nil, trouble},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var open []engine.ID
			for _, name := range tt.open {
				open = append(open, engine.NewID(engine.KindClusterResourcePlacement, "", name, ""))
			}
			if got := names(placements(s, tt.focus, open, ReachScreen)); !slices.Equal(got, tt.want) {
				t.Errorf("wanted %v, want %v", got, tt.want)
			}
		})
	}
	many := &engine.Snapshot{}
	for i := range 50 {
		many.Runs = append(many.Runs, run(fmt.Sprint(i), engine.WordStuck, fmt.Sprint("p", i)))
	}
	if got := placements(many, engine.Focus{Cursor: id("49")}, nil, ReachScreen); len(got) != bindingSets || names(got)[0] != "p49" {
		t.Errorf("of fifty in trouble, %v", names(got))
	}
	for _, v := range many.Runs {
		v.Total = 150
	}
	if got := placements(many, engine.Focus{Cursor: id("49")}, nil, ReachScreen); len(got) != 13 {
		t.Errorf("of fifty with 150 clusters each, %d are watched, want 13", len(got))
	}
	for _, v := range many.Runs {
		v.Total = 1000
	}
	if got := placements(many, engine.Focus{}, nil, ReachScreen); len(got) != leastBindingSets {
		t.Errorf("of fifty with 1,000 clusters each, %d are watched", len(got))
	}
	// What the bindings of the first row say may make another row the first one.
	kept := placements(many, engine.Focus{Cursor: id("0"), Top: true}, nil, ReachScreen)
	if got := placements(many, engine.Focus{Cursor: id("49"), Run: id("49"), Top: true}, kept, ReachScreen); len(kept) != leastBindingSets || !slices.Equal(got, kept) {
		t.Errorf("with another first row %v are watched instead of %v", names(got), names(kept))
	}
	if got := placements(many, engine.Focus{}, nil, ReachTrouble); len(got) != 50 {
		t.Errorf("a list without a screen reads %d of fifty", len(got))
	}
	if got := placements(many, engine.Focus{Run: id("49")}, nil, ReachFocus); !slices.Equal(names(got), []string{"p49"}) {
		t.Errorf("one run without a screen reads %v", names(got))
	}
	for i, v := range many.Runs {
		if v.Total = 0; i < 40 {
			v.Word, v.Why.Bindings = engine.WordRunning, true
		}
	}
	open := []engine.ID{many.Runs[0].Placement.Key(), many.Runs[41].Placement.Key()}
	for _, v := range many.Runs[1:] {
		v.Read, v.Unreadable = v.ID != id("30") && v.ID != id("31") && v.ID != id("32"), v.ID == id("32")
	}
	if got := names(placements(many, engine.Focus{Causes: true}, open, ReachScreen)); len(got) != 13 || !slices.Equal(got[:4], []string{"p0", "p30", "p31", "p41"}) {
		t.Errorf("filtered by causes, a screen reads %v, want those that were not read first", got)
	}
	if got := names(placements(many, engine.Focus{}, open, ReachScreen)); len(got) != 10 || slices.Contains(got, "p30") {
		t.Errorf("without the filter, a screen reads %v", got)
	}
	got := names(placements(many, engine.Focus{}, open, ReachList))
	if len(got) != bindingSets || got[0] != "p41" || got[1] != "p40" || slices.Index(got, "p0") != 10 {
		t.Errorf("a list that is watched reads %v, want those in trouble first", got)
	}
}

// Bindings are compared with the newest run of their placement that is updating clusters.
func TestVersionsOfRunsThatUpdate(t *testing.T) {
	run := func(place, version string, updating, stuck int) *engine.RunView {
		return &engine.RunView{
			Placement: engine.NewID(engine.KindClusterResourcePlacement, "", place, "u"), ResourceVersion: engine.NewRaw(version), Updating: updating, Stuck: stuck,
		}
	}
	got := updating(&engine.Snapshot{Runs: []*engine.RunView{
		run("a", "9", 1, 0), run("a", "10", 0, 1), run("a", "8", 1, 0), run("b", "11", 0, 0), run("c", "", 1, 0), run("d", "x", 1, 0),
	}})
	key := engine.NewID(engine.KindClusterResourcePlacement, "", "a", "u").Key()
	if len(got) != 1 || got[key] != "10" {
		t.Errorf("got %v", got)
	}
}

// TestRowsThatAreRead checks which runs are read whole of which only the rows were read, and in which order.
func TestRowsThatAreRead(t *testing.T) {
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	id := func(name string) engine.ID { return engine.NewID(engine.KindClusterStagedUpdateRun, "", name, "u") }
	run := func(name string, word engine.Word, place string, hour int) *engine.RunView {
		return &engine.RunView{
			ID: id(name), Word: word, Placement: engine.NewID(engine.KindClusterResourcePlacement, "", place, ""), Created: at.Add(time.Duration(hour) * time.Hour),
			RowOnly: word == engine.WordDone, Partial: word == engine.WordDone,
		}
	}
	preempted := run("preempted", engine.WordPreempted, "a", 5)
	preempted.PreemptedBy, preempted.Terminal = id("a-2"), true
	failed := run("f-run", engine.WordFailed, "f", 5)
	failed.Terminal = true
	whole := run("b-3", engine.WordDone, "b", 3)
	whole.RowOnly, whole.Partial = false, false
	s := &engine.Snapshot{Runs: []*engine.RunView{
		preempted, run("b-run", engine.WordRunning, "b", 4), whole, run("a-7", engine.WordDone, "a", 7), run("a-6", engine.WordDone, "a", 6), run("a-2", engine.WordDone, "a", 2), run("a-1", engine.WordDone, "a", 1),
		run("b-2", engine.WordDone, "b", 2), run("c-2", engine.WordDone, "c", 2), run("c-1", engine.WordDone, "c", 1), run("d-1", engine.WordDone, "d", 1),
		failed, run("f-1", engine.WordDone, "f", 1), run("f-2", engine.WordDone, "f", 2),
	}}
	for name, tt := range map[string]struct {
		focus engine.Focus
		want  []string
	}{
		"for diagnoses":            {engine.Focus{}, []string{"a-7", "a-6", "a-2", "b-2", "f-2"}},
		"opened":                   {engine.Focus{Run: id("c-1"), Cursor: id("d-1")}, []string{"c-1", "d-1", "a-7", "a-6", "a-2", "b-2", "c-2", "f-2"}},
		"of the placement of one":  {engine.Focus{Run: id("preempted")}, []string{"a-7", "a-6", "a-2", "a-1", "b-2", "f-2"}},
		"on the screen":            {engine.Focus{Cursor: id("b-run"), Rows: []engine.ID{id("d-1"), id("b-3"), id("a-1")}}, []string{"d-1", "a-1", "a-7", "a-6", "a-2", "b-2", "f-2"}},
		"all":                      {engine.Focus{Cursor: id("d-1"), AllRows: true}, []string{"d-1", "a-7", "a-6", "a-2", "a-1", "b-2", "c-2", "c-1", "f-1", "f-2"}},
		"a focus that is not here": {engine.Focus{Run: id("e"), Cursor: id("f"), Rows: []engine.ID{id("g")}}, []string{"a-7", "a-6", "a-2", "b-2", "f-2"}},
	} {
		var got []string
		for _, run := range (&Last{}).Of(store.Publication{Snapshot: s, Focus: tt.focus}, ReachScreen).Rows {
			if v := s.Find(run); v != nil && v.RowOnly && !slices.Contains(got, run.RawName()) {
				got = append(got, run.RawName())
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// TestLast checks that what a publication wants is found anew if its rows or its Focus are not those of the last one, and that
// it costs nothing else if they are.
func TestLast(t *testing.T) {
	run := func(name string, word engine.Word) *engine.RunView {
		return &engine.RunView{
			ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", name, ""), Word: word, RowOnly: word == engine.WordDone,
			Placement: engine.NewID(engine.KindClusterResourcePlacement, "", "p-"+name, ""),
		}
	}
	stuck, fine, done := run("stuck", engine.WordStuck), run("fine", engine.WordRunning), run("done", engine.WordDone)
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	first := store.Publication{Snapshot: &engine.Snapshot{Runs: []*engine.RunView{stuck, fine, done}}, Made: at}
	heard := *first.Snapshot
	quiet := store.Publication{Snapshot: &heard, Made: at.Add(time.Second)}
	opened := store.Publication{Snapshot: &heard, Focus: engine.Focus{Run: done.ID}, Made: at.Add(2 * time.Second)}
	repaired := store.Publication{Snapshot: &engine.Snapshot{Runs: []*engine.RunView{fine, run("new", engine.WordReady), done}}, Focus: opened.Focus, Made: at.Add(3 * time.Second)}
	var last Last
	for _, tt := range []struct {
		name       string
		of         store.Publication
		placements []engine.ID
		reads      bool // the run of which only the row was read
	}{
		{"the first", first, []engine.ID{stuck.Placement}, false},
		{"nothing but the time", quiet, []engine.ID{stuck.Placement}, false},
		{"a run was opened", opened, []engine.ID{done.Placement, stuck.Placement}, true},
		{"other rows", repaired, []engine.ID{done.Placement}, true},
	} {
		w := last.Of(tt.of, ReachScreen)
		if !slices.Equal(w.Placements, tt.placements) || slices.Contains(w.Rows, done.ID) != tt.reads || !w.Made.Equal(tt.of.Made) {
			t.Errorf("%s: placements %v, rows %v, made %s", tt.name, w.Placements, w.Rows, w.Made)
		}
	}
	if n := testing.AllocsPerRun(10, func() { last.Of(repaired, ReachScreen) }); n > 0 {
		t.Errorf("the same rows: %v allocations", n)
	}
	unread := repaired
	unread.Snapshot = &engine.Snapshot{Runs: []*engine.RunView{run("old", engine.WordRunning)}}
	unread.Snapshot.Runs[0].Outdated = true
	place := unread.Snapshot.Runs[0].Placement
	for _, state := range []engine.CoverState{engine.CoverLoading, engine.CoverComplete} {
		unread.Covered = map[world.CoverKey]engine.Coverage{world.CoverBindings(place): {State: state}}
		if w := last.Of(unread, ReachTrouble); (state == engine.CoverComplete) != slices.Equal(w.Again, []engine.ID{place}) {
			t.Errorf("bindings %v: read again %v", state, w.Again)
		}
	}
}
