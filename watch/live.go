package watch

import (
	"context"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/stream/wanted"
)

// liveWait is how long OpenLive waits, once every set is complete, for a live
// connection and for the name of the user.
const liveWait = 15 * time.Second

// OpenLive opens a session and waits until its Snapshot is complete and live,
// which acts require. If Config.Named selects a run, of runs and placements only what belongs to it is
// read, again and again; if it selects none, only the rows of all runs, once. Without Config.Named all runs are
// watched, and of those that have succeeded, only the rows are read where there are many, until OpenRun needs more. OpenLive returns
// the errors of Once; limit, if not zero, bounds the wait. If the error is nil, the caller must call Close.
func OpenLive(ctx context.Context, cfg Config, limit time.Duration) (*Session, *engine.Snapshot, error) {
	whole := make(chan *engine.Snapshot, 1)
	s, err := open(ctx, cfg, options{reach: wanted.ReachFocus, whole: firstOf(whole), named: cfg.Named, rows: cfg.Named == nil})
	if err != nil {
		return nil, nil, err
	}
	if limit > 0 {
		limited, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		ctx = limited
	}
	snapshot, err := s.first(ctx, whole)
	if err == nil {
		snapshot, err = s.actable(ctx, snapshot)
	}
	if err != nil {
		s.Close()
		return nil, nil, err
	}
	return s, snapshot, nil
}

// actable waits until the Snapshot is live and names the person.
func (s *Session) actable(ctx context.Context, last *engine.Snapshot) (*engine.Snapshot, error) {
	limited, cancel := context.WithTimeout(ctx, liveWait)
	defer cancel()
	select {
	case <-s.reviewed:
	case <-limited.Done():
	}
	for !last.Complete || last.Link.State != engine.LinkLive || last.Hub.User != engine.Clean(s.who()) {
		if err := onceRefused(last); err != nil {
			return nil, err
		}
		next, err := s.Next(limited)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, onceSilent(last)
		}
		last = next
	}
	return last, nil
}

// OpenList opens a session that only reads, and waits until its Snapshot has every run. With
// causes it reads what the diagnoses of all rows are made from. It returns the errors of Once;
// limit, if not zero, bounds the wait. If the error is nil, the caller must call Close.
func OpenList(ctx context.Context, cfg Config, limit time.Duration, causes bool) (*Session, *engine.Snapshot, error) {
	whole := make(chan *engine.Snapshot, 1)
	s, err := followList(ctx, cfg, causes, firstOf(whole))
	if err != nil {
		return nil, nil, err
	}
	if limit > 0 {
		limited, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		ctx = limited
	}
	snapshot, err := s.first(ctx, whole)
	if err != nil {
		s.Close()
		return nil, nil, err
	}
	return s, snapshot, nil
}

// FollowList is OpenList for a hub that need not answer: what is wrong shows in the
// Snapshots.
func FollowList(ctx context.Context, cfg Config, causes bool) (*Session, error) {
	return followList(ctx, cfg, causes, nil)
}

func followList(ctx context.Context, cfg Config, causes bool, whole func(*engine.Snapshot)) (*Session, error) {
	cfg.Settings.ReadOnly, cfg.Settings.Raisable = engine.Lit("a list writes nothing"), false
	reach := wanted.ReachScreen
	if causes {
		reach = wanted.ReachList
	}
	return open(ctx, cfg, options{reach: reach, whole: whole})
}
