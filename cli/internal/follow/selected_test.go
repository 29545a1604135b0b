package follow

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch"
	"github.com/stagewatch/stagewatch/watch/fleet"
)

// hub is a session that a test gives Snapshots, and that selects every run, or fails.
type hub struct {
	fleet.Session
	snaps chan *engine.Snapshot
	asked []time.Time
	err   error
	hangs chan struct{}
}

func (h *hub) Next(ctx context.Context) (*engine.Snapshot, error) {
	select {
	case s := <-h.snaps:
		return s, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (h *hub) Select(ctx context.Context, s *engine.Snapshot, _ watch.Selector) (map[engine.ID]bool, error) {
	h.asked = append(h.asked, time.Now())
	if h.hangs != nil {
		<-h.hangs
	}
	chosen := map[engine.ID]bool{}
	for _, v := range s.Runs {
		chosen[v.ID] = true
	}
	return chosen, h.err
}

func newHub() (*hub, *Selected) {
	h := &hub{snaps: make(chan *engine.Snapshot, 10)}
	return h, &Selected{Session: h, Selector: watch.Selector{Labels: "a"}}
}

// listing is a whole Snapshot with a run of a hub, as new as changed.
func listing(name string) *engine.Snapshot {
	v := &engine.RunView{ID: engine.NewHubName(name, "").ID(engine.KindClusterStagedUpdateRun, "", "r", "u")}
	return &engine.Snapshot{Hub: engine.Hub{Name: engine.NewHubName(name, "")}, Complete: true, Link: engine.Link{State: engine.LinkLive}, Runs: []*engine.RunView{v}}
}

// TestSelectedAsksSeldom: the API server selects when a row has changed, at most once a second;
// after an error once in ten seconds, whatever changes, until it succeeds.
func TestSelectedAsksSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, s := newHub()
		next := func(want *engine.Snapshot) {
			t.Helper()
			if got, err := s.Next(t.Context()); err != nil || got != want {
				t.Fatalf("%v, %v", got, err)
			}
		}
		began, first := time.Now(), listing("a")
		same := *first
		for _, snap := range []*engine.Snapshot{first, &same, listing("a"), {Link: engine.Link{State: engine.LinkReconnecting}}} {
			h.snaps <- snap
			next(snap)
		}
		if _, ok, _ := s.Rows(first); ok {
			t.Error("rows of a Snapshot that was not selected from last")
		}
		h.err = errors.New("forbidden")
		later := listing("a")
		for range 5 {
			later = listing("a")
			h.snaps <- later
			next(later)
		}
		if _, ok, err := s.Rows(later); !ok || !errors.Is(err, h.err) {
			t.Errorf("ok %v, error %v", ok, err)
		}
		h.err = nil
		next(later) // although nothing comes
		rows, ok, err := s.Rows(later)
		if len(rows) != 1 || !ok || err != nil {
			t.Errorf("%v, %v, %v", rows, ok, err)
		}
		var at []time.Duration
		for _, x := range h.asked {
			at = append(at, x.Sub(began))
		}
		if want := []time.Duration{0, time.Second, 2 * time.Second, 12 * time.Second}; !slices.Equal(at, want) {
			t.Errorf("asked after %v, want %v", at, want)
		}
	})
}

// TestHubsSelectIndependently: while one hub hangs, the rows of another are there.
func TestHubsSelectIndependently(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow, hangs := newHub()
		slow.hangs = make(chan struct{})
		fast, selects := newHub()
		all := fleet.New(t.Context(), []fleet.Hub{{Hub: engine.Hub{Name: engine.NewHubName("a", "")}, Session: hangs}, {Hub: engine.Hub{Name: engine.NewHubName("b", "")}, Session: selects}}, nil)
		slow.snaps <- listing("a")
		synctest.Wait()
		fast.snaps <- listing("b")
		defer close(slow.hangs)
		limited, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for listed := false; !listed; {
			snap, err := all.Next(limited)
			if err != nil {
				t.Error("the rows of one hub wait for another")
				return
			}
			rows, ok, err := selects.Rows(snap.Each()[1])
			listed = ok && err == nil && len(rows) == 1
		}
	})
}
