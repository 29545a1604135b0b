package client

import (
	"sync/atomic"
	"time"
)

// PauseReads lets the connections receive nothing until a time, so that what comes meanwhile is
// received at once: each part that is received by itself wakes a chain of goroutines. Every
// connection pauses once per call, and not while somebody waits for an answer.
func (h *Client) PauseReads(until time.Time) { h.conns.pause.until.Store(until.UnixNano()) }

// readPause is what the connections of a session know about pauses.
type readPause struct {
	until atomic.Int64 // in nanoseconds
	// answers is the number of requests with an answer that somebody waits for: all but open watches
	// and logs.
	answers atomic.Int32
	asked   chan struct{} // ends a pause when a request is sent
}

// begin notes that somebody waits for an answer; end must be called once.
func (p *readPause) begin() {
	p.answers.Add(1)
	select {
	case p.asked <- struct{}{}:
	default: // a connection is about to look
	}
}

func (p *readPause) end() { p.answers.Add(-1) }

// wait waits for the end of the newest pause, which it returns, unless that is done, the last one that
// the connection has waited for. After many bytes it does not wait: the hub would have to stop sending.
func (p *readPause) wait(done, received int64) int64 {
	until := p.until.Load()
	if until == done || received >= ahead {
		return until
	}
	for p.answers.Load() == 0 {
		left := time.Until(time.Unix(0, until))
		if left <= 0 {
			break
		}
		timer := time.NewTimer(left)
		select {
		case <-timer.C:
		case <-p.asked:
		}
		timer.Stop()
	}
	return until
}
