package client

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
)

// repeatEvery is the pause before a request is repeated that a patient client sends.
const repeatEvery = time.Second

// patience is for a client that only reads, for a command without a screen.
type patience struct {
	most  time.Duration // that an outage is waited for; zero for a client that is not patient
	waits func(error)
	since atomic.Int64 // when the outage began, in nanoseconds; zero for none
}

// patientKey marks the context of a read that a patient client repeats, with a patientRead.
type patientKey struct{}

// patientRead is a read of a client, each attempt of which has a timeout.
type patientRead struct {
	hub     *Client
	timeout time.Duration
}

// BePatient makes reads within Patiently repeat what an unreachable hub did not answer, for as long as
// most from the start of the outage, or until the deadline of their context. waits is called with the
// reason before each pause. It must be called before the first request.
func (h *Client) BePatient(most time.Duration, waits func(error)) {
	h.patience.most, h.patience.waits = most, waits
}

// Patiently is Within for the reads of a client that may be patient: then the timeout is that of each
// attempt of a request.
func (h *Client) Patiently(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if h.patience.most == 0 {
		return h.Within(ctx, timeout)
	}
	return context.WithCancel(context.WithValue(ctx, patientKey{}, patientRead{h, timeout}))
}

// doPatiently is do, repeated.
func (h *Client) doPatiently(ctx context.Context, r *rest.Request, timeout time.Duration) ([]byte, error) {
	for {
		limited, cancel := h.Within(ctx, timeout)
		raw, err := h.do(limited, r)
		cancel()
		if ctx.Err() != nil || !h.isTemporary(err) {
			h.patience.since.Store(0)
			return raw, err
		}
		now := time.Now()
		h.patience.since.CompareAndSwap(0, now.UnixNano())
		until := time.Unix(0, h.patience.since.Load()).Add(h.patience.most)
		if deadline, ok := ctx.Deadline(); ok && deadline.After(until) {
			until = deadline
		}
		if now.After(until) {
			return nil, err
		}
		h.patience.waits(err)
		if !Sleep(ctx, repeatEvery) {
			return nil, err
		}
	}
}

// isTemporary reports whether the error of a read is likely to be over soon: nobody answers, or the
// API server starts. A request that is not answered in time may never be.
func (h *Client) isTemporary(err error) bool {
	switch KindOf(err) {
	case Unreachable:
		return !errors.Is(err, context.DeadlineExceeded)
	case NotServed, Forbidden, ServerError, Busy:
		return h.MayBeStarting()
	}
	return false
}
