package watch

import (
	"context"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/watch/ask"
	"github.com/stagewatch/stagewatch/watch/client"
)

// Page reads one page of the screen, once. pick chooses the run that it is about from a
// complete Snapshot; with nil it is about all runs. question asks about the run, which is
// nil without pick, with its clusters as far as they were read. r says what is read beside the
// runs before a page about all of them. The errors of pick and question are returned as they
// are, others are those of Once.
func Page(ctx context.Context, cfg Config, r Reading, pick func(*engine.Snapshot) (*engine.RunView, error), question func(*engine.RunView, *engine.Detail) (page.Question, error)) (engine.Hub, page.Answer, error) {
	s, e, err := paged(ctx, cfg, r, pick)
	if err != nil {
		return engine.Hub{}, page.Answer{}, err
	}
	defer s.Close()
	q, err := question(e.Run, e.Detail)
	if err != nil {
		return engine.Hub{}, page.Answer{}, err
	}
	a := s.askAll(ctx, q)
	hub := e.Snapshot.Hub
	hub.User = engine.Clean(s.who()) // which may have become known meanwhile
	return hub, a, nil
}

// askAll asks until the answer is complete. A hub that is interrupted meanwhile is asked again for
// as long as retryWait.
func (s *Session) askAll(ctx context.Context, q page.Question) page.Answer {
	p := s.newPatience(ctx)
	for {
		a := s.Ask(ctx, q)
		switch {
		case ctx.Err() != nil, a.Err.IsZero() && a.More.IsZero():
			return a
		case a.Err.IsZero():
			s.says(a.More)
			p.renew()
		case a.Fault != act.FaultUnreachable || time.Now().After(p.limit(p.moved)):
			return a
		default:
			s.says(waitingFor(a.Err))
			if !client.Sleep(ctx, retryEvery) {
				return a
			}
		}
	}
}

// StreamLog reads a log line by line, until it or ctx ends. It chooses the run and asks as Page
// does, within opening. Unread of the answer says why there is no log.
func StreamLog(ctx, opening context.Context, cfg Config, pick func(*engine.Snapshot) (*engine.RunView, error), question func(*engine.RunView, *engine.Detail) (page.Question, error), r LogRange, out LogOutput) (page.Answer, error) {
	s, e, err := paged(opening, cfg, Reading{}, pick)
	if err != nil {
		return page.Answer{}, err
	}
	defer s.Close()
	q, err := question(e.Run, e.Detail)
	if err != nil {
		return page.Answer{}, err
	}
	return s.asks.Stream(ctx, q, r, out), nil
}

// LogRange is which lines of a log are read.
type LogRange = client.LogRange

// LogOutput takes the lines of a log.
type LogOutput = ask.LogOutput

// paged reads what a page is about. The caller must close the Session when there is no
// error.
func paged(ctx context.Context, cfg Config, r Reading, pick func(*engine.Snapshot) (*engine.RunView, error)) (*Session, *Explained, error) {
	if pick != nil {
		return one(ctx, cfg, false, pick)
	}
	whole := make(chan *engine.Snapshot, 1)
	s, err := open(ctx, cfg, options{brief: true, reach: r.reach(), whole: firstOf(whole)})
	if err != nil {
		return nil, nil, err
	}
	snapshot, err := s.first(ctx, whole)
	if err != nil {
		s.Close()
		return nil, nil, err
	}
	return s, &Explained{Snapshot: snapshot}, nil
}
