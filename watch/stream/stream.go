package stream

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/internal/task"
	"github.com/stagewatch/stagewatch/watch/jsonpath"
	"github.com/stagewatch/stagewatch/watch/link"
	"github.com/stagewatch/stagewatch/watch/store"
	"github.com/stagewatch/stagewatch/watch/stream/held"
	"github.com/stagewatch/stagewatch/watch/stream/incoming"
	"github.com/stagewatch/stagewatch/watch/stream/printed"
	"github.com/stagewatch/stagewatch/watch/stream/received"
	"github.com/stagewatch/stagewatch/watch/stream/rowonly"
)

const (
	// doubtFor is how long a set that was there, or is of a hub that may have just started, must be
	// refused before it is taken for lost.
	doubtFor = 15 * time.Second
	// pollEvery is how often a set is listed that may not be watched.
	pollEvery = 3 * time.Second
	// watchAgain is how often such a set is watched from its version, to find out whether
	// watches are answered again.
	watchAgain = time.Second
	// gapMost is how long after its last proof a set is watched from its version again. After
	// a longer gap the hub may have gone back to a backup and have overtaken that version:
	// then the set is listed.
	gapMost = 5 * time.Second
	// A request is sent again when the API server recovers, if it has waited stuckFor for its
	// answer or stuckWithin for the next part of it.
	stuckFor    = 200 * time.Millisecond
	stuckWithin = time.Second
	// retryMost is the longest pause before a set is requested again: below 2 s with jitter.
	retryMost = 1300 * time.Millisecond
)

// errOlder is the error of a list that is older than what was received before. The next one decides.
var errOlder = errors.New("the hub returned older data than before")

// stream keeps one set in view until its context ends: it lists the set and then watches
// it from there, without end. One goroutine, run, owns what is not guarded.
type stream struct {
	hub  *client.Client
	link *link.Link
	sink *store.Sink
	all  *task.Group
	key  world.CoverKey
	// paths reads the columns that are JSONPaths; nil if there are none.
	paths *jsonpath.Reader
	// settled is called when the set becomes complete, and when it is rejected.
	settled func(outcome)
	// queues is set for a set of bindings that is listed again when it is its turn, if it was not
	// proved for long and the line is slow: what comes first is that the runs are live.
	queues bool
	missed time.Time // since when its first list is not answered; only run uses it
	// pace is how often its watch is checked.
	pace time.Duration
	// once is set for a set that is listed and not watched. Of such a set only the objects of
	// names are read, if they are not nil. If rowsOnly is not nil, nothing is read: the rows are the set.
	once     bool
	names    *printed.Chosen
	rowsOnly []*store.Object
	// rows is the early request for the rows of the runs; nil once they were used. The first list waits rowsWait for them. byRows
	// is set while the set was last listed by its rows: rowOnly then has the runs that were not read whole. Only run uses rows,
	// rowsWait and byRows. whole is set if the set has to be listed instead, and resumes is when runs may be read again, in
	// nanoseconds, after the hub has asked for a pause, or rejected the login.
	rows     *printed.Request
	rowsWait time.Duration
	byRows   bool
	rowOnly  rowonly.Set
	whole    atomic.Bool
	resumes  atomic.Int64
	// listing is how many bytes of the list have come that is being read, decompressed.
	listing atomic.Int64
	// since is the version that the first list should have, empty for any, unless lags is set:
	// an older list says nothing of what the run has done in that version.
	since string
	lags  *atomic.Bool

	// early says that the last watch ended before its time: the hub may have restarted.
	early bool
	// server is the one that the set as known is from, moved counts the lists in succession
	// that were made because another one answered.
	server string
	moved  int
	held   *held.Set
	gates  *gates
	listed time.Time // when a list was requested last that was taken
	read   time.Time // when version was received, or the list of it requested

	// due is when the request under way, or the rest of its answer, counts as stuck, in
	// nanoseconds; zero if there is none.
	due atomic.Int64
	// late is set while the last request was not answered in time.
	late atomic.Bool
	// latency is how long the head of the last watch took that was accepted, in nanoseconds.
	latency atomic.Int64
	// named is set while the screen says that watches of the set fail.
	named atomic.Bool
	// watching counts the watches; it is odd while one is open. broke is what it was when a watch
	// had ended before its time, confirmed what it was when the last check that got an answer began.
	watching, broke, confirmed atomic.Int64
	// broken is told when a watch ends before its time, for check.
	broken chan struct{}
	// brought counts the events that watches brought, bytes their bytes; received has their versions.
	brought  atomic.Int64
	bytes    atomic.Int64
	received received.Versions
	rest     time.Duration // before the first watch; only run uses it
	body     time.Duration // how long the body of the last list took; only run uses it, and its size in bytes
	size     int64

	mu       sync.Mutex
	end      context.CancelFunc // ends the request under way
	version  string             // up to which the set is known; empty before the first list and after a reset
	exact    bool               // the next list must have the newest state
	relist   bool               // list before the next watch
	poll     bool               // the same for a set that cannot be watched: every pollEvery
	older    int                // lists in succession that were older
	slow     time.Time          // when a list was not answered in time last
	took     time.Duration      // how long the last list took
	loaded   bool               // has been complete before
	counted  int                // objects so far of the first load
	odd      bool               // the last list cannot be read: nothing of the next one is shown before its end
	useless  int                // watches in succession that failed or ended at once
	polled   bool               // is listed but cannot be watched
	doubted  time.Time          // since when a set that was there is refused
	notified bool               // settled was called, with state
	state    client.FailureKind
	aheads   map[engine.ID]*incoming.Object // were read ahead of the first list; nil for one that is being read
}

// run lists and watches until ctx ends.
func (s *stream) run(ctx context.Context) {
	s.relist = true
	defer s.held.Clear()
	defer s.link.Open(s.source(), s.key, time.Now(), s.restart)()
	s.all.Go(func() { s.check(ctx) })
	pause, logins := client.FirstPause, 0
	for ctx.Err() == nil {
		began := time.Now()
		ended, err := s.pass(ctx)
		if time.Since(began) > link.StaleAfter {
			pause, logins = client.FirstPause, 0
		}
		rest := pause
		pause = min(2*pause, retryMost)
		if ended {
			pause = client.FirstPause
			continue
		}
		if asked := client.RetryAfter(err); asked > 0 {
			// Nothing but the end of the stream ends this pause.
			if !client.Sleep(ctx, client.Jitter(asked)) {
				return
			}
			continue
		}
		switch client.KindOf(err) {
		case client.NoFailure:
			switch {
			case s.isPolled():
				rest = s.untilNext(began)
			case time.Since(began) > time.Second:
				rest = 0 // a watch ended as it should
			}
		case client.Unauthenticated:
			// client-go renews a login because of a 401 but does not send the
			// request again: the next try may well pass.
			switch logins++; {
			case s.isPolled() && s.provedWithin(gapMost):
				rest = pollEvery // its lists are answered
			case logins == 1:
				rest = time.Second
			default:
				rest = client.LoginPause(err)
			}
		case client.Forbidden, client.NotServed:
			switch {
			case s.isPolled():
				rest = s.untilNext(began)
			case !s.isDoubted():
				pause = min(2*rest, client.MaxPause)
			}
		default:
			if s.isPolled() {
				rest = s.untilNext(began)
			}
		}
		if rest > 0 && !s.hub.Pause(ctx, client.Jitter(rest)) {
			return
		}
	}
}

// pass lists the set if that is due, and watches it until the watch ends. It reports
// whether it was ended for the next one to begin.
func (s *stream) pass(outer context.Context) (ended bool, err error) {
	recent := s.provedWithin(gapMost)
	s.mu.Lock()
	if s.early && !recent {
		s.relist, s.exact = true, true
	}
	again := s.mustQueue(recent)
	ctx, end := context.WithCancel(outer)
	s.end = end
	// Between two lists of a set that cannot be watched, only the watch is requested: after a
	// list that was taken, so that the gap is short.
	relist := s.relist || s.poll && time.Since(s.listed) >= pollEvery
	polled := s.polled
	s.mu.Unlock()
	defer end()
	if again {
		s.settled(outcome{key: s.key, again: true})
		<-outer.Done()
		return false, nil
	}
	switch {
	case relist:
		err = s.listOrNamed(ctx)
	case s.early && !polled:
		err = s.verify(ctx, askHead)
	}
	switch {
	case err != nil:
		err = s.failed(ctx, err)
		s.misses(err)
	case s.once:
		<-ctx.Done()
	case s.names != nil:
		s.listsSoon(ctx)
	default:
		if s.rest > 0 {
			client.Sleep(ctx, s.rest) // if ctx ends, so does the watch
			s.rest = 0
		}
		err = s.watched(ctx, relist)
	}
	return ctx.Err() != nil && outer.Err() == nil, err
}

// watched watches the set and decides from the end of the watch whether the set is listed
// before the next one. relisted says that it was listed just now.
func (s *stream) watched(ctx context.Context, relisted bool) error {
	began, brought := time.Now(), s.brought.Load()
	ofList, err := s.watch(ctx, relisted)
	lasted := time.Since(began)
	s.early = err != nil || lasted < (watchSeconds-1)*time.Second || lasted > (watchSeconds+4)*time.Second
	if ctx.Err() != nil {
		return err // ended for the next pass, which knows what to do
	}
	if s.early {
		s.breaks()
	}
	failed := s.brought.Load() == brought && (err != nil || lasted < time.Second)
	s.mu.Lock()
	switch {
	case !failed:
		s.useless = 0
	default:
		s.useless++
	}
	// A set whose watches fail after a list that was answered is kept by lists.
	s.polled = s.useless > 1 && (relisted || s.polled)
	if err != nil || failed {
		// A watch that fails brings no change: the list does.
		s.relist, s.poll, s.exact = s.relist || !s.polled, s.polled, true
	}
	polled := s.polled
	s.mu.Unlock()
	switch {
	case ofList: // it is reported
	case polled:
		s.lists(s.watchFailure(err))
	case err != nil && !mayNotWatch(err):
		return s.failed(ctx, err)
	}
	return err
}

// restart ends the request under way if it is stuck. With all, it ends it whatever it does, forgets
// the version and lists the set again. Since silent, if it is not zero, the hub has answered nothing: a list that timed out
// after that does not count as slow, and the list that follows it is given up.
func (s *stream) restart(all bool, silent time.Time) {
	due := s.due.Load()
	stuck := due > 0 && time.Now().UnixNano() > due
	s.mu.Lock()
	defer s.mu.Unlock()
	if all {
		s.version, s.relist, s.exact, s.older, s.aheads = "", true, true, 0, nil
	}
	if !silent.IsZero() && s.slow.After(silent) {
		s.slow, stuck = time.Time{}, stuck || s.relist
	}
	if (all || stuck) && s.end != nil {
		s.end()
	}
}

// listAgain ends the watch; the list after it has the newest state.
func (s *stream) listAgain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.relist, s.exact = true, true
	if s.end != nil {
		s.end()
	}
}

// advance notes the version of an event. It reports false for one that is not newer than
// what is known: it was sent again.
func (s *stream) advance(ctx context.Context, version string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return false // restart has forgotten the version
	}
	if version == s.version || client.Older(version, s.version) {
		return false
	}
	s.version, s.read = version, time.Now()
	return true
}

// reached tells the feed up to which version the set is known, if it has bindings: they are
// compared with runs.
func (s *stream) reached(version string) {
	if !s.key.Placement.IsZero() {
		s.sink.Reach(version)
	}
}

func (s *stream) at() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// stands records that the hub took a request.
func (s *stream) stands() {
	s.mu.Lock()
	s.doubted = time.Time{}
	s.mu.Unlock()
	s.link.OK(s.source(), time.Now())
}

// failed records an error where it is shown, in the link or in the coverage of the set,
// and returns it.
func (s *stream) failed(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), context.Canceled) {
		return err // we ended it
	}
	f := s.hub.Failure(err)
	if errors.Is(err, errOlder) {
		f = client.Failure{Kind: client.ServerError, Err: engine.Clean(err.Error()), Hint: engine.Lit("it may have been restored from a backup; the data is read again automatically")}
	}
	switch f.Kind {
	case client.Expired: // it is listed again
	case client.Forbidden, client.NotServed:
		if s.doubt(time.Now()) {
			s.link.Fail(s.source(), client.Failure{Kind: client.ServerError, Err: f.Err, Hint: f.Hint}, time.Now())
			return err
		}
		state := engine.CoverForbidden
		if f.Kind == client.NotServed {
			state = engine.CoverNotServed
		}
		s.refuse(engine.Coverage{State: state, Why: f.Err}, f)
	default:
		if errors.Is(err, context.DeadlineExceeded) {
			f.Err, f.Late = engine.Textf("no answer in time: %s", engine.Clean(s.key.Kind.Plural())), true
		}
		s.link.Fail(s.source(), f, time.Now())
	}
	return err
}
