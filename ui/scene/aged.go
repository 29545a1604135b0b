package scene

import (
	"slices"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// Show makes a Snapshot the latest one.
func (s *Scene) Show(snap *engine.Snapshot) {
	s.Snap = snap
	s.age()
}

// Tick sets the time.
func (s *Scene) Tick(now time.Time) {
	s.Now = now
	s.age()
}

// age takes the word "live" from what is too old for it, and writes with it. The next
// Snapshot, which would say so, may be late: it is made of all runs of the hub
// (docs/promises.md#i1).
func (s *Scene) age() {
	if s.Snap == nil {
		return
	}
	if len(s.Snap.Hubs) == 0 {
		s.Snap = aged(s.Snap, s.Now)
		return
	}
	all := *s.Snap
	all.Hubs = slices.Clone(all.Hubs)
	changed, off := false, true
	for i, h := range all.Hubs {
		old := aged(h, s.Now)
		if old != h {
			all.Hubs[i], changed = old, true
			if all.Link.State == engine.LinkLive {
				all.Link = old.Link
				all.Link.Err = engine.Textf("%s: %s", old.Hub.Context, old.Link.Err)
			}
		}
		off = off && !old.WritesOff.IsZero()
	}
	if !changed {
		return
	}
	if off && all.WritesOff.IsZero() {
		all.WritesOff = tooOld
	}
	s.Snap = &all
}

var tooOld = engine.Lit("the data may be old: nothing newer was shown recently")

// aged returns the Snapshot of a hub as it counts at a local time.
func aged(s *engine.Snapshot, now time.Time) *engine.Snapshot {
	staleAt := s.Link.Heard.Add(engine.StaleAfter)
	if s.Link.State != engine.LinkLive || s.Link.Heard.IsZero() || !now.Add(s.Skew).After(staleAt) {
		return s
	}
	old := *s
	old.Link.State, old.Link.Since = engine.LinkStale, staleAt
	old.Link.Err, old.Link.Hint = engine.Lit("what has changed since is not shown yet"), engine.Lit("the data may be old")
	old.Link.Stale = []engine.StaleSet{{Kind: engine.KindClusterStagedUpdateRun}, {Kind: engine.KindStagedUpdateRun}} // all rows
	if old.WritesOff.IsZero() {
		old.WritesOff = tooOld
	}
	return &old
}
