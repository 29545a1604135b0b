package watch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// What Once fails with, for exit codes; test with errors.Is.
var (
	// ErrUnreachable: the hub did not answer in time.
	ErrUnreachable = errors.New("the hub is unreachable")
	// ErrForbidden: the login is not accepted, or it may not list any runs.
	ErrForbidden = errors.New("not permitted")
	// ErrNotServed: the hub does not know staged update runs.
	ErrNotServed = errors.New("the hub does not serve staged update runs")
)

const (
	// onceWait is how long Once waits for a hub that says nothing.
	onceWait = 5 * time.Second
	// onceBindings is how long it waits for the bindings of runs in trouble
	// once everything else is there.
	onceBindings = 2 * time.Second
)

// OnceError is why Once has no Snapshot.
type OnceError struct {
	kind error // one of the Err values of this package
	// Err and Hint are one line each, for a person.
	Err, Hint engine.Text
}

// Error returns what is wrong, without the hint.
func (e *OnceError) Error() string { return fmt.Sprintf("%v: %s", e.kind, e.Err) }

// Unwrap returns ErrUnreachable, ErrForbidden, ErrNotServed or ErrNoNamespace.
func (e *OnceError) Unwrap() error { return e.kind }

// Once returns one complete Snapshot. When the hub does not give one it fails
// with an OnceError, after five seconds of silence at the latest.
func Once(ctx context.Context, cfg Config) (*engine.Snapshot, error) {
	whole := make(chan *engine.Snapshot, 1)
	s, err := open(ctx, cfg, options{brief: true, whole: firstOf(whole)})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.first(ctx, whole)
}

// firstOf keeps the first Snapshot that it is given.
func firstOf(whole chan<- *engine.Snapshot) func(*engine.Snapshot) {
	return func(snapshot *engine.Snapshot) {
		select {
		case whole <- snapshot:
		default: // the first is enough
		}
	}
}

// first waits for the first complete Snapshot. It takes the Snapshots from Next
// until it returns.
func (s *Session) first(ctx context.Context, whole <-chan *engine.Snapshot) (*engine.Snapshot, error) {
	news := make(chan *engine.Snapshot)
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	defer func() {
		cancel()
		<-ended
	}()
	s.work.Go(func() {
		defer close(ended)
		for {
			snapshot, err := s.Next(ctx)
			if err != nil {
				return // the session or the caller is done
			}
			select {
			case news <- snapshot:
			case <-ctx.Done():
				return
			}
		}
	})
	checked := make(chan error, 1)
	s.work.Go(func() { checked <- s.CheckNamespace(ctx) })
	done := func(snapshot *engine.Snapshot) (*engine.Snapshot, error) {
		if err := <-checked; err != nil {
			return nil, err
		}
		return s.served(snapshot)
	}
	var last *engine.Snapshot
	silence := time.NewTimer(onceWait)
	defer silence.Stop()
	var bindings <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case snapshot := <-whole:
			if snapshot.Link.State == engine.LinkLive {
				return done(snapshot)
			}
		case snapshot := <-news:
			last = snapshot
			if err := onceRefused(snapshot); err != nil {
				return nil, err
			}
			if snapshot.Complete && bindings == nil {
				bindings = time.After(onceBindings)
			}
			if snapshot.Link.State == engine.LinkLoading || snapshot.Link.State == engine.LinkLive {
				// It answers: a large hub takes its time.
				if !snapshot.Link.Heard.IsZero() {
					silence.Reset(onceWait)
				}
			}
		case <-bindings:
			return done(last)
		case <-silence.C:
			return nil, onceSilent(last)
		}
	}
}

func onceRefused(s *engine.Snapshot) error {
	if s.Link.State != engine.LinkRefused {
		return nil
	}
	return &OnceError{kind: ErrForbidden, Err: s.Link.Err, Hint: s.Link.Hint}
}

func onceSilent(s *engine.Snapshot) error {
	e := &OnceError{kind: ErrUnreachable, Err: engine.Lit("no answer in time"), Hint: engine.Lit("check the network, VPN or kubeconfig")}
	if s != nil && !s.Link.Err.IsZero() {
		e.Err, e.Hint = s.Link.Err, s.Link.Hint
	}
	return e
}

// served fails when the hub serves none of the kinds of run that were asked
// for: then an empty list would be taken for the truth.
func (s *Session) served(snapshot *engine.Snapshot) (*engine.Snapshot, error) {
	if !s.feed.unserved.Load() {
		return snapshot, nil
	}
	return nil, &OnceError{
		kind: ErrNotServed, Err: engine.Textf("%s does not know ClusterStagedUpdateRun", snapshot.Hub.Server),
		Hint: engine.Lit("is this the hub, and are KubeFleet's CRDs installed there?"),
	}
}
