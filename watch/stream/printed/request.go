package printed

import (
	"context"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/internal/task"
)

// freshFor is how long after the request its rows are shown.
const freshFor = 2 * time.Second

// Request is one request for the rows of a set of runs.
type Request struct {
	work     *task.Group
	answered chan struct{}

	// Set before answered is closed.
	version string // of the API that was asked for
	asked   time.Time
	rows    map[engine.ID]world.PrintedRun
	all     bool // these are all runs of the set
	err     error
}

// Ask asks for the rows of a set, as soon as start is closed, at once if it is nil. The goroutine is one of work.
func Ask(ctx context.Context, work *task.Group, h *client.Client, key world.CoverKey, start <-chan struct{}) *Request {
	r := &Request{work: work, answered: make(chan struct{})}
	work.Go(func() {
		defer close(r.answered)
		if start != nil {
			select {
			case <-start:
			case <-ctx.Done():
				r.err = ctx.Err()
				return
			}
		}
		r.version, r.asked = h.ServedVersion(), time.Now()
		r.rows, r.all, r.err = Runs(ctx, h, key)
	})
	return r
}

// IsUseless reports whether the rows have to be asked for again of a hub that serves a version:
// they are too old, or another version was asked for.
func (r *Request) IsUseless(version string) bool {
	select {
	case <-r.answered:
		return time.Since(r.asked) > freshFor || r.err != nil && r.version != version
	default:
		return false
	}
}

// Show shows the rows when they arrive, unless ctx ends. It waits up to wait, so that a large list
// does not delay them. Errors are left to that list.
func (r *Request) Show(ctx context.Context, wait time.Duration, show func(rows map[engine.ID]world.PrintedRun, all bool)) {
	shown := make(chan struct{})
	r.work.Go(func() {
		defer close(shown)
		select {
		case <-r.answered:
			if r.err == nil {
				show(r.rows, r.all)
			}
		case <-ctx.Done():
		}
	})
	select {
	case <-shown:
	case <-time.After(wait):
	case <-ctx.Done():
	}
}
