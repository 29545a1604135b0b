package follow

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// A change is reported once: not again after the connection was lost, not for a row that is
// still being read, and not as deleted while the list is incomplete.
func TestChangesAreReportedOnce(t *testing.T) {
	hub := engine.NewHubName("h", "")
	row := func(name string, word engine.Word, done int) *engine.RunView {
		return &engine.RunView{ID: hub.ID(engine.KindClusterStagedUpdateRun, "", name, name), Word: word, Total: 4, Done: done, Stages: []engine.StageView{{Name: engine.Lit("prod")}}}
	}
	partial := row("a", engine.WordPending, 0)
	partial.Partial = true
	cause := row("a", engine.WordStuck, 2)
	cause.Why.Short, cause.Why.What = engine.Lit("crash loop"), engine.Lit("Pod x has restarted 7 times.")
	live, lost := engine.LinkLive, engine.LinkReconnecting
	f := Rows{Wide: true}
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
		{live, true, []*engine.RunView{cause}, "", []string{"changed a STUCK"}},
	} {
		s := &engine.Snapshot{At: time.Unix(int64(i), 0), Complete: step.complete, Link: engine.Link{State: step.link}, Runs: step.rows, Missing: map[engine.ID][]engine.Gap{}}
		for _, v := range step.rows {
			if v.ID.RawName() == step.awaits {
				s.Missing[v.ID] = []engine.Gap{{Pending: true}}
			}
		}
		var got []string
		for _, c := range f.Next(s, step.rows, time.Unix(int64(i), 0)) {
			got = append(got, c.Kind+" "+c.Run.ID.RawName()+" "+c.Run.Word.String())
			if listed := f.Listed(c); listed != (i == 1) {
				t.Errorf("step %d: %s completes the list: %v", i, c.Run.ID.RawName(), listed)
			}
		}
		if !slices.Equal(got, step.want) {
			t.Errorf("step %d: %q, want %q", i, got, step.want)
		}
	}
	narrow := Rows{}
	at := func(v *engine.RunView, awaits bool) *engine.Snapshot {
		s := &engine.Snapshot{Complete: true, Link: engine.Link{State: live}, Runs: []*engine.RunView{v}}
		if awaits {
			s.Missing = map[engine.ID][]engine.Gap{v.ID: {{Pending: true}}}
		}
		return s
	}
	stuck := row("a", engine.WordStuck, 2)
	if got := narrow.Next(at(stuck, true), []*engine.RunView{stuck}, time.Time{}); len(got) != 1 || len(narrow.held) > 0 {
		t.Errorf("a table without causes waits for one: %+v", got)
	}
	if got := narrow.Next(at(cause, false), []*engine.RunView{cause}, time.Time{}); len(got) > 0 {
		t.Errorf("another cause in a table without causes: %+v", got)
	}
	// What is never read does not hide the run.
	wide, began := Rows{Wide: true}, time.Unix(0, 0)
	for _, tt := range []struct {
		after time.Duration
		want  int
	}{{0, 0}, {patience - 1, 0}, {patience, 1}, {patience + 1, 0}} {
		if got := wide.Next(at(stuck, true), []*engine.RunView{stuck}, began.Add(tt.after)); len(got) != tt.want || (len(wide.held) > 0) != (tt.after < patience) {
			t.Errorf("after %s: %+v, held %v", tt.after, got, wide.held)
		}
	}
}

// TestAwait returns the last Snapshot again when no other comes.
func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		last := &engine.Snapshot{Seq: 1}
		never := func(ctx context.Context) (*engine.Snapshot, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		if s, err := Await(t.Context(), never, last, LookAgain); s != last || err != nil {
			t.Errorf("%v, %v", s, err)
		}
		ended, cancel := context.WithTimeout(t.Context(), LookAgain/2)
		defer cancel()
		for _, limit := range []time.Duration{0, LookAgain} {
			if _, err := Await(ended, never, last, limit); err == nil {
				t.Error("no error at the end of the context")
			}
		}
		newer := &engine.Snapshot{Seq: 2}
		if s, err := Await(t.Context(), func(context.Context) (*engine.Snapshot, error) { return newer, nil }, last, 0); s != newer || err != nil {
			t.Errorf("%v, %v", s, err)
		}
	})
}
