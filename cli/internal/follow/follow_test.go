package follow

import (
	"slices"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// A change is reported once: not again after the connection was lost, not for a row that is
// still being read, and not as deleted while the list is incomplete.
func TestChangesAreReportedOnce(t *testing.T) {
	hub := engine.NewHubName("h")
	row := func(name string, word engine.Word, done int) *engine.RunView {
		return &engine.RunView{ID: hub.ID(engine.KindClusterStagedUpdateRun, "", name, name), Word: word, Total: 4, Done: done, Stages: []engine.StageView{{Name: engine.Lit("prod")}}}
	}
	partial := row("a", engine.WordPending, 0)
	partial.Partial = true
	cause := row("a", engine.WordStuck, 2)
	cause.Why.Short, cause.Why.What = engine.Lit("crash loop"), engine.Lit("Pod x has restarted 7 times.")
	live, lost := engine.LinkLive, engine.LinkReconnecting
	f := Rows{}
	for i, step := range []struct {
		link     engine.LinkState
		complete bool
		rows     []*engine.RunView
		awaits   string
		want     []string
	}{
		{live, true, []*engine.RunView{row("a", engine.WordRunning, 0), row("b", engine.WordRunning, 0)}, "b", []string{"added a RUNNING"}},
		{live, true, []*engine.RunView{row("a", engine.WordRunning, 0), row("b", engine.WordRunning, 0)}, "", []string{"added b RUNNING"}},
		{live, true, []*engine.RunView{row("a", engine.WordRunning, 1), row("b", engine.WordRunning, 0)}, "", []string{"changed a RUNNING"}},
		{lost, true, []*engine.RunView{row("a", engine.WordStuck, 2)}, "", nil},
		{live, false, []*engine.RunView{partial}, "", nil},
		{live, true, []*engine.RunView{row("a", engine.WordRunning, 1), row("b", engine.WordRunning, 0)}, "", nil},
		{live, true, []*engine.RunView{row("a", engine.WordStuck, 2)}, "", []string{"changed a STUCK", "deleted b RUNNING"}},
		{live, true, []*engine.RunView{cause}, "", nil},
	} {
		s := &engine.Snapshot{At: time.Unix(int64(i), 0), Complete: step.complete, Link: engine.Link{State: step.link}, Runs: step.rows, Missing: map[engine.ID][]engine.Gap{}}
		for _, v := range step.rows {
			if v.ID.RawName() == step.awaits {
				s.Missing[v.ID] = []engine.Gap{{Pending: true}}
			}
		}
		var got []string
		for _, c := range f.Next(s, step.rows) {
			got = append(got, c.Kind+" "+c.Run.ID.RawName()+" "+c.Run.Word.String())
			if listed := f.Listed(c); listed != (i == 1) {
				t.Errorf("step %d: %s completes the list: %v", i, c.Run.ID.RawName(), listed)
			}
		}
		if !slices.Equal(got, step.want) {
			t.Errorf("step %d: %q, want %q", i, got, step.want)
		}
	}
	wide := Rows{Wide: true}
	at := func(v *engine.RunView) *engine.Snapshot {
		return &engine.Snapshot{Complete: true, Link: engine.Link{State: live}, Runs: []*engine.RunView{v}}
	}
	stuck := row("a", engine.WordStuck, 2)
	wide.Next(at(stuck), []*engine.RunView{stuck})
	if got := wide.Next(at(cause), []*engine.RunView{cause}); len(got) != 1 || got[0].Kind != Changed {
		t.Errorf("another cause in the wide table: %+v", got)
	}
}
