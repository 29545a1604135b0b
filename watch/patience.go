package watch

import (
	"context"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
)

const (
	// onceWait is how long a read waits for a hub that sends nothing, or, once the
	// runs are there, nothing of the rest.
	onceWait = client.HelloDeadline + time.Second
	// absentWait is how long a read waits for a hub whose address refuses connections or does not
	// exist: it is asked again at least once, since it may restart.
	absentWait = client.RetryCap + time.Second
	// retryWait is how long a read waits for a hub that has answered, but cannot give the
	// data yet (its storage initializes, or lists take long), or does not answer any more.
	retryWait = 30 * time.Second
	// retryEvery is how often it looks meanwhile whether that has passed.
	retryEvery = time.Second
	// flowing is how many bytes come in a second, at least, while a list comes that timed out: what was
	// sent of it is ahead of all other answers. Answers to probes are smaller.
	flowing = 8 << 10
)

// patience decides how long a command without a screen waits for a hub.
type patience struct {
	hub *client.Client
	// until is the deadline of the command, which extends retryWait; zero for none.
	until time.Time
	// ends is when the hub has said nothing for too long; see goesOn.
	ends    time.Time
	began   time.Time
	moved   time.Time // when the last news of the hub came, or bytes of a list
	heard   time.Time // Link.Heard of the latest Snapshot
	absent  bool      // it was, when the first answer came
	away    bool      // the connection is interrupted, as the latest Snapshot says
	missing int       // how much rows lack; -1 before all runs are there
	// received returns how many bytes have come from the hub, came what it was at asked, when goesOn
	// was called last.
	received func() int64
	came     int64
	asked    time.Time
}

// newPatience begins to wait. Only a brief session has the deadline of its command: that of another
// one bounds what comes after its first read, too.
func (s *Session) newPatience(ctx context.Context) *patience {
	if !s.brief {
		return newPatience(context.WithoutCancel(ctx), s.hub)
	}
	return newPatience(ctx, s.hub)
}

// newPatience begins to wait.
func newPatience(ctx context.Context, hub *client.Client) *patience {
	now := time.Now()
	p := &patience{hub: hub, ends: now.Add(onceWait), began: now, moved: now, missing: -1, received: hub.Received, came: hub.Received(), asked: now}
	if until, ok := ctx.Deadline(); ok {
		p.until = until
	}
	return p
}

// renew waits for as long as from the beginning: something has come.
func (p *patience) renew() {
	p.moved = time.Now()
	p.ends = p.moved.Add(onceWait)
}

// sees notes what a Snapshot says about the hub.
func (p *patience) sees(s *engine.Snapshot) {
	l := &s.Link
	was := p.away
	if p.away = isInterrupted(l); was && !p.away && time.Now().Before(p.limit(p.moved)) {
		p.ends = time.Now().Add(onceWait) // the rest is only now requested again
	}
	switch {
	case s.Complete:
		n := 0
		for _, gaps := range s.Missing {
			n += len(gaps)
		}
		if n != p.missing {
			p.missing = n
			p.renew()
		}
	case l.State == engine.LinkLoading, l.State == engine.LinkLive:
		if !l.Heard.IsZero() { // it answers: a large hub takes its time
			p.renew()
		}
	case l.Absent && l.Heard.IsZero() && !p.absent:
		p.absent = true
		p.ends = time.Now().Add(absentWait)
	case l.Heard.After(p.heard) && time.Now().Before(p.limit(p.began)):
		p.ends = time.Now().Add(2 * onceWait) // it is asked again after as long
	}
	p.heard = l.Heard
}

// goesOn reports, after ends, whether the read goes on: a list is being received, or
// the hub has answered and the connection is interrupted or brings what nothing waits for, but not for long.
func (p *patience) goesOn(last *engine.Snapshot) bool {
	came, took := p.received()-p.came, time.Since(p.asked)
	p.came, p.asked = p.came+came, time.Now()
	switch {
	case p.hub.IsListing(): // what is waited for may be queued behind it
		p.renew()
		return true
	case last != nil && !p.heard.IsZero() && (isInterrupted(&last.Link) || float64(came) >= flowing*took.Seconds()) && time.Now().Before(p.limit(p.moved)):
		p.ends = time.Now().Add(retryEvery)
		return true
	}
	return false
}

// limit is until when a fault that began at a moment counts as temporary.
func (p *patience) limit(began time.Time) time.Time {
	if t := began.Add(retryWait); t.After(p.until) {
		return t
	}
	return p.until
}

// isInterrupted reports whether the hub does not answer. One that does not answer some requests
// may never answer them, and one that refuses the login has answered.
func isInterrupted(l *engine.Link) bool {
	return l.State != engine.LinkLive && l.State != engine.LinkRefused && !l.Answers
}

// reading says what a read of all rows waits for: what has come of the first lists, what the rows
// still need, or why nothing comes; empty for nothing to say.
func reading(s *engine.Snapshot) engine.Text {
	switch l := &s.Link; {
	case isAway(l):
		return waitingFor(l.Err)
	case s.Complete:
		return readingDetails(s)
	case !l.Loading.IsZero():
		return engine.Textf("reading: %s", l.Loading)
	}
	return engine.Text{}
}

// isAway reports whether a hub that has answered does not now.
func isAway(l *engine.Link) bool { return l.State == engine.LinkReconnecting && !l.Heard.IsZero() }

// waitingFor says why nothing comes from the hub.
func waitingFor(why engine.Text) engine.Text { return engine.Textf("waiting for the hub: %s", why) }

// readingDetails says how many of the placements on which rows depend have been read; empty if they
// depend on none.
func readingDetails(s *engine.Snapshot) engine.Text {
	if s.Beside == 0 {
		return engine.Text{}
	}
	return engine.Textf("reading details: %d of %s", s.BesideRead, engine.Count(s.Beside, "placement"))
}
