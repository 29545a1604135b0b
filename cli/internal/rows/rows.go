// Package rows is between a session and its screen: it keeps the context of a session that
// serves runs, and the rows of the session before until the new one has some.
package rows

import (
	"context"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/statedir"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui"
	"github.com/stagewatch/stagewatch/watch"
)

// Kept are the latest Snapshots with rows of the hubs of a screen. The screen after a login has
// them until its sessions are answered: a login that fails again must not take them away.
type Kept struct {
	mu     sync.Mutex
	latest map[engine.HubName]*engine.Snapshot
}

// Source is a session that keeps its context as a hub once it served a kind of run.
type Source struct {
	ui.Source
	// Context is the name of the context.
	Context string
	// Log gets the error when the context cannot be kept.
	Log io.Writer
	// Kept are the rows of the session before; nil for none.
	Kept   *Kept
	once   sync.Once
	serves bool // the hub serves runs
	read   bool // the session has rows of its own, or has been told that it gets none
}

// Next returns the Snapshot of the session, with the rows of the session before while it has none.
// The call after the first runs records the context as a hub, so that they do not wait for the
// disk. Calls must not overlap.
func (r *Source) Next(ctx context.Context) (*engine.Snapshot, error) {
	if r.serves {
		r.once.Do(func() {
			if err := statedir.Default().RememberHub(r.Context, time.Now()); err != nil {
				exit.Say(r.Log, "%v\n", err)
			}
		})
	}
	s, err := r.Source.Next(ctx)
	if err != nil {
		return s, err //nolint:wrapcheck // that of the session
	}
	r.serves = r.serves || servesRuns(s)
	if r.Kept != nil {
		s = r.complete(s)
	}
	return s, nil
}

func servesRuns(s *engine.Snapshot) bool {
	return slices.ContainsFunc(s.Scope.Runs, func(r engine.RunSet) bool { return r.State == engine.CoverComplete })
}

// complete returns a Snapshot, with the kept rows if it has none because the hub has not been
// read yet. They are stale.
func (r *Source) complete(s *engine.Snapshot) *engine.Snapshot {
	k := r.Kept
	k.mu.Lock()
	defer k.mu.Unlock()
	rejected := s.Link.State == engine.LinkRefused && !s.Link.LoginFailed
	r.read = r.read || len(s.Runs) > 0 || s.Link.State == engine.LinkLive || rejected
	switch old := k.latest[s.Hub.Name]; {
	case r.read:
		if k.latest == nil {
			k.latest = map[engine.HubName]*engine.Snapshot{}
		}
		k.latest[s.Hub.Name] = s
		return s
	case old == nil, old.Hub.Server != s.Hub.Server, old.Scope.Namespaces != s.Scope.Namespaces:
		return s
	default:
		return staled(old, s)
	}
}

// staled is an old Snapshot with the connection of a new one.
func staled(old, s *engine.Snapshot) *engine.Snapshot {
	out := *old
	out.Seq, out.At, out.Hub, out.Link, out.WritesOff = s.Seq, s.At, s.Hub, s.Link, s.WritesOff
	out.Raised, out.Detail = time.Time{}, nil
	if s.Skew != 0 {
		out.Skew = s.Skew
	}
	if s.Link.State == engine.LinkLoading {
		out.Link.State, out.Link.Err = engine.LinkStale, engine.Lit("the hub is read again")
	}
	out.Link.Heard = old.Link.Heard
	out.Link.Stale = []engine.StaleSet{{Kind: engine.KindClusterStagedUpdateRun}, {Kind: engine.KindStagedUpdateRun}} // all rows
	return &out
}

var _ ui.Source = (*watch.Session)(nil)
