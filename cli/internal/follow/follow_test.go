package follow

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// A change is reported once: not again after the connection was lost, and not as deleted while
// the list is incomplete. A state is reported at once, while its cause is still being read;
// the cause follows. What was read later of the first list belongs to the list.
func TestChangesAreReportedOnce(t *testing.T) {
	hub := engine.NewHubName("h", "")
	row := func(name string, word engine.Word, done int) *engine.RunView {
		return &engine.RunView{ID: hub.ID(engine.KindClusterStagedUpdateRun, "", name, name), Word: word, Total: 4, Done: done, Stages: []engine.StageView{{Name: engine.Lit("prod")}}}
	}
	with := func(v *engine.RunView, cause string) *engine.RunView {
		v.Why.Short, v.Why.What = engine.Clean(cause), engine.Lit("Pod x has restarted 7 times.")
		return v
	}
	partial := row("a", engine.WordPending, 0)
	partial.Partial = true
	live, lost := engine.LinkLive, engine.LinkReconnecting
	f := Rows{Wide: true}
	for i, step := range []struct {
		link     engine.LinkState
		complete bool
		rows     []*engine.RunView
		awaits   string
		want     []string
	}{
		{live, true, []*engine.RunView{partial, row("b", engine.WordRunning, 0)}, "ab", []string{"listed: added b RUNNING 0"}},
		{live, true, []*engine.RunView{row("a", engine.WordRunning, 0), row("b", engine.WordRunning, 0)}, "ab", []string{"listed: added a RUNNING 0"}},
		{live, true, []*engine.RunView{row("a", engine.WordRunning, 1), with(row("b", engine.WordRunning, 0), "slow")}, "b", []string{"changed a RUNNING 1"}}, // b waits
		{live, true, []*engine.RunView{row("a", engine.WordRunning, 1), with(row("b", engine.WordRunning, 0), "quota")}, "", []string{"listed: changed b RUNNING 0 quota"}},
		{live, true, []*engine.RunView{row("a", engine.WordRunning, 1), with(row("b", engine.WordRunning, 0), "webhook")}, "", []string{"changed b RUNNING 0 webhook"}},
		{live, true, []*engine.RunView{row("a", engine.WordRunning, 1), row("b", engine.WordRunning, 1)}, "b", []string{"changed b RUNNING 1"}},
		{live, true, []*engine.RunView{row("a", engine.WordRunning, 1), row("b", engine.WordRunning, 2)}, "b", []string{"changed b RUNNING 2"}},
		{lost, true, []*engine.RunView{row("a", engine.WordStuck, 2)}, "", nil},
		{live, false, []*engine.RunView{partial}, "", nil},
		{live, true, []*engine.RunView{row("a", engine.WordRunning, 1), row("b", engine.WordRunning, 2)}, "", nil},
		{live, true, []*engine.RunView{row("a", engine.WordStuck, 2)}, "a", []string{"changed a STUCK 2", "deleted b RUNNING 2"}},
		{live, true, []*engine.RunView{with(row("a", engine.WordStuck, 2), "not ready")}, "a", nil}, // waits
		{live, true, []*engine.RunView{with(row("a", engine.WordStuck, 2), "crash loop")}, "", []string{"changed a STUCK 2 crash loop"}},
		{live, true, []*engine.RunView{with(row("a", engine.WordStuck, 2), "crash loop"), row("c", engine.WordPending, 0)}, "c", []string{"added c PENDING 0"}},
	} {
		s := &engine.Snapshot{At: time.Unix(int64(i), 0), Complete: step.complete, Link: engine.Link{State: step.link}, Runs: step.rows, Missing: map[engine.ID][]engine.Gap{}}
		for _, v := range step.rows {
			if strings.Contains(step.awaits, v.ID.RawName()) {
				s.Missing[v.ID] = []engine.Gap{{Pending: true}}
			}
		}
		var got []string
		for _, c := range f.Next(s, step.rows, time.Unix(int64(i), 0)) {
			what := strings.TrimSpace(fmt.Sprint(c.Kind, " ", c.Run.ID.RawName(), " ", c.Run.Word, " ", c.Run.Done, " ", c.Run.Why.Short))
			if c.Listed {
				what = "listed: " + what
			}
			got = append(got, what)
		}
		if !slices.Equal(got, step.want) {
			t.Errorf("step %d: %q, want %q", i, got, step.want)
		}
	}
	at := func(v *engine.RunView, awaits bool) *engine.Snapshot {
		s := &engine.Snapshot{Complete: true, Link: engine.Link{State: live}, Runs: []*engine.RunView{v}}
		if awaits {
			s.Missing = map[engine.ID][]engine.Gap{v.ID: {{Pending: true}}}
		}
		return s
	}
	stuck, cause := row("a", engine.WordStuck, 2), with(row("a", engine.WordStuck, 2), "crash loop")
	narrow := Rows{}
	if got := narrow.Next(at(stuck, true), []*engine.RunView{stuck}, time.Time{}); len(got) != 1 {
		t.Errorf("a table without causes waits for one: %+v", got)
	}
	if got := narrow.Next(at(cause, true), []*engine.RunView{cause}, time.Time{}); len(got) > 0 || narrow.Waiting() {
		t.Errorf("another cause in a table without causes: %+v", got)
	}
	// What is never read does not hide the cause.
	wide, began := Rows{Wide: true}, time.Unix(0, 0)
	wide.Next(at(stuck, true), []*engine.RunView{stuck}, began)
	for _, tt := range []struct {
		after time.Duration
		want  int
	}{{0, 0}, {patience - 1, 0}, {patience, 1}, {patience + 1, 0}} {
		if got := wide.Next(at(cause, true), []*engine.RunView{cause}, began.Add(tt.after)); len(got) != tt.want || wide.Waiting() != (tt.after < patience) {
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
