package printed

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/internal/task"
)

// Rows that do not come hold nothing up for long, and those that come late are shown.
func TestShowWaitsAMoment(t *testing.T) {
	const head = 250 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var all task.Group
		r := &Request{work: &all, answered: make(chan struct{}), rows: map[engine.ID]world.PrintedRun{{}: {}}}
		shown, began := 0, time.Now()
		r.Show(ctx, head, func(rows map[engine.ID]world.PrintedRun, _ bool) { shown += len(rows) })
		if took := time.Since(began); took != head || shown != 0 {
			t.Errorf("waited %s, %d rows are shown", took, shown)
		}
		close(r.answered)
		synctest.Wait()
		if shown != 1 {
			t.Errorf("%d rows are shown when they are there", shown)
		}
		r.Show(ctx, head, func(map[engine.ID]world.PrintedRun, bool) { shown++ })
		if took := time.Since(began); took != head || shown != 2 {
			t.Errorf("rows that are there waited until %s, %d are shown", took, shown)
		}
		cancel()
		all.Wait()
	})
}
