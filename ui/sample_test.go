package ui

import (
	"context"
	"sync"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/internal/situation"
)

// The objects that the tests look at.
var (
	t0         = situation.Now
	ago        = situation.Ago
	txt        = situation.Text
	id         = situation.RunID
	approval   = situation.Approval
	stage      = situation.Stage
	sum        = situation.Sum
	sampleRuns = situation.Runs
	sample     = situation.Snapshot
	setsRead   = situation.Sets
	count      = situation.Count
	find       = situation.Find
	detail     = situation.Detail
	placement  = situation.PlacementID
)

// fakeSource hands out snapshots that a test puts into it.
type fakeSource struct {
	snaps chan *engine.Snapshot
	reply func(enginepage.Question) enginepage.Answer

	mu     sync.Mutex
	wanted []engine.Focus
	sent   []act.Intent
}

func newFake() *fakeSource { return &fakeSource{snaps: make(chan *engine.Snapshot, 1)} }

func (f *fakeSource) Next(ctx context.Context) (*engine.Snapshot, error) {
	select {
	case s := <-f.snaps:
		return s, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (f *fakeSource) Want(w engine.Focus) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wanted = append(f.wanted, w)
}

func (f *fakeSource) Ask(_ context.Context, q enginepage.Question) enginepage.Answer {
	return f.reply(q)
}

func (f *fakeSource) Do(_ context.Context, i act.Intent) act.Outcome {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent = append(f.sent, i)
	return act.Outcome{Intent: i, Result: act.ResultApplied, What: txt("The hub took it."), At: t0}
}
