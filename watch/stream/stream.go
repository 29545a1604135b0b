package stream

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/internal/task"
	"github.com/stagewatch/stagewatch/watch/store"
)

const (
	// watchSeconds bounds how long a watch that died unseen can hide behind an
	// otherwise healthy connection.
	watchSeconds = 90
	// doubtFor is how long a set that was there must be refused before it is
	// taken for lost.
	doubtFor = 15 * time.Second
	// pollEvery is how often a set is listed that may not be watched.
	pollEvery = 5 * time.Second
)

// stream keeps one set in view until its context ends.
type stream struct {
	hub  *client.Client
	link *Link
	sink *store.Sink
	all  *task.Group
	key  world.CoverKey
	// settled is called when the set becomes complete, and when it is rejected.
	settled func(world.CoverKey, client.Failure)
	// pace is how often its watch is checked.
	pace time.Duration

	// watching is the open watch; nil when there is none.
	watching atomic.Pointer[counted]
	// end ends the current list and watch.
	end atomic.Pointer[context.CancelFunc]

	mu       sync.Mutex
	last     error     // of the latest attempt; nil when it stands
	loaded   bool      // has been complete before
	counted  int       // objects so far of the first load
	polled   bool      // may be listed but not watched
	doubted  time.Time // since when a set that was there is refused
	notified bool      // settled was called, with state
	state    client.FailureKind
}

func (s *stream) source() source {
	ns, name, _ := s.key.Placement.Raw()
	return source(s.key.Kind.Plural() + "/" + s.key.Namespace + "/" + ns + "/" + name)
}

// run lists and watches until ctx ends.
func (s *stream) run(ctx context.Context) {
	defer s.link.gone(s.source())
	lw := cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{ListWithContextFunc: s.list, WatchFuncWithContext: s.watch}, lists{})
	r := cache.NewReflectorWithOptions(lw, nil, s, cache.ReflectorOptions{
		Name:            string(s.source()),
		TypeDescription: s.key.Kind.String(),
		Backoff:         &wait.Backoff{Duration: client.FirstPause, Factor: 2, Jitter: 0.5, Cap: client.RetryCap, Steps: 10},
	})
	s.all.Go(func() { s.check(ctx, r) })
	pause, logins := client.FirstPause, 0
	for ctx.Err() == nil {
		began := time.Now()
		// What it returns is known already: list and watch record their errors.
		err := s.listAndWatch(ctx, r)
		if last := s.lastError(); last != nil {
			err = last
		}
		if time.Since(began) > staleAfter {
			pause, logins = client.FirstPause, 0
		}
		rest := pause
		switch client.KindOf(err) {
		case client.Unauthenticated:
			// client-go renews a login because of a 401 but does not send the
			// request again: the next try may well pass.
			if logins++; logins == 1 {
				rest = time.Second
			} else {
				rest = client.LoginPause(err)
			}
		case client.Forbidden, client.NotServed:
			switch {
			case s.isPolled():
				rest = pollEvery
			case s.isDoubted():
				pause = min(2*pause, client.RetryCap)
			default:
				pause = min(2*pause, client.MaxPause)
			}
		default:
			pause = min(2*pause, client.RetryCap)
		}
		if !s.hub.Pause(ctx, client.Jitter(rest)) {
			return
		}
	}
}

// listAndWatch lists once and watches from there; a check that finds the watch
// stalled ends it.
func (s *stream) listAndWatch(ctx context.Context, r *cache.Reflector) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	s.end.Store(&end)
	return r.ListAndWatchWithContext(ctx)
}

// list implements the reflector's list.
func (s *stream) list(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	if options.Continue == "" {
		s.mu.Lock()
		s.counted = 0 // what an attempt that broke off has counted comes again
		s.mu.Unlock()
	}
	body, err := s.hub.Stream(ctx, s.request(options))
	if err != nil {
		return nil, s.failed(ctx, err)
	}
	defer body.Close() //nolint:errcheck // read to its end, or given up
	list, err := readList(s.all, body, s.hub.Name(), s.key.Kind, s.arrived)
	if err != nil {
		return nil, s.failed(ctx, err)
	}
	s.stands()
	return list, nil
}

// watch implements the reflector's watch.
func (s *stream) watch(ctx context.Context, options metav1.ListOptions) (apiwatch.Interface, error) {
	seconds := int64(watchSeconds)
	options.TimeoutSeconds = &seconds
	options.Watch = true
	// The hub ends the watch after the time it was asked for. When it does not,
	// the way to it is dead although something on the way still answers.
	ctx, cancel := context.WithTimeout(ctx, (watchSeconds+5)*time.Second)
	body, err := s.hub.Stream(ctx, s.request(options))
	if err != nil {
		defer cancel()
		return nil, s.watchFailed(ctx, err)
	}
	s.stands()
	c := &counted{
		Interface: newFrames(s.all, s.hub.Name(), s.key.Kind, body,
			func() { s.link.proved(time.Now()) },
			func(err error) { s.report(ctx, err) }),
	}
	c.ended = func() {
		cancel()
		s.watching.CompareAndSwap(c, nil)
	}
	s.watching.Store(c)
	return c, nil
}

// watchFailed records that a watch was not to be had, and returns the error for
// the reflector.
func (s *stream) watchFailed(ctx context.Context, err error) error {
	switch client.KindOf(err) {
	case client.Forbidden, client.Missing, client.NotServed, client.Rejected:
		// The list before it was answered: this set may be listed, not watched.
		s.mu.Lock()
		s.last, s.polled = err, true
		s.mu.Unlock()
		return err
	}
	return s.failed(ctx, err)
}

// lists makes the reflector load by a list, not by a watch that begins with all
// objects. Of 100 runs of 1,000 clusters the list costs hub and client
// together half of the CPU, and it is compressed on the wire, which watches are
// not before Kubernetes 1.37.
type lists struct{}

// IsWatchListSemanticsUnSupported implements an optional interface of
// client-go's reflector.
func (lists) IsWatchListSemanticsUnSupported() bool { return true }

func (s *stream) request(options metav1.ListOptions) *rest.Request {
	ns := s.key.Namespace
	selector := ""
	if !s.key.Placement.IsZero() {
		var name string
		ns, name, _ = s.key.Placement.Raw()
		selector = placement.LabelParentPlacement + "=" + name
	}
	r := s.hub.At(http.MethodGet, s.key.Kind, ns, "")
	for _, p := range []struct{ name, value string }{
		{"labelSelector", selector},
		{"resourceVersion", options.ResourceVersion},
		{"resourceVersionMatch", string(options.ResourceVersionMatch)},
		{"continue", options.Continue},
	} {
		if p.value != "" {
			r = r.Param(p.name, p.value)
		}
	}
	if options.Limit > 0 {
		r = r.Param("limit", strconv.FormatInt(options.Limit, 10))
	}
	if options.Watch {
		r = r.Param("watch", "true")
	}
	if options.AllowWatchBookmarks {
		r = r.Param("allowWatchBookmarks", "true")
	}
	if options.TimeoutSeconds != nil {
		r = r.Param("timeoutSeconds", strconv.FormatInt(*options.TimeoutSeconds, 10))
	}
	return r
}

// arrived takes note of an object of a list that is still being read, so that
// the first load shows what is there already.
func (s *stream) arrived(o *object) {
	s.link.proved(time.Now())
	s.mu.Lock()
	first := !s.loaded
	s.counted++
	n := s.counted
	s.mu.Unlock()
	if first {
		s.sink.Put(&o.Object)
		s.sink.Cover(engine.Coverage{State: engine.CoverLoading, N: n})
	}
}

// stands records that the hub took a request.
func (s *stream) stands() {
	s.mu.Lock()
	s.last, s.doubted = nil, time.Time{}
	s.mu.Unlock()
	s.link.ok(s.source(), time.Now())
}

// failed records that the hub did not take a request, and returns the error for
// the reflector.
func (s *stream) failed(ctx context.Context, err error) error {
	s.report(ctx, err)
	return err
}

// report sorts an error into where it is shown: the link, or the set's cover.
func (s *stream) report(ctx context.Context, err error) {
	if errors.Is(ctx.Err(), context.Canceled) {
		return // we ended it
	}
	f := s.hub.Failure(err)
	s.mu.Lock()
	s.last = err
	s.mu.Unlock()
	switch f.Kind {
	case client.Expired:
		return // the reflector lists again
	case client.Forbidden, client.NotServed:
		if s.doubt(time.Now()) {
			s.link.fail(s.source(), client.Failure{Kind: client.ServerError, Err: f.Err, Hint: f.Hint}, time.Now())
			return
		}
		state := engine.CoverForbidden
		if f.Kind == client.NotServed {
			state = engine.CoverNotServed
		}
		s.refuse(engine.Coverage{State: state, Why: f.Err}, f)
	default:
		s.link.fail(s.source(), f, time.Now())
	}
}

// doubt reports whether a refusal is not to be believed yet: an API server that
// starts refuses for a moment what it gave before, because it does not know its
// roles and CRDs yet.
func (s *stream) doubt(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.loaded {
		return false
	}
	if s.doubted.IsZero() {
		s.doubted = now
	}
	return now.Sub(s.doubted) < doubtFor
}

func (s *stream) isDoubted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.doubted.IsZero()
}

// refuse records that the hub answers but does not give the set.
func (s *stream) refuse(c engine.Coverage, f client.Failure) {
	s.mu.Lock()
	s.loaded, s.counted, s.polled, s.doubted = false, 0, false, time.Time{}
	s.mu.Unlock()
	s.link.ok(s.source(), time.Now())
	s.sink.Replace(nil)
	s.sink.Cover(c)
	s.settle(f)
}

func (s *stream) settle(f client.Failure) {
	s.mu.Lock()
	same := s.notified && s.state == f.Kind
	s.notified, s.state = true, f.Kind
	s.mu.Unlock()
	if !same {
		s.settled(s.key, f)
	}
}

func (s *stream) isPolled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.polled
}

func (s *stream) lastError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// Add implements cache.ReflectorStore.
func (s *stream) Add(obj any) error { return s.Update(obj) }

// Update implements cache.ReflectorStore.
func (s *stream) Update(obj any) error {
	o, err := asObject(obj)
	if err == nil {
		s.sink.Put(&o.Object)
	}
	return err
}

// Delete implements cache.ReflectorStore.
func (s *stream) Delete(obj any) error {
	o, err := asObject(obj)
	if err == nil {
		s.sink.Remove(&o.Object)
	}
	return err
}

// Replace implements cache.ReflectorStore.
func (s *stream) Replace(items []any, _ string) error {
	all := make([]*store.Object, 0, len(items))
	for _, item := range items {
		o, err := asObject(item)
		if err != nil {
			return err
		}
		all = append(all, &o.Object)
	}
	s.mu.Lock()
	s.loaded = true
	s.mu.Unlock()
	s.sink.Replace(all)
	s.link.proved(time.Now())
	s.settle(client.Failure{})
	return nil
}

// Resync implements cache.ReflectorStore; there is nothing to resync.
func (s *stream) Resync() error { return nil }

func asObject(obj any) (*object, error) {
	o, ok := obj.(*object)
	if !ok {
		return nil, fmt.Errorf("store %T: not an object of a stream", obj)
	}
	return o, nil
}
