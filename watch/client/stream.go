package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
)

// Limits bound how long an answer that is read while it comes may take; what is zero has
// no bound.
type Limits struct {
	// Head bounds the time until the head of the answer.
	Head time.Duration
	// Progress bounds the time without a byte of its body.
	Progress time.Duration
}

// errSilent ends a request whose answer exceeds a limit.
var errSilent = fmt.Errorf("the API server sends nothing: %w", context.DeadlineExceeded)

// Body is an answer that is read while it comes.
type Body struct {
	*limitedBody
	// Server is that of the connection (serverOf).
	Server string
}

// Stream sends a request whose answer is read while it comes. The caller must
// close it.
func (h *Client) Stream(ctx context.Context, r *rest.Request, limits Limits) (*Body, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	ctx, server := WithServer(ctx)
	stop := h.after(limits.Head, cancel)
	h.conns.pause.requestSent()
	answered := sync.OnceFunc(h.conns.pause.answered)
	body, err := r.Stream(ctx)
	stop()
	if err != nil || limits.Progress == 0 {
		answered()
	}
	if err != nil {
		defer cancel(nil)
		return nil, limited(ctx, err)
	}
	return &Body{&limitedBody{ReadCloser: body, hub: h, ctx: ctx, cancel: cancel, limit: limits.Progress, answered: answered}, *server}, nil
}

// limited names the limit that has ended a request.
func limited(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, errSilent) {
		return cause
	}
	return err
}

// limitedBody is a body that fails when nothing comes for too long.
type limitedBody struct {
	io.ReadCloser
	hub    *Client
	ctx    context.Context
	cancel context.CancelCauseFunc
	limit  time.Duration
	// answered reports that the request no longer waits for its answer; it may be called again.
	answered func()
	// event says that an event is being read, began when a part of it came that was not there at
	// once; only the reader uses both.
	event bool
	began time.Time
}

// Inside says whether what is read from now on belongs to an event of a watch that has begun. The
// reader calls it. After an event that took long, the next one is likely to take long, too.
func (b *limitedBody) Inside(event bool) {
	if !event && (b.began.IsZero() || time.Since(b.began) < delaysAfter) {
		b.hub.arrivals.closed(b)
	}
	b.event, b.began = event, time.Time{}
}

// Read implements io.Reader.
func (b *limitedBody) Read(p []byte) (int, error) {
	stop := b.hub.after(b.limit, b.cancel)
	n, err := b.ReadCloser.Read(p)
	stop()
	if n > 0 && (b.limit > 0 || b.event) { // else it is a watch between two events, or a log
		if b.began.IsZero() {
			b.began = time.Now()
		}
		of := list
		if b.limit == 0 {
			of = event
		}
		b.hub.arrivals.came(b, of)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = limited(b.ctx, err)
	}
	return n, err
}

// Close implements io.Closer.
func (b *limitedBody) Close() error {
	b.answered()
	b.hub.arrivals.closed(b)
	b.cancel(nil)
	return b.ReadCloser.Close()
}

// RetryAfter is how long the API server asks to wait before the next request; zero if it
// does not say.
func RetryAfter(err error) time.Duration {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return 0
	}
	return min(time.Duration(status.Status().Details.RetryAfterSeconds)*time.Second, MaxPause)
}
