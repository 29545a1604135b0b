package printed

import (
	"context"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/internal/task"
)

// head is how long the rows may hold up the objects.
const head = 250 * time.Millisecond

// Question asks once for the rows of a set of runs.
type Question struct {
	answered chan struct{}
	err      error // set when answered is closed
}

// Ask asks for the rows of a set and gives them to show. An error is not reported: the list of
// the objects, which follows, does that. The goroutine is one of all.
func Ask(ctx context.Context, all *task.Group, h *client.Client, key world.CoverKey, show func(map[engine.ID]world.PrintedRun)) *Question {
	q := &Question{answered: make(chan struct{})}
	all.Go(func() {
		defer close(q.answered)
		rows, err := Runs(ctx, h, key)
		if q.err = err; err == nil {
			show(rows)
		}
	})
	return q
}

// HasFailed reports whether the hub has not answered with rows, as far as is known.
func (q *Question) HasFailed() bool {
	select {
	case <-q.answered:
		return q.err != nil
	default:
		return false
	}
}

// Wait waits for the rows for a moment: a large list behind them would hold them up.
func (q *Question) Wait(ctx context.Context) {
	select {
	case <-q.answered:
	case <-time.After(head):
	case <-ctx.Done():
	}
}
