package stream

import (
	"cmp"
	"context"
	"time"

	"github.com/stagewatch/stagewatch/watch/client"
)

// ProbeConfig replaces the constants where it is not zero.
type ProbeConfig struct{ Every, Deadline time.Duration }

// Probe sends a small read at an interval until ctx ends, since a silent stream
// does not prove that the API server answers (docs/promises.md#i17).
func (l *Link) Probe(ctx context.Context, hub *client.Client, c ProbeConfig) {
	misses := 0
	every := cmp.Or(c.Every, probeEvery)
	wait := every
	for hub.Pause(ctx, wait) {
		err := hub.Probe(ctx, cmp.Or(c.Deadline, probeDeadline))
		f := hub.Failure(err)
		switch f.Kind {
		case client.NoFailure, client.Forbidden, client.Missing, client.NotServed, client.Expired, client.Rejected: // an answer
			l.ok(sourceProbe, time.Now())
			misses, wait = 0, every
			continue
		case client.Unauthenticated:
			if wait = time.Second; misses > 0 { // the answer may have renewed the login
				wait = client.LoginPause(err)
			}
		default:
			wait = min(every, time.Second)
		}
		if ctx.Err() != nil {
			return
		}
		l.fail(sourceProbe, f, time.Now())
		if misses++; f.Kind == client.Unreachable && misses%2 == 0 {
			// The peer may have gone without closing the connections: requests that hang
			// on them must fail and start again.
			hub.Cut()
		}
	}
}
