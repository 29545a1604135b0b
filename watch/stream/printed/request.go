package printed

import (
	"context"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/internal/task"
)

const (
	// freshFor is how long after the request its rows are shown.
	freshFor = 2 * time.Second
	// arrivingFor is how much longer Rows waits if the answer has begun.
	arrivingFor = 3 * time.Second
)

// Request is one request for the rows of a set of runs.
type Request struct {
	work     *task.Group
	answered chan struct{}
	begun    chan struct{} // closed when the answer begins

	// Set before answered is closed.
	version string // of the API that was asked for
	asked   time.Time
	rows    *Rows
	err     error
}

// Ask asks for the rows of a set, as soon as start is closed, at once if it is nil. The goroutine is one of work.
func Ask(ctx context.Context, work *task.Group, h *client.Client, key world.CoverKey, start <-chan struct{}) *Request {
	r := &Request{work: work, answered: make(chan struct{}), begun: make(chan struct{})}
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
		begins := sync.OnceFunc(func() { close(r.begun) })
		r.rows, r.err = Runs(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotFirstResponseByte: begins}), h, key)
	})
	return r
}

// IsUseless reports whether the rows have to be asked for again of a hub that serves a version:
// they are too old, or another version was asked for.
func (r *Request) IsUseless(version string) bool {
	return isClosed(r.answered) && (time.Since(r.asked) > freshFor || r.err != nil && r.version != version)
}

// Wait waits for the rows until ctx ends; nil if there are none, or they are too old.
func (r *Request) Wait(ctx context.Context) *Rows {
	select {
	case <-r.answered:
	case <-ctx.Done():
		return nil
	}
	rows, _ := r.Rows(ctx, 0)
	return rows
}

// Rows waits for the rows for wait, and arrivingFor longer if the answer has begun. It returns nil if the request has failed, is
// not answered, or is older than freshFor and arrivingFor together. asked is when the rows were requested.
func (r *Request) Rows(ctx context.Context, wait time.Duration) (rows *Rows, asked time.Time) {
	there := r.isAnswered(ctx, wait)
	if !there && isClosed(r.begun) {
		there = r.isAnswered(ctx, arrivingFor)
	}
	if !there || r.err != nil || time.Since(r.asked) > freshFor+arrivingFor {
		return nil, time.Time{}
	}
	return r.rows, r.asked
}

// isAnswered waits for the answer, and reports whether it came.
func (r *Request) isAnswered(ctx context.Context, wait time.Duration) bool {
	select {
	case <-r.answered:
	case <-time.After(wait):
	case <-ctx.Done():
	}
	return isClosed(r.answered)
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
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
				show(r.rows.Runs, r.rows.All)
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
