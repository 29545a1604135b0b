package stream

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
)

const (
	// watchSeconds bounds how long a watch that died unseen can hide behind an
	// otherwise healthy connection.
	watchSeconds = 90
	// watchHead is how long the head of a watch may take, which API servers send at once.
	watchHead = 3 * time.Second
	// checkEvery is how long a set may be without a proof before its watch is checked.
	// With checkDeadline and checkGrace, and a list where they find nothing, that is within
	// link.StaleAfter.
	checkEvery = 3 * time.Second
	// checkRarely is the same for member clusters, on which no state word depends.
	checkRarely = 20 * time.Second
	// checkSoon is how much earlier a set is checked together with another one.
	checkSoon = 2 * time.Second
	// checkFor is how long a check watches: an idle set costs one request in six seconds.
	checkFor = 3 * time.Second
	// checkSlack is how much longer a check may take to be answered.
	checkSlack = 1500 * time.Millisecond
	// checkGrace is how long the watch may be behind the check.
	checkGrace = time.Second
	// doubtEvery, doubtWatch, doubtSlack and doubtGrace are for a set whose watch was stalled,
	// until one brings something again, and for all sets while the connection is suspected:
	// a watch that stays silent after a fault is replaced within two seconds.
	doubtEvery = 300 * time.Millisecond
	doubtWatch = time.Second
	doubtSlack = 600 * time.Millisecond
	doubtGrace = 500 * time.Millisecond
	// watchHeadAgain is how long the head of a watch may take if the one before failed.
	watchHeadAgain = 1500 * time.Millisecond
)

// watch follows the set from its version until the watch ends. Without an error the
// watch ended as the API server does after watchSeconds.
func (s *stream) watch(ctx context.Context) error {
	seconds := int64(watchSeconds)
	// The hub ends the watch after the time it was asked for. When it does not,
	// the way to it is dead although something on the way still answers.
	ctx, cancel := context.WithTimeout(ctx, (watchSeconds+5)*time.Second)
	defer cancel()
	s.asked.Store(time.Now().UnixNano())
	body, err := s.hub.Stream(ctx, s.request(metav1.ListOptions{
		ResourceVersion: s.at(), Watch: true, AllowWatchBookmarks: true, TimeoutSeconds: &seconds,
	}), client.Limits{Head: s.watchHead()})
	s.asked.Store(0)
	if err != nil {
		return s.watchFailed(ctx, err)
	}
	s.stands()
	s.watching.Add(1)
	defer s.watching.Add(1)
	return s.follow(ctx, body)
}

// watchHead is how long the head of the next watch may take.
func (s *stream) watchHead() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.useless > 0 {
		return watchHeadAgain
	}
	return watchHead
}

// follow takes the events of a watch until it ends.
func (s *stream) follow(ctx context.Context, body io.ReadCloser) error {
	var mu sync.Mutex
	var broken error // the first of the two goroutines of frames
	events := newFrames(s.all, s.hub.Name(), s.key.Kind, s.paths, body, func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if broken == nil {
			broken = err
		}
	})
	defer events.Stop()
	for {
		var event apiwatch.Event
		var open bool
		select {
		case event, open = <-events.ResultChan():
		case <-ctx.Done():
			return nil // ended by us: listAgain, restart, or the end of the stream
		}
		if !open {
			mu.Lock()
			defer mu.Unlock()
			if broken != nil {
				return s.failed(ctx, broken)
			}
			return nil
		}
		if event.Type == apiwatch.Error {
			return s.watchFailed(ctx, apierrors.FromObject(event.Object))
		}
		o, ok := event.Object.(*object)
		if !ok {
			continue
		}
		fresh := s.advance(ctx, o.ResourceVersion)
		if ctx.Err() != nil {
			return nil
		}
		switch {
		case event.Type == apiwatch.Bookmark && client.Older(o.ResourceVersion, s.at()), event.Type != apiwatch.Bookmark && !fresh:
			continue // sent again, or from an older state
		case event.Type == apiwatch.Deleted:
			s.held.remove(o)
			s.sink.Remove(&o.Object)
		case event.Type == apiwatch.Bookmark:
		case s.held.put(o):
			s.sink.Put(&o.Object)
		default: // no room: an older version of it is not shown either
			s.held.remove(o)
			s.sink.Remove(&o.Object)
			s.sink.Cover(engine.Coverage{State: engine.CoverTruncated, N: len(s.held.objects)})
		}
		s.brought.Add(1)
		s.link.Proves(s.source(), time.Now())
	}
}

// watchFailed records that a watch was not to be had, and returns the error.
func (s *stream) watchFailed(ctx context.Context, err error) error {
	switch client.KindOf(err) {
	case client.Expired:
		return err
	case client.Forbidden, client.Missing, client.NotServed, client.Rejected:
		// The list before it was answered: this set may be listed, not watched.
		s.mu.Lock()
		s.useless = max(s.useless, 1)
		s.mu.Unlock()
		return err
	}
	return s.failed(ctx, err)
}

// check finds out, until ctx ends, whether the watch is silent only because
// there is nothing new. A proxy can lose its way to the hub and keep the one to
// us: then pings and new requests are answered, and only watches bring nothing
// any more. So a second, short watch begins where the first one stands. If it ends
// without news, that is a proof; if it has news that the first does not get, or is not
// answered, the set is listed again.
func (s *stream) check(ctx context.Context) {
	stalls, brought := 0, s.brought.Load()
	for {
		if now := s.brought.Load(); now != brought {
			stalls, brought = 0, now
		}
		pace, grace := s.pace, checkGrace
		doubtful := stalls > 0 || s.link.IsSuspected()
		if doubtful {
			pace, grace = min(pace, doubtEvery), doubtGrace
		}
		woken, ok := s.link.PauseCheck(ctx, min(pace, max(pace-time.Since(s.link.ProvedAt(s.source())), checkEvery/20)))
		if !ok {
			return
		}
		open, at := s.watching.Load(), s.at()
		if doubtful = stalls > 0 || s.link.IsSuspected(); doubtful {
			pace, grace = min(pace, doubtEvery), doubtGrace
		}
		due := pace
		if woken && !doubtful {
			due -= checkSoon
		}
		if open%2 == 0 || at == "" || s.provedWithin(due) {
			continue
		}
		if !woken {
			s.link.Gather()
		}
		found, after := s.news(ctx, at, doubtful)
		if found == newsRefused {
			// An answer is no sign that the watch has failed, nor a proof.
			if !client.Sleep(ctx, max(pace, min(2*pace, 2*pace-time.Since(s.link.ProvedAt(s.source()))), after)) {
				return
			}
			if !s.provedWithin(2 * pace) {
				s.listAgain() // the list is the proof then
			}
			continue
		}
		if found == newsNone && s.watching.Load() == open {
			s.link.Proves(s.source(), time.Now())
			continue
		}
		if (found == newsSome || found == newsExpired) && !client.Sleep(ctx, grace) {
			return
		}
		if s.watching.Load() != open || s.at() != at || ctx.Err() != nil {
			continue
		}
		if found == newsUnknown || found == newsSome {
			s.link.Suspect()
		}
		if found == newsExpired {
			s.listAgain() // nothing says that the watch has failed
			continue
		}
		brought = s.brought.Load()
		if stalls++; stalls > 1 {
			// A new connection has not helped: some proxies hold back what
			// watches bring. Then this is how the set is kept in view.
			s.listAgain()
			continue
		}
		s.link.Fail(s.source(), client.Failure{
			Kind: client.Unreachable,
			Err:  engine.Textf("the watch of %s is stalled", engine.Clean(s.key.Kind.Plural())),
			Hint: engine.Lit("a proxy or VPN may block it; the list is read again automatically"),
		}, time.Now())
		s.listAgain()
	}
}

// provedWithin reports whether the set was proved in the last d. A proof in the future
// was made before the clock was set back.
func (s *stream) provedWithin(d time.Duration) bool {
	age := time.Since(s.link.ProvedAt(s.source()))
	return age < d && age > -time.Second
}

// news is what a check finds.
type news uint8

const (
	newsUnknown news = iota // no answer
	newsRefused             // an answer without the watch
	newsNone
	newsSome
	newsExpired // the hub has forgotten where the watch stands
)

// expired is how the event begins that says that the hub has forgotten the version.
const expired = `{"type":"ERROR"`

// news finds out whether the hub has changes of the set that are newer than at.
// For a refusal it returns how long to wait before the next one.
func (s *stream) news(ctx context.Context, at string, doubtful bool) (news, time.Duration) {
	last, slack := checkFor, checkSlack
	if doubtful {
		last, slack = doubtWatch, doubtSlack
	}
	ctx, cancel := context.WithTimeout(ctx, last+slack)
	defer cancel()
	seconds := int64(last / time.Second)
	began := time.Now()
	body, err := s.hub.Stream(ctx, s.request(metav1.ListOptions{ResourceVersion: at, Watch: true, TimeoutSeconds: &seconds}).
		SetHeader("Accept", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"), client.Limits{Head: slack})
	if err != nil {
		switch client.KindOf(err) {
		case client.Expired:
			return newsExpired, 0
		case client.Unreachable:
			return newsUnknown, 0
		}
		return newsRefused, client.RetryAfter(err)
	}
	defer body.Close() //nolint:errcheck // one event is enough
	start := make([]byte, len(expired))
	switch _, err := io.ReadFull(body, start); {
	case err == nil && string(start) == expired:
		return newsExpired, 0 // 410 as an event
	case err == nil:
		return newsSome, 0
	case errors.Is(err, io.EOF) && time.Since(began) > last*3/4:
		return newsNone, 0
	case errors.Is(err, io.EOF):
		return newsRefused, 0 // it did not wait for news
	}
	return newsUnknown, 0
}
