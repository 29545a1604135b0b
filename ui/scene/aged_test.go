package scene

import (
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// Data is not called live by its age, although the Snapshot that says so is late.
func TestOldDataIsNotLive(t *testing.T) {
	t0 := time.Date(2026, 11, 22, 22, 0, 0, 0, time.UTC)
	ahead := 90 * time.Second // of the hub's clock
	hub := func(name string, heard time.Time, state engine.LinkState) *engine.Snapshot {
		h := engine.NewHubName(name, "")
		return &engine.Snapshot{
			At: heard, Skew: ahead, Hub: engine.Hub{Name: h, Context: engine.Clean(name)}, Link: engine.Link{State: state, Heard: heard},
			Runs: []*engine.RunView{{ID: h.ID(engine.KindClusterStagedUpdateRun, "", "web-r1", "u")}},
		}
	}
	sc := &Scene{Now: t0}
	one := hub("a", t0.Add(ahead), engine.LinkLive)
	sc.Show(one)
	sc.Tick(t0.Add(engine.StaleAfter))
	if sc.Snap != one {
		t.Errorf("after 10s: %s, writes off %q", sc.Snap.Link.State, sc.Snap.WritesOff)
	}
	sc.Tick(t0.Add(engine.StaleAfter + time.Second))
	if s := sc.Snap; s.Link.State != engine.LinkStale || s.WritesOff.IsZero() || s.Link.Err.IsZero() || len(s.Runs) != 1 || !s.Link.StaleFor(s.Runs[0]) ||
		!s.Link.Since.Equal(t0.Add(ahead+engine.StaleAfter)) || !s.Link.Heard.Equal(one.Link.Heard) {
		t.Errorf("after 11s: %+v", s)
	}
	if one.Link.State != engine.LinkLive {
		t.Error("the Snapshot of others was changed")
	}
	stale := sc.Snap
	if sc.Tick(t0.Add(time.Minute)); sc.Snap != stale {
		t.Error("it ages again")
	}
	// A Snapshot that comes late is old when it comes; one that is new is live.
	sc.Show(hub("a", t0.Add(ahead+30*time.Second), engine.LinkLive))
	if sc.Snap.Link.State != engine.LinkStale {
		t.Errorf("a late one: %s", sc.Snap.Link.State)
	}
	sc.Show(hub("a", t0.Add(ahead+time.Minute), engine.LinkLive))
	if sc.Snap.Link.State != engine.LinkLive {
		t.Errorf("a new one: %s", sc.Snap.Link.State)
	}
	// What is known to be worse, or has never been heard, stays as it is.
	for _, s := range []*engine.Snapshot{hub("a", t0, engine.LinkReconnecting), hub("a", time.Time{}, engine.LinkLive), hub("a", t0, engine.LinkLoading)} {
		if sc.Show(s); sc.Snap != s {
			t.Errorf("%s became %s", s.Link.State, sc.Snap.Link.State)
		}
	}

	// One of several hubs is old: the others stay writable.
	now := t0.Add(time.Minute)
	several := &engine.Snapshot{Hubs: []*engine.Snapshot{hub("a", now.Add(ahead), engine.LinkLive), hub("b", t0.Add(ahead), engine.LinkLive)}, Link: engine.Link{State: engine.LinkLive}}
	sc.Show(several)
	if s := sc.Snap; s.Link.State != engine.LinkStale || s.Link.Err.String() != "b: what has changed since is not shown yet" ||
		s.Hubs[0] != several.Hubs[0] || s.Hubs[1].Link.State != engine.LinkStale || !s.WritesOff.IsZero() || several.Hubs[1].Link.State != engine.LinkLive {
		t.Errorf("one of two: %+v", s)
	}
	sc.Tick(now.Add(time.Minute))
	if s := sc.Snap; s.Hubs[0].Link.State != engine.LinkStale || s.WritesOff.IsZero() {
		t.Errorf("both: %+v", s)
	}
}
