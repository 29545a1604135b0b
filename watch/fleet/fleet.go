// Package fleet shows the runs of several hubs in one list: it merges the Snapshots of
// their sessions, and takes each question and each write to the hub that it is about. A hub
// that is slow, unreachable or rejects its user changes nothing for the others.
package fleet

import (
	"context"
	"slices"
	"sync"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/watch/internal/task"
)

// Session keeps one hub in view; *watch.Session is one. Its owner closes it.
type Session interface {
	Next(ctx context.Context) (*engine.Snapshot, error)
	Want(f engine.Focus)
	Ask(ctx context.Context, q page.Question) page.Answer
	Do(ctx context.Context, i act.Intent) act.Outcome
}

// Hub is a hub of the list, with its name and context.
type Hub struct {
	engine.Hub
	Session Session
}

// Fleet is several hubs in one list. Next is for one goroutine, the other methods for any.
type Fleet struct {
	hubs   []Hub
	ctx    context.Context
	cancel context.CancelFunc
	work   task.Group
	moved  chan struct{} // latest or focus has changed; one is kept
	merged *engine.Snapshot

	mu     sync.Mutex
	latest []*engine.Snapshot // of each hub
	focus  engine.Focus
}

// New shows hubs, at least two of different names, until ctx ends or Close is called.
// panicked is called with the value of a panic, in the goroutine that panicked; if nil, the
// panic ends the process.
func New(ctx context.Context, hubs []Hub, panicked func(any)) *Fleet {
	f := &Fleet{hubs: hubs, moved: make(chan struct{}, 1)}
	f.ctx, f.cancel = context.WithCancel(ctx)
	f.work.Panicked = panicked
	for i := range hubs {
		f.latest = append(f.latest, &engine.Snapshot{Hub: hubs[i].Hub, WritesOff: engine.Lit("the hub's objects are still loading")})
	}
	for i := range hubs { // once the slice of the latest is complete: each follower writes into it
		f.work.Go(func() { f.follow(i) })
	}
	f.move()
	return f
}

// Close stops to follow the hubs. Their sessions stay open.
func (f *Fleet) Close() {
	f.cancel()
	f.work.Wait()
}

// follow keeps the latest Snapshot of a hub until its session ends.
func (f *Fleet) follow(i int) {
	for {
		s, err := f.hubs[i].Session.Next(f.ctx)
		if err != nil {
			return
		}
		f.mu.Lock()
		f.latest[i] = s
		f.mu.Unlock()
		f.move()
	}
}

func (f *Fleet) move() {
	select {
	case f.moved <- struct{}{}:
	default: // Next is told already
	}
}

// Next waits until a hub has changed, and returns the list of all.
func (f *Fleet) Next(ctx context.Context) (*engine.Snapshot, error) {
	select {
	case <-f.moved:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-f.ctx.Done():
		return nil, f.ctx.Err()
	}
	f.mu.Lock()
	latest, looked := append([]*engine.Snapshot(nil), f.latest...), lookedAt(f.focus).Hub()
	f.mu.Unlock()
	f.merged = observe.Merge(f.merged, latest, looked)
	return f.merged, nil
}

// lookedAt is the opened run or, in the list, the one under the cursor.
func lookedAt(f engine.Focus) engine.ID {
	if f.Run.IsZero() {
		return f.Cursor
	}
	return f.Run
}

// Want says what is looked at: its hub reads more for it, the others no longer do.
func (f *Fleet) Want(focus engine.Focus) {
	f.mu.Lock()
	before := lookedAt(f.focus).Hub()
	f.focus = focus
	f.mu.Unlock()
	for i := range f.hubs {
		var own engine.Focus
		if name := f.hubs[i].Name; focus.Run.Hub() == name {
			own.Run = focus.Run
		}
		if focus.Cursor.Hub() == f.hubs[i].Name {
			own.Cursor, own.Top = focus.Cursor, focus.Top
		}
		own.AllRows = focus.AllRows
		for _, id := range focus.Rows {
			if id.Hub() == f.hubs[i].Name {
				own.Rows = append(own.Rows, id)
			}
		}
		f.hubs[i].Session.Want(own)
	}
	if before != lookedAt(focus).Hub() {
		f.move() // ages are by the clock of another hub
	}
}

// of returns the session of a hub; nil for one that is not in the list.
func (f *Fleet) of(name engine.HubName) Session {
	for i := range f.hubs {
		if f.hubs[i].Name == name {
			return f.hubs[i].Session
		}
	}
	return nil
}

// Ask asks the hub that the question is about; all of them for the approvals.
func (f *Fleet) Ask(ctx context.Context, q page.Question) page.Answer {
	name := page.Subject(q).Hub()
	if name.IsZero() {
		return f.askAll(ctx, q)
	}
	s := f.of(name)
	if s == nil {
		return page.Answer{Question: q, Err: notShown(name)}
	}
	return s.Ask(ctx, q)
}

// askAll joins the answers of all hubs, that of the hub that is looked at first: each
// section says of which hub it is.
func (f *Fleet) askAll(ctx context.Context, q page.Question) page.Answer {
	f.mu.Lock()
	looked := lookedAt(f.focus).Hub()
	f.mu.Unlock()
	answers := make([]page.Answer, len(f.hubs))
	var asked task.Group
	asked.Panicked = f.work.Panicked
	for i := range f.hubs {
		asked.Go(func() { answers[i] = f.hubs[i].Session.Ask(ctx, q) })
	}
	asked.Wait()
	hubs := make([]engine.Hub, 0, len(f.hubs))
	var ordered []page.Answer
	for i := range f.hubs {
		if f.hubs[i].Name == looked {
			hubs, ordered = append([]engine.Hub{f.hubs[i].Hub}, hubs...), append([]page.Answer{answers[i]}, ordered...)
		} else {
			hubs, ordered = append(hubs, f.hubs[i].Hub), append(ordered, answers[i])
		}
	}
	return Join(q, hubs, ordered)
}

// Join returns the answers of hubs to one question as one; a hub that did not answer has a section
// that says why.
func Join(q page.Question, hubs []engine.Hub, answers []page.Answer) page.Answer {
	out := page.Answer{Question: q}
	for i := range hubs {
		a := &answers[i]
		sections := a.Sections
		if !a.Err.IsZero() {
			sections = append(slices.Clone(sections), page.Section{Title: engine.Lit("not read"), Rows: []page.Row{page.TextRow(engine.RoleBad, a.Err)}})
		}
		for _, s := range sections {
			s.Hub = hubs[i].Name
			out.Sections = append(out.Sections, s)
		}
		if out.More.IsZero() {
			out.More = a.More
		}
		if out.At.IsZero() { // all were asked at once; the clock is that of the first
			out.At = a.At
		}
	}
	return out
}

// Do sends the intent to its hub.
func (f *Fleet) Do(ctx context.Context, i act.Intent) act.Outcome {
	if s := f.of(i.Hub()); s != nil {
		return s.Do(ctx, i)
	}
	return act.Outcome{Intent: i, Result: act.ResultRefused, What: notShown(i.Hub())}
}

func notShown(name engine.HubName) engine.Text {
	return engine.Textf("hub %q is not in this list", name.Text())
}

// Merge makes one list of Snapshots that were read once.
func Merge(hubs []*engine.Snapshot) *engine.Snapshot {
	return observe.Merge(nil, hubs, engine.HubName{})
}

// Unread stands in a list for a hub that was not read, with the reason.
func Unread(hub engine.Hub, why engine.Text) *engine.Snapshot {
	s := &engine.Snapshot{Hub: hub, Link: engine.Link{State: engine.LinkReconnecting, Err: why}, WritesOff: why}
	for _, kind := range []engine.Kind{engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun} {
		s.Scope.Runs = append(s.Scope.Runs, engine.RunSet{ID: hub.Name.ID(kind, "", "", ""), State: engine.CoverFailed})
	}
	return s
}
