package client

import (
	"context"
	"sync"
	"time"
)

const (
	// arrivingFor is how long a list counts as arriving after its last bytes: a lost packet delays
	// it for 1 to 2 s.
	arrivingFor = 3 * time.Second
	// extendBy is by how much a request is extended at a time, extendMost by how much in all.
	extendBy   = time.Second
	extendMost = time.Minute
)

// arrivals holds the lists being received and when each last received bytes.
type arrivals struct {
	mu   sync.Mutex
	last map[*limitedBody]time.Time
}

// came notes that a part of a list came.
func (a *arrivals) came(list *limitedBody) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.last == nil {
		a.last = map[*limitedBody]time.Time{}
	}
	a.last[list] = time.Now()
}

// closed notes that a list is no longer received.
func (a *arrivals) closed(list *limitedBody) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.last, list)
}

// IsArriving reports whether a list is being received: then the hub is reachable, and other answers
// may be queued behind the list, on the shared HTTP/2 connection or on the line.
func (h *Client) IsArriving() bool {
	h.lists.mu.Lock()
	defer h.lists.mu.Unlock()
	for _, last := range h.lists.last {
		if time.Since(last) < arrivingFor {
			return true
		}
	}
	return false
}

// Within is context.WithTimeout for a read: while a list arrives, the timeout is extended. When it
// expires, Do and Stream return context.DeadlineExceeded, while ctx.Err returns context.Canceled.
func (h *Client) Within(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := h.after(timeout, cancel)
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// deadline ends a request.
type deadline struct {
	hub    *Client
	latest time.Time
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	timer   *time.Timer
	waits   bool // a list was arriving at the last extension
	stopped bool
}

// after cancels a request when limit has passed, unless stop is called first; zero is no limit. The
// limit is extended while a list arrives.
func (h *Client) after(limit time.Duration, cancel context.CancelCauseFunc) (stop func()) {
	if limit == 0 {
		return func() {}
	}
	d := &deadline{hub: h, latest: time.Now().Add(limit + extendMost), cancel: cancel}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.timer = time.AfterFunc(limit, d.pass)
	return d.stop
}

// pass is called when the time is up.
func (d *deadline) pass() {
	d.mu.Lock()
	defer d.mu.Unlock()
	arrives := d.hub.IsArriving()
	switch {
	case d.stopped:
	case (arrives || d.waits) && time.Now().Before(d.latest): // one more extension after the list ends
		d.waits = arrives
		d.timer.Reset(extendBy)
	default:
		d.cancel(errSilent)
	}
}

func (d *deadline) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopped = true
	d.timer.Stop()
}
