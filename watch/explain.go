package watch

import (
	"context"
	"errors"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/watch/ask"
	"github.com/stagewatch/stagewatch/watch/stream/wanted"
)

// Explained is a run with all that a diagnosis of it can be written from.
type Explained struct {
	Snapshot *engine.Snapshot
	Run      *engine.RunView
	// Detail has the run's clusters; nil when they did not come in time.
	Detail *engine.Detail
	// Plan has what refuses the run, and what will.
	Plan plan.Plan
	// Hub has what its diagnosis reads on demand; nil when it reads nothing.
	Hub *page.HubFacts
}

// Facts are what engine writes the diagnosis from.
func (e *Explained) Facts() page.DiagnosisFacts {
	return page.DiagnosisFacts{
		Hub:      e.Hub,
		Snapshot: e.Snapshot, Run: e.Run, Detail: e.Detail, Plan: &e.Plan, Now: e.Snapshot.At,
	}
}

// Explain reads all about one run, once. pick chooses it from a complete Snapshot, which also has the placements if
// cfg.Named selects none; its error is returned as it is. Explain fails as Once does when the
// hub gives none. What else cannot be read is named in the result.
func Explain(ctx context.Context, cfg Config, pick func(*engine.Snapshot) (*engine.RunView, error)) (*Explained, error) {
	s, e, err := one(ctx, cfg, true, pick)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	s.askHeldUp(ctx, e)
	facts := e.Facts()
	e.Hub = ask.NewReader(s.hub).HubFacts(ctx, &facts)
	e.Plan = ask.NewReader(s.hub).PlanOf(ctx, e.Run.ID, ask.Assumptions{StuckAfter: cfg.Settings.StuckAfter})
	e.Plan.Diagnose(e.Run)
	return e, nil
}

// OnceRun is Once for one run, which pick chooses.
func OnceRun(ctx context.Context, cfg Config, pick func(*engine.Snapshot) (*engine.RunView, error)) (*engine.Snapshot, *engine.RunView, error) {
	s, e, err := one(ctx, cfg, false, pick)
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	s.askHeldUp(ctx, e)
	return e.Snapshot, e.Run, nil
}

// one reads one run with its bindings. If cfg.Named selects none, placements says whether they are read for pick. The caller
// must close the Session when there is no error.
func one(ctx context.Context, cfg Config, placements bool, pick func(*engine.Snapshot) (*engine.RunView, error)) (*Session, *Explained, error) {
	whole := make(chan *engine.Snapshot, 1)
	s, err := open(ctx, cfg, options{brief: true, reach: wanted.ReachFocus, whole: firstOf(whole), named: cfg.Named, placements: placements})
	if err != nil {
		return nil, nil, err
	}
	snapshot, err := s.first(ctx, whole)
	if err == nil {
		var v *engine.RunView
		if v, err = pick(snapshot); err == nil {
			e := &Explained{Snapshot: snapshot, Run: v}
			if e.Snapshot, err = s.OpenRun(ctx, snapshot, v.ID); err == nil {
				if d := e.Snapshot.Detail; d != nil && d.Run.ID == v.ID {
					e.Run, e.Detail = d.Run, d
				} else if now := e.Snapshot.Find(v.ID); now != nil {
					e.Run = now
				}
				return s, e, nil
			}
		}
	}
	s.Close()
	return nil, nil, err
}

// OpenRun wants the run, and waits until its clusters are known with their
// bindings and members, or it is clear that they will not be. last is the latest Snapshot
// that this Session has returned, nil for none. OpenRun returns the latest one, which is
// last when there is no newer one.
func (s *Session) OpenRun(ctx context.Context, last *engine.Snapshot, run engine.ID) (*engine.Snapshot, error) {
	s.Want(engine.Focus{Cursor: run, Run: run})
	p, before := s.newPatience(ctx), s.hub.Received()
	if last != nil {
		p.sees(last)
	}
	var bindings engine.Coverage
	for {
		if read(last, run) { // what nothing changes is not published again
			return last, nil
		}
		limited, cancel := context.WithTimeout(ctx, min(time.Until(p.ends), progressEvery))
		snapshot, err := s.Next(limited)
		cancel()
		switch {
		case err == nil:
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			return last, nil
		case ctx.Err() != nil, !errors.Is(err, context.DeadlineExceeded):
			return nil, err
		case time.Now().Before(p.ends), p.goesOn(last):
			s.says(readingRun(last, s.hub.Received()-before))
			continue
		default:
			return last, nil // the answer says what is not known
		}
		last = snapshot
		p.sees(snapshot)
		d := snapshot.Detail
		if d == nil || d.Run.ID != run {
			if snapshot.Find(run) == nil && snapshot.Complete {
				return last, nil // it was deleted
			}
			continue
		}
		if d.Bindings != bindings {
			bindings = d.Bindings
			p.renew()
		}
	}
}

// progressEvery is how often the progress of a read says how much has come.
const progressEvery = 500 * time.Millisecond

// readingRun says what a read of a run waits for, and how many bytes have come.
func readingRun(s *engine.Snapshot, bytes int64) engine.Text {
	if s != nil && isAway(&s.Link) {
		return waitingFor(s.Link.Err)
	}
	return engine.Textf("reading the run: %s", engine.Size(bytes))
}

// read reports whether a Snapshot has a run opened, with everything that is read for it.
func read(s *engine.Snapshot, run engine.ID) bool {
	if s == nil || s.Detail == nil || s.Detail.Run.ID != run || s.Detail.Reading || s.Awaits(run) {
		return false
	}
	switch s.Detail.Bindings.State {
	case engine.CoverNotAsked, engine.CoverLoading:
		return false
	}
	return true
}

// Diagnose is OpenRun, and reads from the member of the cluster that holds the run up
// what the diagnosis depends on.
func (s *Session) Diagnose(ctx context.Context, last *engine.Snapshot, run engine.ID) (*engine.Snapshot, error) {
	snapshot, err := s.OpenRun(ctx, last, run)
	if err != nil {
		return nil, err
	}
	if d := snapshot.Detail; d != nil && d.Run.ID == run {
		e := &Explained{Snapshot: snapshot, Run: d.Run, Detail: d}
		s.askHeldUp(ctx, e)
		snapshot = e.Snapshot
	}
	return snapshot, nil
}

// reportWait bounds how long a report takes to become a diagnosis.
const reportWait = 2 * time.Second

// askHeldUp reads the pods of the cluster that holds the run up from its member,
// and waits for the diagnosis that they make.
func (s *Session) askHeldUp(ctx context.Context, e *Explained) {
	c := e.Detail.HeldUp()
	if c == nil || s.cfg.Members == nil || c.Diagnosis.What.IsZero() {
		return
	}
	s.Ask(ctx, memberQuestion(e.Run, c.Member))
	limited, cancel := context.WithTimeout(ctx, reportWait)
	defer cancel()
	for {
		snapshot, err := s.Next(limited)
		if err != nil {
			return // the page goes without
		}
		d := snapshot.Detail
		if d == nil || d.Run.ID != e.Run.ID {
			continue
		}
		e.Snapshot, e.Run, e.Detail = snapshot, d.Run, d
		if v := d.Cluster(c.Member); v != nil && !v.Diagnosis.Read.At.IsZero() {
			return
		}
	}
}
