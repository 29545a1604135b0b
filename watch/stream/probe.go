package stream

import (
	"cmp"
	"context"
	"time"

	"github.com/stagewatch/stagewatch/watch/client"
)

const (
	// probeAgain and probeAgainDeadline are for a hub that did not answer, so that its
	// return is noticed within two seconds; every third probe gets the full deadline.
	probeAgain         = 300 * time.Millisecond
	probeAgainDeadline = time.Second
	// identityEvery is how often the identity of the hub is checked, in probes.
	identityEvery = 6
)

// ProbeConfig replaces the constants where it is not zero.
type ProbeConfig struct{ Every, Deadline time.Duration }

// prober is the state of Probe.
type prober struct {
	hub    *client.Client
	newest string // the highest resourceVersion of an answer
	older  int    // answers in succession that were older
	system string // the UID of the hub's kube-system namespace; empty if not known
	probes int
}

// Probe sends a small read at an interval until ctx ends, since a silent stream
// does not prove that the API server answers (docs/promises.md#i17). The answer has the
// newest resourceVersion: it also shows that the hub has gone back to older data
// (docs/promises.md#i3).
func (l *Link) Probe(ctx context.Context, hub *client.Client, c ProbeConfig) {
	p := prober{hub: hub}
	misses := 0
	every, deadline := cmp.Or(c.Every, probeEvery), cmp.Or(c.Deadline, probeDeadline)
	wait := every
	for hub.Pause(ctx, wait) {
		limit := deadline
		if misses > 0 && misses%3 != 0 {
			limit = min(deadline, probeAgainDeadline)
		}
		sent := time.Now()
		version, err := hub.Probe(ctx, limit)
		f := hub.Failure(err)
		switch f.Kind {
		case client.NoFailure, client.Forbidden, client.Missing, client.NotServed, client.Expired, client.Rejected: // an answer
			l.ok(sourceProbe, time.Now())
			wait = every
			if p.replaced(ctx, version, misses > 0) {
				l.older(time.Now())
			} else if p.older > 0 {
				wait = probeAgain
			}
			if misses > 0 {
				misses = 0
				hub.Wake()
				l.recovered()
			} else if l.loginWorks(sent) {
				hub.Wake()
			}
			continue
		case client.Unauthenticated:
			if wait = time.Second; misses > 0 { // the answer may have renewed the login
				wait = every // its answer ends the longer pauses of the streams
			}
		case client.Busy:
			wait = max(time.Second, client.RetryAfter(err))
		default:
			wait = min(every, probeAgain)
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

// replaced reports whether the hub has gone back to older data, or is another one. Two
// answers in succession must say so, since the first may be of a server that starts.
func (p *prober) replaced(ctx context.Context, version string, returned bool) bool {
	if version != "" {
		switch {
		case newer(version, p.newest) >= 0:
			p.newest, p.older = version, 0
		default:
			p.older++
		}
	}
	again := p.older >= 2
	if p.probes++; returned || again || p.probes%identityEvery == 1 {
		system := p.hub.Identity(ctx, probeDeadline)
		again = again || system != "" && p.system != "" && system != p.system
		if system != "" {
			p.system = system
		}
	}
	if again {
		p.newest, p.older = version, 0
	}
	return again
}
