package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/stream/wanted"
)

// What Once fails with, for exit codes; test with errors.Is.
var (
	// ErrUnreachable: the hub did not answer in time.
	ErrUnreachable = errors.New("the hub is unreachable")
	// ErrForbidden: the login is not accepted, or it may not list any runs.
	ErrForbidden = errors.New("not permitted")
	// ErrNotServed is returned for a cluster without the kinds of staged update
	// runs.
	ErrNotServed = errors.New("the hub does not serve staged update runs")
)

// Reading says what Once reads beside the runs, and reports how far it is.
type Reading struct {
	// NamesOnly leaves out what states, diagnoses and remedies depend on.
	NamesOnly bool
	// NoRuns leaves out the runs too, for a page that depends on none.
	NoRuns bool
	// Members reads what members return about runs in trouble, memberRuns at most.
	Members bool
	// Select chooses the rows that List returns.
	Select Selector
	// Named, when not nil, selects the runs that List is about, as Config.Named selects one. It selects none if one of
	// those that it looks for is not there or ambiguous.
	Named func(runs []engine.ID) []engine.ID
}

// reach is how far the streams of a Reading go.
func (r *Reading) reach() wanted.Reach {
	switch {
	case r.NoRuns:
		return wanted.ReachHub
	case r.NamesOnly:
		return wanted.ReachFocus
	}
	return wanted.ReachTrouble
}

// OnceError is why Once has no Snapshot.
type OnceError struct {
	kind error // one of the Err values of this package
	// Err and Hint are one line each, for a person.
	Err, Hint engine.Text
	// Similar begins the hint with a name that may be meant; empty for none.
	Similar engine.Text
}

// Error returns what is wrong, without the hint.
func (e *OnceError) Error() string { return fmt.Sprintf("%v: %s", e.kind, e.Err) }

// Unwrap returns ErrUnreachable, ErrForbidden, ErrNotServed, ErrNoNamespace or ErrSelector.
func (e *OnceError) Unwrap() error { return e.kind }

// Once returns one Snapshot with every run of the scope, diagnosed as Explain does:
// with the bindings and whatever else diagnoses depend on. What of those could not be
// read, or not before the deadline of ctx, is in its Missing. When the hub does not give the runs it
// fails with an OnceError, after five seconds of silence at the latest; if the hub answers that it
// cannot give them yet, or has answered and is interrupted, after retryWait or at the deadline of ctx.
func Once(ctx context.Context, cfg Config, r Reading) (*engine.Snapshot, error) {
	s, _, err := List(ctx, cfg, r)
	return s, err
}

// List is Once with the rows that r.Select chooses.
func List(ctx context.Context, cfg Config, r Reading) (*engine.Snapshot, []*engine.RunView, error) {
	whole := make(chan *engine.Snapshot, 1)
	s, err := open(ctx, cfg, options{brief: true, reach: r.reach(), whole: firstOf(whole), named: r.Named})
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	snapshot, err := s.first(ctx, whole)
	if err != nil {
		return nil, nil, err
	}
	chosen, err := s.Select(ctx, snapshot, r.Select)
	if err != nil {
		return nil, nil, err
	}
	if r.Members {
		snapshot = s.askMembers(ctx, snapshot, chosen)
	}
	return snapshot, Rows(snapshot, chosen), nil
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
	outer := ctx
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
	p := s.newPatience(outer)
	silence := time.NewTimer(onceWait)
	defer silence.Stop()
	for {
		silence.Reset(time.Until(p.ends))
		select {
		case <-ctx.Done():
			if p.missing >= 0 && errors.Is(outer.Err(), context.DeadlineExceeded) {
				return s.served(last)
			}
			return nil, ctx.Err()
		case snapshot := <-whole:
			if snapshot.Link.State == engine.LinkLive {
				s.says(readingDetails(snapshot)) // the last Snapshots may not have come as news
				return done(snapshot)
			}
		case snapshot := <-news:
			last = snapshot
			if err := onceRefused(snapshot); err != nil {
				return nil, err
			}
			if s.cfg.Missing != nil {
				if missing := s.cfg.Missing(snapshot); missing != nil {
					return nil, cmp.Or(<-checked, missing)
				}
			}
			p.sees(snapshot)
			s.says(reading(snapshot))
		case <-silence.C:
			switch {
			case p.goesOn(last):
			case p.missing >= 0:
				return done(last)
			default:
				return nil, onceSilent(last)
			}
		}
	}
}

// says reports what is read, unless that is empty.
func (s *Session) says(what engine.Text) { progress(&s.cfg, what) }

func progress(cfg *Config, what engine.Text) {
	if cfg.Progress != nil && !what.IsZero() {
		cfg.Progress(what)
	}
}

func onceRefused(s *engine.Snapshot) error {
	if s.Link.State != engine.LinkRefused {
		return nil
	}
	return &OnceError{kind: ErrForbidden, Err: s.Link.Err, Hint: s.Link.Rerun}
}

func onceSilent(s *engine.Snapshot) error {
	e := &OnceError{kind: ErrUnreachable, Err: engine.Lit("no answer in time"), Hint: engine.Lit("check the network, VPN or kubeconfig")}
	if s != nil && !s.Link.Err.IsZero() {
		e.Err, e.Hint = s.Link.Err, s.Link.Rerun
	}
	return e
}

// served fails when the hub serves none of the kinds of run that were asked
// for: then an empty list would be taken for the truth.
func (s *Session) served(snapshot *engine.Snapshot) (*engine.Snapshot, error) {
	runs := snapshot.Scope.Runs
	if len(runs) == 0 || slices.ContainsFunc(runs, func(r engine.RunSet) bool { return r.State != engine.CoverNotServed }) {
		return snapshot, nil
	}
	return nil, &OnceError{
		kind: ErrNotServed, Err: engine.Textf("%s does not know ClusterStagedUpdateRun", snapshot.Hub.Server),
		Hint: engine.Lit("check that this context is a hub with KubeFleet's CRDs"),
	}
}
