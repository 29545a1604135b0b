package stream

import (
	"context"
	"time"

	"github.com/stagewatch/stagewatch/watch/internal/task"
	"github.com/stagewatch/stagewatch/watch/stream/printed"
)

// printedHead is how long the printed rows may hold up the objects.
const printedHead = 250 * time.Millisecond

// printFirst asks for the printed rows and waits for them for a moment: a large
// list behind them would hold them up.
func (s *stream) printFirst(ctx context.Context, all *task.Group) {
	done := make(chan struct{})
	all.Go(func() {
		defer close(done)
		rows, err := printed.Runs(ctx, s.hub, s.key)
		if err != nil {
			return // the list that follows reports the error
		}
		s.sink.Print(rows)
	})
	select {
	case <-done:
	case <-time.After(printedHead):
	case <-ctx.Done():
	}
}
