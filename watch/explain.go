package watch

import (
	"context"
	"errors"

	"github.com/stagewatch/stagewatch/engine"
)

// Explained is a run with all that a diagnosis of it can be written from.
type Explained struct {
	Snapshot *engine.Snapshot
	Run      *engine.RunView
	// Detail has the run's clusters; nil when they did not come in time.
	Detail *engine.Detail
	// Plan has what refuses the run, and what will.
	Plan engine.Plan
}

// Facts are what engine writes the diagnosis from.
func (e *Explained) Facts() engine.DiagnosisFacts {
	return engine.DiagnosisFacts{
		Question: engine.Question{Kind: engine.QuestionDiagnosis, About: e.Run.ID, Run: e.Run.ID},
		Snapshot: e.Snapshot, Run: e.Run, Detail: e.Detail, Plan: &e.Plan, Now: e.Snapshot.At,
	}
}

// Explain reads all about one run, once. pick chooses it from a complete
// Snapshot; its error is returned as it is. Explain fails as Once does when the
// hub gives none. What else cannot be read is named in the result.
func Explain(ctx context.Context, cfg Config, pick func(*engine.Snapshot) (*engine.RunView, error)) (*Explained, error) {
	whole := make(chan *engine.Snapshot, 1)
	s, err := open(ctx, cfg, options{brief: true, whole: firstOf(whole)})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	snapshot, err := s.first(ctx, whole)
	if err != nil {
		return nil, err
	}
	v, err := pick(snapshot)
	if err != nil {
		return nil, err
	}
	e := &Explained{Snapshot: snapshot, Run: v}
	if err := s.opened(ctx, e); err != nil {
		return nil, err
	}
	ns, name, _ := e.Run.ID.Raw()
	run, err := s.hub.run(ctx, ns, name)
	if err != nil {
		e.Plan.Unknown = append(e.Plan.Unknown, engine.PlanGap{
			What: engine.Lit("what refuses it"), Why: sortError(err, s.hub.server).err, Forbidden: kindOf(err) == failForbidden,
		})
		return e, nil
	}
	e.Plan = s.hub.plan(ctx, run, assumptions{})
	return e, nil
}

// opened waits until the clusters of the run are known with their bindings, or
// it is clear that they will not be.
func (s *Session) opened(ctx context.Context, e *Explained) error {
	s.Want(engine.Focus{Run: e.Run.ID})
	limited, cancel := context.WithTimeout(ctx, onceBindings)
	defer cancel()
	for {
		snapshot, err := s.Next(limited)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, context.DeadlineExceeded):
			return nil // the page says what is not known
		case err != nil:
			return err
		}
		d := snapshot.Detail
		if d == nil || d.Run.ID != e.Run.ID {
			continue
		}
		e.Snapshot, e.Run, e.Detail = snapshot, d.Run, d
		switch d.Bindings.State {
		case engine.CoverNotAsked, engine.CoverLoading:
		default:
			if !d.Reading {
				return nil
			}
		}
	}
}
