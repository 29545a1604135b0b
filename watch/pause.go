package watch

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	// retryFirst is the first pause before a failed request is repeated, retryCap
	// the longest.
	retryFirst = 100 * time.Millisecond
	retryCap   = 2 * time.Second
	// refusedPause is the longest pause after the API server has rejected a request:
	// permissions and CRDs change rarely, and a credential plugin must not run in a
	// loop.
	refusedPause = 30 * time.Second
)

// sleep waits; it reports false when ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// jitter spreads waits, so that many programs do not come back at once.
func jitter(d time.Duration) time.Duration {
	return d + time.Duration(rand.Int64N(int64(d)/2+1))
}
