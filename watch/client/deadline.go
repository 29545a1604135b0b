package client

import (
	"context"
	"io"
	"sync"
	"time"
)

const (
	// arrivingFor is how long a list counts as arriving after its last bytes: a lost packet delays
	// it for 1 to 2 s.
	arrivingFor = 3 * time.Second
	// delaysAfter is how long a list, or an event of a watch, must have been arriving before it can
	// be what delays another answer: small lists are requested all the time, also when the requests
	// before them were lost.
	delaysAfter = 200 * time.Millisecond
	// extendBy is by how much a request is extended at a time, extendMost by how much in all.
	extendBy   = time.Second
	extendMost = time.Minute
)

// arrivals holds the bodies in which an answer, or an event of a watch, is being received.
type arrivals struct {
	mu     sync.Mutex
	bodies map[io.Reader]arrival
	ended  time.Time // when the last answer that could delay another one was received
}

// kind is what is received in a body.
type kind uint8

const (
	list  kind = iota // is read while it comes
	event             // of a watch
	whole             // is read as a whole; most are small, and there at once
)

// arrival is when a body received bytes first and last.
type arrival struct {
	first, last time.Time
	kind        kind
}

// delays reports whether it may be what delays another answer.
func (a arrival) delays(least time.Duration) bool {
	if a.kind == whole {
		least = max(least, delaysAfter)
	}
	return time.Since(a.last) < arrivingFor && time.Since(a.first) >= least
}

// came notes that a part of an answer or of an event came.
func (a *arrivals) came(body io.Reader, of kind) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.bodies == nil {
		a.bodies = map[io.Reader]arrival{}
	}
	now := time.Now()
	is := a.bodies[body]
	if now.Sub(is.last) >= arrivingFor {
		is.first = now
	}
	is.last, is.kind = now, of
	a.bodies[body] = is
}

// closed notes that an answer, or an event, is no longer received.
func (a *arrivals) closed(body io.Reader) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if is, ok := a.bodies[body]; ok && is.delays(delaysAfter) {
		a.ended = time.Now()
	}
	delete(a.bodies, body)
}

// delay reports whether an answer may be late because a large one is arriving or has just arrived.
func (a *arrivals) delay() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.arriving(delaysAfter, true) || time.Since(a.ended) < extendBy
}

// IsArriving reports whether an answer, or an event of a watch, that is not there at once is being
// received: then the hub is reachable, and other answers may be queued behind it, on the shared
// HTTP/2 connection or on the line.
func (h *Client) IsArriving() bool { return h.arrivals.isArriving(0, true) }

// IsListing reports whether a list, or another large answer, is being received.
func (h *Client) IsListing() bool { return h.arrivals.isArriving(0, false) }

// isArriving reports whether an answer has been arriving for some time; with events, one of these counts, too.
func (a *arrivals) isArriving(least time.Duration, events bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.arriving(least, events)
}

// arriving is isArriving with the lock held.
func (a *arrivals) arriving(least time.Duration, events bool) bool {
	for _, is := range a.bodies {
		if (events || is.kind != event) && is.delays(least) {
			return true
		}
	}
	return false
}

// Within is context.WithTimeout for a read: while a large answer or a long event arrives, the timeout is extended. When it
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
	stopped bool
}

// after cancels a request when limit has passed, unless stop is called first; zero is no limit. The
// limit is extended while a list or an event that takes long arrives.
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
	switch {
	case d.stopped:
	case d.hub.arrivals.delay() && time.Now().Before(d.latest):
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
