package client

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	// FirstPause is the first pause before a failed request is repeated.
	FirstPause = 100 * time.Millisecond
	// RetryCap is the longest pause before a failed request is repeated.
	RetryCap = 2 * time.Second
	// MaxPause is the longest pause after the API server has rejected a request:
	// permissions and CRDs change rarely, and a credential plugin must not run in a
	// loop.
	MaxPause = 30 * time.Second
)

// Sleep waits; it reports false when ctx ended first.
func Sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Jitter spreads waits, so that many programs do not come back at once.
func Jitter(d time.Duration) time.Duration {
	return d + time.Duration(rand.Int64N(int64(d)/2+1))
}
