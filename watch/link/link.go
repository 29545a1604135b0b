package link

import (
	"sync"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/store"
)

const (
	// StaleAfter is that of the engine, except for member clusters.
	StaleAfter = engine.StaleAfter
	// staleRarely is the same for member clusters.
	staleRarely = 40 * time.Second
	// ProbeEvery and probeDeadline leave a frozen hub noticed in 8 s.
	ProbeEvery    = 5 * time.Second
	probeDeadline = 3 * time.Second
	// arrivingFor is how long a first list counts as arriving after its last bytes, as in the
	// client.
	arrivingFor = 3 * time.Second
)

// Source is something whose failure means that the data ages: a stream, the
// probe, or the first question to the hub.
type Source string

// The sources that are no stream.
const (
	SourceHub   Source = "hub"
	SourceRuns  Source = "runs"
	sourceProbe Source = "probe"
	sourceLogin Source = "login"
)

// Link keeps what is known of the connection to the hub. Any goroutine may
// report; the feed reads. Times are local wall clock: a laptop that slept must
// see that its data is old, and the monotonic clock stands still meanwhile.
type Link struct {
	retries bool
	changed func() // called without the lock after a report that may change the state

	mu        sync.Mutex
	sets      map[Source]*set
	heard     time.Time     // the last answer of any kind
	answered  time.Time     // the last answer to a request
	notified  time.Time     // when changed was called last because of an answer
	loaded    bool          // the first sets are complete
	arrived   time.Time     // when a part of one of them came last before that
	confirmed bool          // all of them were current at the same time
	broke     time.Time     // when a watch ended last before its time, or a list was not answered
	suspected time.Time     // when the connection lost an answer last
	recovered time.Time     // when the hub began to answer again last
	alarm     chan struct{} // closed and replaced by wakeChecks
	others    bool          // the last probe for runs was not answered, another request was
	reset     time.Time     // when the API server was found to have older data
	restarted time.Time     // when all sets were restarted last because of that
	failing   map[Source]failed
	state     engine.LinkState
	since     time.Time
}

type failed struct {
	client.Failure
	at    time.Time
	woken bool // by loginWorks
	over  bool // the set is being received
}

// New returns a link that is loading. retries says that failed requests are
// repeated without end, as for a screen; changed is called after a report that may
// change the state.
func New(now time.Time, retries bool, changed func()) *Link {
	return &Link{retries: retries, changed: changed, alarm: make(chan struct{}), sets: map[Source]*set{}, failing: map[Source]failed{}, since: wall(now)}
}

// wall drops the monotonic reading.
func wall(t time.Time) time.Time { return t.Round(0) }

// OK reports that a source was answered by the hub just now.
func (l *Link) OK(s Source, now time.Time) {
	l.mu.Lock()
	_, was := l.failing[s]
	delete(l.failing, s)
	if f := l.sets[s]; f != nil && f.proved.IsZero() {
		f.moved = wall(now)
	}
	l.answered = wall(now)
	notify := l.hear(now) || was
	l.mu.Unlock()
	if notify {
		l.changed()
	}
}

// hear notes an answer, with the lock held. It reports whether that has to be shown:
// the link was stale, or the age on the screen would be off.
func (l *Link) hear(now time.Time) bool {
	l.heard = wall(now)
	if l.state != engine.LinkStale && l.heard.Sub(l.notified) < store.HeardEvery {
		return false
	}
	l.notified = l.heard
	return true
}

// Fail reports that a source has failed. What is not the link's fault, a
// forbidden or unknown kind, belongs into the coverage of the set instead.
func (l *Link) Fail(s Source, f client.Failure, now time.Time) {
	l.mu.Lock()
	l.failing[s] = failed{Failure: f, at: wall(now)}
	switch {
	case f.Kind == client.Busy: // an answer
		l.heard = wall(now)
	case s == sourceProbe:
		l.others = false
	case f.Late: // a probe finds out what else is not answered
		l.broke = wall(now)
	}
	l.mu.Unlock()
	l.changed()
}

// lastAnswer is when anything was answered last, or, if nothing was, when a probe was sent.
func (l *Link) lastAnswer(sent time.Time) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.heard.IsZero() {
		return wall(sent)
	}
	return l.heard
}

// Recovered reports that the hub answers again, after it has answered nothing since silent: what still waits for an earlier
// answer is sent again. Timeouts in that time do not make a set slow, unless it was not proved since the last recovery: then
// its own lists may be what is not answered.
func (l *Link) Recovered(silent, now time.Time) {
	l.mu.Lock()
	before := l.recovered
	l.recovered = wall(now)
	l.mu.Unlock()
	for _, f := range l.all() {
		since := silent
		l.mu.Lock()
		if !f.proved.After(before) {
			since = time.Time{}
		}
		l.mu.Unlock()
		f.restart(false, since)
	}
}

// Gone forgets a source that has ended.
func (l *Link) Gone(s Source) {
	l.mu.Lock()
	_, was := l.failing[s]
	delete(l.failing, s)
	_, open := l.sets[s]
	delete(l.sets, s)
	l.mu.Unlock()
	if was || open {
		l.changed()
	}
}

// Load reports that the first sets are complete.
func (l *Link) Load() {
	l.mu.Lock()
	was := l.loaded
	l.loaded = true
	l.mu.Unlock()
	if !was {
		l.changed()
	}
}

// View returns the link at now, with its times moved by skew to the hub's
// clock, and the local time at which it changes without a further report.
func (l *Link) View(now time.Time, skew time.Duration) (engine.Link, time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now = wall(now)
	state, worst := l.judge(now)
	if state != l.state {
		l.state, l.since = state, now
	}
	v := engine.Link{State: state, Since: l.since.Add(skew), Err: worst.Err, Hint: worst.Next(l.retries), Rerun: worst.Next(false), Absent: worst.Absent, LoginFailed: worst.Kind == client.Unauthenticated, Answers: worst.Others}
	switch worst.Kind {
	case client.Busy, client.ServerError, client.Unreadable, client.Rejected:
		v.Errors = true
	}
	if state == engine.LinkLive {
		v.Polled = l.polled()
	}
	if state != engine.LinkLoading {
		v.Stale = staleSets(l.stale(now))
	}
	if state != engine.LinkLive {
		v.Loading = l.loading(now, state != engine.LinkLoading)
	}
	oldest := l.oldest()
	if !oldest.IsZero() {
		v.Heard = oldest.Add(skew)
	}
	if !l.reset.IsZero() && now.Sub(l.reset) < resetShown {
		v.Reset = l.reset.Add(skew)
	}
	var next time.Time
	if state == engine.LinkLive || len(l.sets) > 0 {
		next = l.turnsStale(now)
	}
	return v, next
}

// judge applies the rules in their order: the first that matches wins.
func (l *Link) judge(now time.Time) (engine.LinkState, client.Failure) {
	worst, found := l.worst(l.isArriving(now))
	switch {
	case found && worst.Kind == client.Unauthenticated:
		return engine.LinkRefused, worst
	case found && worst.Kind == client.Forbidden:
		return engine.LinkRefused, worst
	case found:
		if silent := l.silent(); worst.Late && len(silent) > 0 {
			worst.Err, worst.Others = engine.Textf("no answer in time: %s", names(silent)), true
			worst.Hint = engine.Lit("wait a moment (the hub answers other requests)")
		}
		return engine.LinkReconnecting, worst
	case !l.loaded, l.isUnconfirmed(now):
		return engine.LinkLoading, client.Failure{}
	}
	if stale := l.stale(now); len(stale) > 0 {
		return engine.LinkStale, client.Failure{Err: staleText(stale), Hint: engine.Lit("the list is read again automatically")}
	}
	if now.Sub(l.heard) > StaleAfter {
		return engine.LinkStale, client.Failure{
			Err:  engine.Lit("the hub has not answered recently"),
			Hint: engine.Lit("the data may be old"),
		}
	}
	return engine.LinkLive, client.Failure{}
}

// LoginRefused reports whether the hub does not know who we are.
func (l *Link) LoginRefused() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	worst, found := l.worst(false)
	return found && worst.Kind == client.Unauthenticated
}

// loginWorks reports that the API server accepted the login in use in a request that was sent
// at a moment: a new one that was rejected before is not needed. It returns whether the
// sources whose login was rejected before have to try again, once for each rejection.
func (l *Link) loginWorks(at time.Time) (wake bool) {
	l.mu.Lock()
	login, rejected := l.failing[sourceLogin]
	if rejected = rejected && login.at.Before(wall(at)); rejected {
		delete(l.failing, sourceLogin)
	}
	for s, f := range l.failing {
		if f.Kind == client.Unauthenticated && !f.woken && f.at.Before(wall(at)) && s != sourceLogin {
			f.woken, wake = true, true
			l.failing[s] = f
		}
	}
	l.mu.Unlock()
	if rejected {
		l.changed()
	}
	return wake
}

// LoginRejected reports that a new login was not accepted, why, and what to do.
func (l *Link) LoginRejected(why, hint engine.Text, now time.Time) {
	l.Fail(sourceLogin, client.Failure{Kind: client.Unauthenticated, Err: why, Hint: hint}, now)
}

// LoginAccepted reports that a new login is used.
func (l *Link) LoginAccepted() { l.Gone(sourceLogin) }

// isArriving reports whether first lists are arriving: unanswered requests, for however long, are
// queued behind them. The lock is held.
func (l *Link) isArriving(now time.Time) bool {
	age := now.Sub(l.arrived)
	return !l.loaded && age >= 0 && age < arrivingFor
}

// isOver reports whether the reason of a failure is over, with the lock held: what was not answered is
// being received, or somebody answers where nobody listened. The set is to be read again.
func (l *Link) isOver(f *failed) bool { return f.over || f.Absent && l.answered.After(f.at) }

// worst picks the failure to show: first the reason a new login was rejected, then a rejected
// login, then the newest failure that is not over. patient skips timeouts.
func (l *Link) worst(patient bool) (client.Failure, bool) {
	if login, found := l.failing[sourceLogin]; found {
		return login.Failure, true
	}
	var worst failed
	found := false
	for _, f := range l.failing {
		switch {
		case patient && f.Late, l.isOver(&f):
		case !found,
			f.Kind == client.Unauthenticated && worst.Kind != client.Unauthenticated,
			(f.Kind == client.Unauthenticated) == (worst.Kind == client.Unauthenticated) && f.at.After(worst.at):
			worst, found = f, true
		}
	}
	return worst.Failure, found
}
