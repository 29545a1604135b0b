package client

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/stagewatch/stagewatch/watch/client/plugin"
)

// LoginGrace is how much longer than its caller a request may take to notice
// that its context has ended.
const LoginGrace = 200 * time.Millisecond

// ErrLoginHangs is the error of a request whose credential plugin does not answer.
var ErrLoginHangs = plugin.ErrRunning

// cancelable lets callers go when their context ends, whatever the transport does.
// client-go runs a login program inside a request, waits for it without end and
// lets every other request wait for it, too. What hangs is left behind, at most
// once: later requests wait for it here. It is never sent late, because a
// transport sends nothing for a context that has ended.
type cancelable struct {
	next http.RoundTripper

	mu sync.Mutex
	// stuck is closed when the request that hangs has ended; nil when none does.
	stuck chan struct{}
}

// RoundTrip implements http.RoundTripper.
func (h *cancelable) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	h.mu.Lock()
	stuck := h.stuck
	h.mu.Unlock()
	if stuck != nil {
		select {
		case <-stuck:
		case <-ctx.Done():
			return nil, hangs(ctx)
		}
	}
	type result struct {
		resp *http.Response
		err  error
	}
	done, ended := make(chan result, 1), make(chan struct{})
	go func() {
		defer close(ended)
		resp, err := h.next.RoundTrip(r) //nolint:bodyclose // the caller's, or closed below
		done <- result{resp, err}
	}()
	select {
	case got := <-done:
		return got.resp, got.err
	case <-ctx.Done():
	}
	// A hub that does not answer lets go now; a login program does not.
	grace := time.NewTimer(LoginGrace)
	defer grace.Stop()
	select {
	case got := <-done:
		return got.resp, got.err
	case <-grace.C:
	}
	h.hang(ended)
	go func() {
		<-ended
		if got := <-done; got.resp != nil {
			got.resp.Body.Close() //nolint:errcheck // its caller has returned
		}
	}()
	return nil, hangs(ctx)
}

// hang notes a request that hangs, until it ends.
func (h *cancelable) hang(ended chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stuck != nil {
		return
	}
	h.stuck = ended
	go func() {
		<-ended
		h.mu.Lock()
		h.stuck = nil
		h.mu.Unlock()
	}()
}

func hangs(ctx context.Context) error { return fmt.Errorf("%w: %w", ErrLoginHangs, ctx.Err()) }

// WrappedRoundTripper lets client-go find the transport inside.
func (h *cancelable) WrappedRoundTripper() http.RoundTripper { return h.next }
