package client

import (
	"sync"
	"sync/atomic"
	"time"
)

// longestPause bounds a pause, whatever time is set.
const longestPause = 200 * time.Millisecond

// PauseReads stops reads until a time, so that data that arrives meanwhile is read in one batch: every
// batch wakes several goroutines. Each connection pauses at most once per call, and never while a
// request is waiting for its answer.
func (h *Client) PauseReads(until time.Time) { h.conns.pause.until.Store(&until) }

// readPause is the pause that the connections of a client share.
type readPause struct {
	until atomic.Pointer[time.Time] // nil before the first pause
	// awaited is the number of requests that wait for their answer. Watches and logs wait for its
	// head only.
	awaited atomic.Int32

	mu   sync.Mutex
	sent chan struct{} // closed when a request is sent; nil if no connection pauses
}

// requestSent ends all pauses. answered must be called once for it.
func (p *readPause) requestSent() {
	p.awaited.Add(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sent != nil {
		close(p.sent)
		p.sent = nil
	}
}

func (p *readPause) answered() { p.awaited.Add(-1) }

// nextRequest is closed when the next request is sent.
func (p *readPause) nextRequest() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sent == nil {
		p.sent = make(chan struct{})
	}
	return p.sent
}

// pause blocks until the current pause ends or the connection is closed. It returns at once if the
// connection has waited for this pause before, or if it has received at least ahead bytes since: a
// longer pause would fill the HTTP/2 window.
func (c *connection) pause() {
	p := &c.all.pause
	until := p.until.Load()
	if until == c.lastPause {
		return
	}
	received := c.received
	c.lastPause, c.received = until, 0
	left := min(time.Until(*until), longestPause)
	if left <= 0 || received >= ahead {
		return
	}
	sent := p.nextRequest() // before awaited is read
	if p.awaited.Load() > 0 {
		return
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-sent:
	case <-c.closed:
	}
}
