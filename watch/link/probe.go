package link

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/stagewatch/stagewatch/watch/client"
)

const (
	// probeAgain is how often a hub that did not answer is probed, whether the probes
	// before are answered or not.
	probeAgain = 300 * time.Millisecond
	// probeHedge is how long a probe may be without an answer before others are sent beside it:
	// what a short fault has swallowed is not answered before its deadline.
	probeHedge = time.Second
	// probeLook is how often is looked for watches that ended before their time.
	probeLook = 500 * time.Millisecond
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
	// known is when newest or system was read that the hub does not have any more.
	known, newestAt, systemAt time.Time
}

// Probe sends a small read at an interval until ctx ends, since a silent stream
// does not prove that the API server answers (docs/promises.md#i17). The answer has the
// newest resourceVersion: it also shows that the hub has gone back to older data
// (docs/promises.md#i3).
func (l *Link) Probe(ctx context.Context, hub *client.Client, c ProbeConfig) {
	p := prober{hub: hub}
	misses, silent := 0, time.Time{} // since when nothing is answered; zero if the last probe was
	every, deadline := cmp.Or(c.Every, ProbeEvery), cmp.Or(c.Deadline, probeDeadline)
	wait, alone := every, false // alone is set after a miss of the runs alone
	identified := time.Now()
	back := func() { // from a silence, if there was one
		if misses > 0 && !silent.IsZero() {
			hub.Wake()
			l.Recovered(silent, time.Now())
		}
		misses, silent = 0, time.Time{}
	}
	for l.pauseProbe(ctx, hub, wait, identified) {
		a := l.probe(ctx, hub, deadline, misses > 0)
		sent, version, f := a.sent, a.version, hub.Failure(a.err)
		switch {
		case errors.Is(a.err, context.DeadlineExceeded) && hub.IsArriving():
			// A list or an event that is arriving counts as an answer.
			l.answers(true, time.Now())
			wait = every
			back()
			continue
		case client.IsAnswer(f.Kind):
			l.answers(false, time.Now())
			wait = every
			checked := identified
			identified = sent
			if p.replaced(ctx, version, misses > 0 || l.brokeSince(checked)) {
				l.Older(time.Now(), p.known)
			} else if p.older > 0 {
				wait = probeAgain
			}
			if misses > 0 {
				alone = false
			}
			back()
			if l.loginWorks(sent) {
				hub.Wake()
			}
			continue
		case f.Kind == client.Unauthenticated:
			if wait = time.Second; misses > 0 { // the answer may have renewed the login
				wait = every // its answer ends the longer pauses of the streams
			}
		case f.Kind == client.Busy:
			wait = max(time.Second, client.RetryAfter(a.err))
		default:
			if wait = min(every, probeAgain); !a.others {
				l.Suspect()
			}
		}
		if ctx.Err() != nil {
			return
		}
		if f.Kind == client.Unreachable && (silent.IsZero() || a.others && alone) { // one such miss may be the end of a silence
			silent = l.lastAnswer(sent)
		}
		alone = a.others
		misses++
		if a.others {
			continue // what hangs is named by its set
		}
		l.Fail(sourceProbe, f, time.Now())
		if f.Kind == client.Unreachable && misses%2 == 0 {
			// The peer may have gone without closing the connections: requests that hang
			// on them must fail and start again.
			hub.Cut()
		}
	}
}

// answers reports that the hub answered a probe; of others only, that the one for runs is not
// answered, but what was asked beside it.
func (l *Link) answers(others bool, now time.Time) {
	l.mu.Lock()
	l.others = others
	l.mu.Unlock()
	l.OK(sourceProbe, now)
}

// answer is the answer to a probe, or the lack of one.
type answer struct {
	sent    time.Time
	version string
	err     error
	others  bool // err is that no run was read, while another request was answered
}

// probe sends a probe. After probeHedge, with again at once, it sends another one every
// probeAgain until the first has failed, and takes the first answer: a probe that was sent
// before the hub came back would be answered at its deadline only. Beside them it asks for
// something else, once: where runs alone are not answered, neither hub nor network is to blame.
func (l *Link) probe(ctx context.Context, hub *client.Client, deadline time.Duration, again bool) answer {
	ctx, end := context.WithCancel(ctx)
	defer end()
	answers := make(chan answer)
	send := func(first bool) {
		a := answer{sent: time.Now()}
		a.version, a.err = hub.Probe(ctx, deadline)
		if first || client.KindOf(a.err) != client.Unreachable {
			select {
			case answers <- a:
			case <-ctx.Done():
			}
		}
	}
	began := time.Now()
	go send(true) // all end with ctx
	elsewhere := make(chan struct{})
	others, asked := false, false
	next := time.NewTicker(probeAgain)
	defer next.Stop()
	for {
		select {
		case a := <-answers:
			a.others = others && client.KindOf(a.err) == client.Unreachable
			return a
		case <-elsewhere:
			others, elsewhere = true, nil
			l.answers(true, time.Now())
		case <-next.C:
			if !again && time.Since(began) < probeHedge || hub.IsArriving() {
				continue
			}
			go send(false)
			if !asked {
				asked = true
				go func() {
					if _, answered := hub.Identity(ctx, deadline); answered {
						close(elsewhere)
					}
				}()
			}
		case <-ctx.Done():
			return answer{sent: time.Now(), err: ctx.Err()}
		}
	}
}

// pauseProbe waits before the next probe. A watch that ends before its time since the last
// one shortens the wait: the hub may be another one. It reports false when ctx has ended.
func (l *Link) pauseProbe(ctx context.Context, hub *client.Client, wait time.Duration, last time.Time) bool {
	for until := time.Now().Add(wait); ; {
		slice := min(time.Until(until), probeLook)
		began := time.Now()
		if !hub.Pause(ctx, max(0, slice)) {
			return false
		}
		now := time.Now()
		switch {
		case !now.Before(until), now.Sub(began) < slice: // or woken
			return true
		case l.brokeSince(last) && now.Sub(last) > 2*probeLook:
			return true
		}
	}
}

// replaced reports whether the hub has gone back to older data, or is another one. Two
// answers in succession must say so, since the first may be of a server that starts.
func (p *prober) replaced(ctx context.Context, version string, returned bool) bool {
	if version != "" {
		switch {
		case !client.Older(version, p.newest):
			p.newest, p.older, p.newestAt = version, 0, time.Now()
		default:
			p.older++
		}
	}
	again := p.older >= 2
	p.known = p.newestAt
	if p.probes++; returned || again || p.probes%identityEvery == 1 {
		system, _ := p.hub.Identity(ctx, probeDeadline)
		if system != "" {
			if p.system != "" && system != p.system {
				again, p.known = true, later(p.newestAt, p.systemAt)
			}
			p.system, p.systemAt = system, time.Now()
		}
	}
	if again {
		p.newest, p.older, p.newestAt = version, 0, time.Now()
	}
	return again
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
