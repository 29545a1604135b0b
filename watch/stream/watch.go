package stream

import (
	"context"
	"errors"
	"io"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/stream/incoming"
)

const (
	// watchSeconds bounds how long a watch that died unseen can hide behind an
	// otherwise healthy connection.
	watchSeconds = 90
	// watchHead is how long the head of a watch may take, which API servers send at once: of a
	// hub whose lists take longer, listSlack times as long as the last one, watchHeadMost at most.
	watchHead     = time.Second
	watchHeadMost = 3 * time.Second
	// watchHeadAgain is how long the head of a watch may take if the one before failed.
	watchHeadAgain = 1500 * time.Millisecond
	// mostMoved is how often in succession a set is listed because another server answers.
	mostMoved = 2
)

// watch follows the set from its version until the watch ends. relisted says that the set was
// listed just before. Without an error the watch ended as the API server does after
// watchSeconds; ofList says that the error is that of a list, and was recorded.
func (s *stream) watch(ctx context.Context, relisted bool) (ofList bool, err error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return false, err
	}
	defer leave()
	seconds := int64(watchSeconds)
	// The hub ends the watch after the time it was asked for. When it does not,
	// the way to it is dead although something on the way still answers.
	ctx, cancel := context.WithTimeout(ctx, (watchSeconds+5)*time.Second)
	defer cancel()
	sent := time.Now()
	s.waits(stuckFor)
	body, err := s.hub.Stream(ctx, s.request(metav1.ListOptions{
		ResourceVersion: s.at(), Watch: true, AllowWatchBookmarks: true, TimeoutSeconds: &seconds,
	}), client.Limits{Head: s.watchHead()})
	s.due.Store(0)
	s.answers(err)
	leave()
	if err != nil {
		return false, s.watchFailed(err)
	}
	s.latency.Store(int64(min(time.Since(sent), watchHeadMost))) // more if it waited behind a list
	s.stands()
	source := s.source()
	// Events are read from now on: over a slow line, answers are late behind one that takes long, which only the reader
	// of it can tell.
	events := incoming.NewFrames(s.all, s.hub.Name(), s.key.Kind, s.paths, &metered{body, func(n int) {
		s.bytes.Add(int64(n))
		s.link.Received(source, n, time.Now())
	}})
	defer events.Stop()
	moved := s.moves(body.Server, relisted)
	if !moved && (relisted || s.isPolled()) {
		// Not before the watch: the hub can have gone back since, and it would bring nothing.
		err = s.verify(ctx, watchHeadMost)
	}
	switch {
	case moved:
		s.listAgain()
		return false, nil
	case err != nil:
		return true, s.failed(ctx, err)
	}
	s.watching.Add(1)
	defer s.watching.Add(1)
	return false, s.follow(ctx, events)
}

// metered is a body whose bytes are reported as they come.
type metered struct {
	*client.Body
	received func(bytes int)
}

// Read implements io.Reader.
func (m *metered) Read(b []byte) (int, error) {
	n, err := m.Body.Read(b)
	m.received(n)
	return n, err //nolint:wrapcheck // io.Reader
}

// moves reports whether the set has to be listed because another server answers than the one
// that it is from: only if both stand in front of one store, which nothing says, has it the
// versions that follow. Where each request meets another server, the watch after mostMoved
// lists is kept.
func (s *stream) moves(server string, relisted bool) bool {
	if server == s.server || relisted && s.moved == mostMoved {
		s.server, s.moved = server, 0
		return false
	}
	s.moved = min(s.moved+1, mostMoved)
	return true
}

// watchHead is how long the head of the next watch may take.
func (s *stream) watchHead() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	head := watchHead
	if s.useless > 0 {
		head = watchHeadAgain
	}
	return min(max(head, listSlack*s.took), watchHeadMost)
}

// follow takes the events of a watch until it ends.
func (s *stream) follow(ctx context.Context, events *incoming.Frames) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	events.Beside(s.readRuns(ctx))
	for {
		event, err := events.Next(ctx)
		ended := ctx.Err() != nil
		if o, ok := event.Object.(*incoming.Object); ok && ended && event.Type == incoming.BesideWatch {
			s.rowOnly.Release(o.ID)
		}
		switch {
		case ended, errors.Is(err, io.EOF):
			return nil // ended by us (listAgain, restart, or the end of the stream), or as it should
		case err != nil:
			return err
		case event.Type == apiwatch.Error:
			return s.watchFailed(apierrors.FromObject(event.Object))
		}
		o, ok := event.Object.(*incoming.Object)
		if !ok {
			continue
		}
		if event.Type == incoming.BesideWatch {
			s.takeBeside(o)
			continue
		}
		fresh := s.advance(ctx, o.ResourceVersion)
		if ctx.Err() != nil {
			return nil
		}
		if fresh && event.Type != apiwatch.Bookmark {
			s.received.Add(o.ResourceVersion)
		}
		switch {
		case event.Type == apiwatch.Bookmark && client.Older(o.ResourceVersion, s.at()), event.Type != apiwatch.Bookmark && !fresh:
			continue // sent again, or from an older state
		case event.Type == apiwatch.Deleted:
			s.held.Remove(&o.Object)
			s.sink.Remove(&o.Object)
			s.rowOnly.Read(o.ID)
		case event.Type == apiwatch.Bookmark:
		default:
			s.put(o)
			s.rowOnly.Read(o.ID)
		}
		s.reached(o.ResourceVersion)
		s.brought.Add(1)
		s.link.Proves(s.source(), time.Now())
		s.isWatched()
	}
}

// put shows an object, or says that there is no room for it.
func (s *stream) put(o *incoming.Object) {
	if !s.held.Put(&o.Object, o.Bytes) { // an older version of it is not shown either
		s.held.Remove(&o.Object)
		s.sink.Remove(&o.Object)
		s.sink.Cover(engine.Coverage{State: engine.CoverTruncated, N: s.held.Objects()})
		return
	}
	s.mu.Lock()
	newest := s.newest(o)
	if newest == o {
		delete(s.aheads, o.ID) // the watch has come that far
	}
	s.mu.Unlock()
	s.sink.Put(&newest.Object)
}

// lists says why lists keep the set, and isWatched that its watch works again.
func (s *stream) lists(why engine.Text) {
	s.named.Store(true)
	s.link.Polls(s.source(), why)
}

func (s *stream) isWatched() {
	if s.named.Swap(false) {
		s.link.Polls(s.source(), engine.Text{})
	}
}

// untilNext is how long to wait before the next request for a set that cannot be watched, after one
// that began at a moment: watchAgain, or less if a list is due before.
func (s *stream) untilNext(began time.Time) time.Duration {
	rest := watchAgain - time.Since(began)
	if due := pollEvery - time.Since(s.listed); due > 0 { // else the list has failed
		rest = min(rest, due)
	}
	return max(client.FirstPause, rest)
}

func (s *stream) isPolled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.polled
}

// watchFailed notes that a watch was not to be had, and returns the error.
func (s *stream) watchFailed(err error) error {
	if mayNotWatch(err) && client.KindOf(err) != client.Expired {
		// The list before it was answered: this set may be listed, not watched.
		s.mu.Lock()
		s.useless = max(s.useless, 1)
		s.mu.Unlock()
	}
	return err
}

// mayNotWatch reports whether the error of a watch is no failure of the connection: the set is
// listed.
func mayNotWatch(err error) bool {
	switch client.KindOf(err) {
	case client.Expired, client.Forbidden, client.Missing, client.NotServed, client.Rejected:
		return true
	}
	return false
}

// watchFailure says why watches fail while lists are answered.
func (s *stream) watchFailure(err error) engine.Text {
	switch {
	case err == nil:
		return engine.Lit("they end at once")
	case errors.Is(err, context.DeadlineExceeded):
		return engine.Lit("no answer in time")
	}
	return s.hub.Failure(err).Err
}
