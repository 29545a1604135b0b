package main

import (
	"context"
	"io"
	"os"
	"time"
)

// parentCheck is how often a served demo looks whether its parent still lives.
const parentCheck = 300 * time.Millisecond

// untilParentEnds returns a context that also ends when the process that
// started this one is gone: a signal to `go run` or to a script's shell does not
// reach us. A process that never had a parent to lose is left alone.
func untilParentEnds(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	parent := os.Getppid()
	go func() {
		tick := time.NewTicker(parentCheck)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if os.Getppid() != parent {
					cancel()
					return
				}
			}
		}
	}()
	return ctx, cancel
}

// untilEOF returns a context that also ends when the reader does. The goroutine
// behind it can only end with the reader or the process.
func untilEOF(ctx context.Context, in io.Reader) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		// An error ends the stream just as well.
		//nolint:errcheck // see above
		io.Copy(io.Discard, in)
	}()
	return ctx, cancel
}
