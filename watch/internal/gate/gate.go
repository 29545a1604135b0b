// Package gate bounds how many requests wait for an answer at the same time.
package gate

import (
	"context"
	"sync"
	"time"
)

// PlaceFor is how long a request without an answer has a place: a hub that answers late, but
// is not busy, is not asked much less for it.
const PlaceFor = 700 * time.Millisecond

// Gate has a number of places for requests, first come, first served. Any goroutine may use it.
type Gate chan struct{}

// New returns a Gate with so many places.
func New(places int) Gate { return make(Gate, places) }

// Enter waits for a place. The caller calls leave when its request was answered or has failed;
// more often does no harm. The error is that of ctx.
func (g Gate) Enter(ctx context.Context) (leave func(), err error) {
	select {
	case g <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	giveBack := sync.OnceFunc(func() { <-g })
	overdue := time.AfterFunc(PlaceFor, giveBack)
	return func() {
		overdue.Stop()
		giveBack()
	}, nil
}
