package follow

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch"
	"github.com/stagewatch/stagewatch/watch/fleet"
)

const (
	// selectEvery is the shortest time between two selections of a hub.
	selectEvery = time.Second
	// selectAgain is when a selection that failed is repeated, although nothing has changed.
	selectAgain = 10 * time.Second
)

// Session keeps one hub in view and selects from its rows; *watch.Session is one.
type Session interface {
	fleet.Session
	Select(ctx context.Context, s *engine.Snapshot, x watch.Selector) (map[engine.ID]bool, error)
}

// Selected is the session of a hub whose API server selects the rows. Each hub selects
// independently: one that hangs or rejects the selector holds up no other.
type Selected struct {
	Session
	// Selector selects; the zero Selector every row.
	Selector watch.Selector

	latest *engine.Snapshot // of Next
	asked  time.Time        // when the API server was asked last
	now    atomic.Pointer[selection]
}

// selection is what was selected of the rows of a Snapshot, or why that failed.
type selection struct {
	of     []*engine.RunView
	chosen map[engine.ID]bool
	err    error
}

// Next returns the next Snapshot once its rows were selected, or could not be.
func (s *Selected) Next(ctx context.Context) (*engine.Snapshot, error) {
	if s.Selector.IsZero() {
		return s.Session.Next(ctx)
	}
	select {
	case <-time.After(selectEvery - time.Since(s.asked)):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	var limit time.Duration
	if now := s.now.Load(); now != nil && now.err != nil {
		limit = max(selectAgain-time.Since(s.asked), 1)
	}
	snap, err := Await(ctx, s.Session.Next, s.latest, limit)
	if err != nil {
		return nil, err
	}
	if s.latest = snap; Whole(snap) {
		s.From(ctx, snap)
	}
	return snap, ctx.Err()
}

// From selects from the rows of a Snapshot. Next does that for those that it returns.
func (s *Selected) From(ctx context.Context, snap *engine.Snapshot) {
	now := s.now.Load()
	switch {
	case now != nil && now.err != nil && time.Since(s.asked) < selectAgain:
		s.now.Store(&selection{of: snap.Runs, err: now.err})
	case now == nil || now.err != nil || !slices.Equal(now.of, snap.Runs): // a run that did not change keeps its pointer
		chosen, err := s.Select(ctx, snap, s.Selector)
		s.latest, s.asked = snap, time.Now()
		s.now.Store(&selection{of: snap.Runs, chosen: chosen, err: err})
	}
}

// Rows returns the selected rows of a Snapshot; ok is false for one that they were not
// selected from, because a later one follows.
func (s *Selected) Rows(snap *engine.Snapshot) (rows []*engine.RunView, ok bool, err error) {
	if s.Selector.IsZero() {
		return snap.Runs, true, nil
	}
	now := s.now.Load()
	if now == nil || !slices.Equal(now.of, snap.Runs) {
		return nil, false, nil
	}
	return watch.Rows(snap, now.chosen), true, now.err
}
