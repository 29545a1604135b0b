package watch

import (
	"cmp"
	"context"
	"time"
)

// probeConfig replaces the constants where it is not zero.
type probeConfig struct{ every, deadline time.Duration }

// probe sends a small read at an interval until ctx ends, since a silent stream
// does not prove that the API server answers (docs/promises.md#i17).
func (l *link) probe(ctx context.Context, hub *client, c probeConfig) {
	misses := 0
	every := cmp.Or(c.every, probeEvery)
	wait := every
	for hub.pause(ctx, wait) {
		err := hub.probe(ctx, cmp.Or(c.deadline, probeDeadline))
		f := hub.failure(err)
		switch f.kind {
		case failNone, failForbidden, failNotFound, failExpired, failRefused: // an answer
			l.ok(sourceProbe, time.Now())
			misses, wait = 0, every
			continue
		case failUnauthenticated:
			if wait = time.Second; misses > 0 { // the answer may have renewed the login
				wait = refusedFor(err)
			}
		default:
			wait = min(every, time.Second)
		}
		if ctx.Err() != nil {
			return
		}
		l.fail(sourceProbe, f, time.Now())
		if misses++; f.kind == failUnreachable && misses%2 == 0 {
			// The peer may be gone without a word: requests that hang on the old
			// connections shall fail and start again.
			hub.cut()
		}
	}
}
