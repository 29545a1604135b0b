package fleet

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/page"
)

// session is a session whose Snapshots the test sends. It notes what it is asked.
type session struct {
	name engine.HubName
	next chan *engine.Snapshot

	mu     sync.Mutex
	wanted engine.Focus
	asked  []page.Question
	done   []act.Intent
}

func (s *session) Next(ctx context.Context) (*engine.Snapshot, error) {
	select {
	case n := <-s.next:
		return n, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *session) Want(f engine.Focus) { s.mu.Lock(); defer s.mu.Unlock(); s.wanted = f }

func (s *session) Ask(_ context.Context, q page.Question) page.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, q)
	return page.Answer{Question: q, Sections: []page.Section{{Title: engine.Lit("open 1")}}, At: time.Unix(1, 0)}
}

func (s *session) Do(_ context.Context, i act.Intent) act.Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = append(s.done, i)
	return act.Outcome{Intent: i, Result: act.ResultApplied}
}

func (s *session) run(name string) engine.ID {
	return s.name.ID(engine.KindClusterStagedUpdateRun, "", name, "u")
}

func (s *session) snapshot(runs ...string) *engine.Snapshot {
	out := &engine.Snapshot{Hub: engine.Hub{Name: s.name, Context: s.name.Text()}, Complete: true, Link: engine.Link{State: engine.LinkLive}}
	for _, r := range runs {
		out.Runs = append(out.Runs, &engine.RunView{ID: s.run(r), Word: engine.WordRunning, At: -1})
	}
	return out
}

// of shows hubs of these names.
func of(t *testing.T, names ...string) (*Fleet, []*session) {
	var hubs []Hub
	var sessions []*session
	for _, n := range names {
		s := &session{name: engine.NewHubName(n, ""), next: make(chan *engine.Snapshot)}
		sessions = append(sessions, s)
		hubs = append(hubs, Hub{Hub: engine.Hub{Name: s.name, Context: s.name.Text()}, Session: s})
	}
	return New(t.Context(), hubs, nil), sessions
}

func next(t *testing.T, f *Fleet) *engine.Snapshot {
	t.Helper()
	s, err := f.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestHubsComeOneByOne checks that the runs of a hub are shown while another has not
// answered yet, and that nothing of one is lost when another changes.
func TestHubsComeOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, hubs := of(t, "a", "b")
		defer f.Close()
		if s := next(t, f); s.Complete || len(s.Runs) != 0 || s.Link.State != engine.LinkLoading || len(s.Hubs) != 2 || s.Hubs[1].Hub.Context.String() != "b" {
			t.Errorf("before any answer: %+v", s)
		}
		for i, step := range []struct {
			hub      int
			runs     []string
			want     int
			complete bool
		}{{1, []string{"x"}, 1, false}, {0, []string{"x", "y"}, 3, true}, {1, nil, 2, true}} {
			hubs[step.hub].next <- hubs[step.hub].snapshot(step.runs...)
			synctest.Wait()
			if s := next(t, f); len(s.Runs) != step.want || s.Complete != step.complete {
				t.Errorf("step %d: %d runs, complete %v", i, len(s.Runs), s.Complete)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := f.Next(ctx); err == nil {
			t.Error("a Snapshot although nothing has changed")
		}
	})
}

// TestEachHubGetsItsOwn checks that questions, writes and the focus reach the hub of their
// object and no other.
func TestEachHubGetsItsOwn(t *testing.T) {
	f, hubs := of(t, "a", "b")
	defer f.Close()
	a, b := hubs[0], hubs[1]
	f.Want(engine.Focus{Run: b.run("x"), Cursor: a.run("y"), Top: true, Rows: []engine.ID{a.run("y"), b.run("z")}, AllRows: true})
	if !a.wanted.Equal(engine.Focus{Cursor: a.run("y"), Top: true, Rows: []engine.ID{a.run("y")}, AllRows: true}) ||
		!b.wanted.Equal(engine.Focus{Run: b.run("x"), Rows: []engine.ID{b.run("z")}, AllRows: true}) {
		t.Errorf("focus of a %+v, of b %+v", a.wanted, b.wanted)
	}
	plan := page.PlanQuestion{Run: b.run("x")}
	if got := f.Ask(t.Context(), plan); got.Question != plan || !slices.Equal(b.asked, []page.Question{plan}) || len(a.asked) > 0 {
		t.Errorf("a was asked %v, b %v", a.asked, b.asked)
	}
	i := act.Intent{Act: engine.ActStop, Target: a.run("y")}
	if out := f.Do(t.Context(), i); out.Result != act.ResultApplied || len(a.done) != 1 || len(b.done) != 0 {
		t.Errorf("a did %d, b %d", len(a.done), len(b.done))
	}
	raise, no := act.ProposeRaise(&engine.Snapshot{Hub: engine.Hub{Name: b.name, Context: b.name.Text()}, Held: engine.HeldReadOnly}, time.Hour)
	if no.Refused() || f.Do(t.Context(), raise).Result != act.ResultApplied || len(b.done) != 1 {
		t.Errorf("writes were lifted on b %d times", len(b.done))
	}
}

// TestUnknownHub checks that nothing is asked and nothing is written for an object of a hub
// that is not in the list.
func TestUnknownHub(t *testing.T) {
	f, hubs := of(t, "a", "b")
	defer f.Close()
	other := engine.NewHubName("c", "").ID(engine.KindClusterStagedUpdateRun, "", "x", "u")
	if a := f.Ask(t.Context(), page.PlanQuestion{Run: other}); !strings.Contains(a.Err.String(), `"c" is not in this list`) {
		t.Errorf("answer %q", a.Err)
	}
	if out := f.Do(t.Context(), act.Intent{Act: engine.ActStop, Target: other}); out.Result != act.ResultRefused {
		t.Errorf("outcome %+v", out)
	}
	if out := f.Do(t.Context(), act.Intent{Act: engine.ActStop, Target: engine.NewID(engine.KindClusterStagedUpdateRun, "", "x", "u")}); out.Result != act.ResultRefused {
		t.Errorf("outcome of an object of no hub %+v", out)
	}
	for _, h := range hubs {
		if len(h.asked)+len(h.done) > 0 {
			t.Errorf("%s was asked %v and did %v", h.name.Raw(), h.asked, h.done)
		}
	}
}

// TestApprovalsOfAllHubs checks that the approvals of every hub are on one page, each with
// its hub.
func TestApprovalsOfAllHubs(t *testing.T) {
	f, hubs := of(t, "a", "b")
	defer f.Close()
	got := f.Ask(t.Context(), page.ApprovalsQuestion{})
	if len(got.Sections) != 2 || got.Sections[0].Heading().String() != "a: open 1" || got.Sections[1].Heading().String() != "b: open 1" || got.Question == nil {
		t.Errorf("%+v", got)
	}
	f.Want(engine.Focus{Cursor: hubs[1].run("x")}) // those of its hub come first
	if got := f.Ask(t.Context(), page.ApprovalsQuestion{}); got.Sections[0].Heading().String() != "b: open 1" || len(got.Sections) != 2 {
		t.Errorf("%+v", got)
	}
}
