package stream

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/internal/task"
	"github.com/stagewatch/stagewatch/watch/link"
	"github.com/stagewatch/stagewatch/watch/store"
	"github.com/stagewatch/stagewatch/watch/stream/incoming"
	"github.com/stagewatch/stagewatch/watch/stream/paging"
)

const (
	// listHead is how long a whole list waits for the head of its answer, and how long it may
	// bring nothing. One that is read again waits listSlack times as long as the one before
	// took, at least askHead: what a short fault has swallowed is not answered. A set whose list
	// was not answered in time is read in pages for slowFor.
	listHead  = 3 * time.Second
	listSlack = 3
	slowFor   = 10 * time.Minute
	// firstHead is the same for the first list of bindings that is requested again: the set
	// is not stale before.
	firstHead = link.StaleAfter
	// provesWithin is how long a first list may take to be a proof: one that takes longer is stale
	// before a check can confirm it.
	provesWithin = link.StaleAfter - 3*time.Second
	// maxObjects, maxPages and maxBytes, decompressed, bound a list; one that has more is
	// truncated. Pages that have as many objects as were asked for are not counted.
	maxObjects = 200_000
	maxPages   = 2000
	maxBytes   = 512 << 20
	// askHead bounds the request for two objects, which finds out whether lists of the set
	// are answered at all; askEvery is the pause between two of them.
	askHead  = time.Second
	askEvery = 300 * time.Millisecond
)

// list reads the whole set. It asks for any state at first, of bindings for one that is not older than
// their run, later for one that is not older than the set as known, and for the newest one where these failed.
//
// Lists instead of watches that begin with all objects: of 100 runs of 1,000 clusters a
// list costs hub and client together half of the CPU, and it is compressed on the wire,
// which watches are not before Kubernetes 1.37.
func (s *stream) list(ctx context.Context) error {
	s.mu.Lock()
	version, exact, slow, first, head := s.version, s.exact, time.Since(s.slow) < slowFor, !s.loaded, listHead
	if !first {
		head = min(max(askHead, listSlack*s.took), listHead)
	}
	s.mu.Unlock()
	options := metav1.ListOptions{ResourceVersion: version}
	switch {
	case exact:
		options.ResourceVersion = ""
	case version == "":
		options.ResourceVersion = "0"
	}
	since := !exact && version == "" && !slow && s.since != "" && !s.lags.Load()
	if since {
		options.ResourceVersion = s.since
	}
	sent := time.Now()
	var list *incoming.List
	var err error
	if !slow {
		list, err = s.pages(ctx, options, wholeList(head))
		slow = s.isUnanswered(ctx, err)
		if since && (slow || tooLarge(err)) { // older API servers wait for long
			s.lags.Store(true)
			if options.ResourceVersion = "0"; !slow {
				list, err = s.pages(ctx, options, wholeList(head))
				slow = s.isUnanswered(ctx, err)
			}
		}
	}
	if slow && first && !s.key.Placement.IsZero() {
		// For a page of a set that a label selects, an API server looks through as many
		// objects as for the whole of it. Nothing old is shown meanwhile: the hub answers,
		// and the set is being read.
		if _, err = s.answered(ctx); err != nil {
			return err
		}
		s.stands()
		sent = time.Now()
		list, err = s.pages(ctx, options, wholeList(firstHead))
		slow = s.isUnanswered(ctx, err)
	}
	for slow {
		var took time.Duration
		if took, err = s.answered(ctx); err != nil {
			return err
		}
		sent = time.Now()
		list, err = s.pages(ctx, metav1.ListOptions{}, paging.New(took))
		if slow = s.isUnanswered(ctx, err); slow && !s.hub.Pause(ctx, askEvery) {
			return ctx.Err()
		}
	}
	if tooLarge(err) || client.KindOf(err) == client.Expired {
		sent = time.Now()
		list, err = s.pages(ctx, metav1.ListOptions{}, wholeList(listHead))
		s.isUnanswered(ctx, err)
	}
	if err != nil {
		if client.KindOf(err) == client.Unreadable {
			s.forget()
		}
		return err
	}
	return s.take(ctx, list, sent)
}

// isUnanswered reports whether a list was not answered in time, which it records.
func (s *stream) isUnanswered(ctx context.Context, err error) bool {
	if !errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	s.mu.Lock()
	s.slow = time.Now()
	s.mu.Unlock()
	s.failed(ctx, err) //nolint:errcheck // it is read again
	return true
}

// answered waits until a short list of the set is answered, and returns how long that took. One
// such request is patient, for the hub that answers late; others are not, for the hub that
// has lost the first one.
func (s *stream) answered(ctx context.Context) (took time.Duration, err error) {
	type answer struct {
		took time.Duration
		err  error
	}
	ctx, end := context.WithCancel(ctx)
	var asks task.Reads
	// One whose deadline is over now would report a failure after the list that follows was taken,
	// and the set would look unanswered until the end of its watch.
	defer asks.Wait()
	defer end()
	answers := make(chan answer)
	for _, deadline := range []time.Duration{askHead, listHead} {
		asks.Go(func() {
			for {
				sent := time.Now()
				_, err := s.short(ctx, deadline)
				if !errors.Is(err, context.DeadlineExceeded) {
					select {
					case answers <- answer{time.Since(sent), err}:
					case <-ctx.Done():
					}
					return
				}
				s.failed(ctx, err) //nolint:errcheck // it is asked again
				if !s.hub.Pause(ctx, askEvery) {
					return
				}
			}
		})
	}
	select {
	case a := <-answers:
		return min(a.took, listHead), a.err // more if it waited behind another list
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// tooLarge reports whether the API server does not know a resourceVersion yet.
func tooLarge(err error) bool {
	return err != nil && apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge)
}

// wholeList is a list in one piece, whose head may take so long.
func wholeList(head time.Duration) *paging.Paging {
	return paging.Whole(client.Limits{Head: head, Progress: min(head, listHead)})
}

// pages reads a list in as many pages as the API server makes of it, or in those of a paging.
func (s *stream) pages(ctx context.Context, options metav1.ListOptions, pages *paging.Paging) (*incoming.List, error) {
	s.mu.Lock()
	s.counted = 0 // what an attempt that broke off has counted comes again
	s.mu.Unlock()
	s.body, s.size = 0, 0
	s.listing.Store(0)
	whole, source := &incoming.List{}, s.source()
	reader := &incoming.Reader{All: s.all, Hub: s.hub.Name(), Kind: s.key.Kind, Paths: s.paths, Most: maxObjects, Left: maxBytes, Held: s.held, Each: s.arrived}
	s.link.Begins(source)
	reader.Counts = func(objects int) { s.link.Arrives(source, objects, time.Now()) }
	for short := 0; ; {
		options.Limit = pages.Size()
		sent, before := time.Now(), reader.Tally
		page, err := s.page(ctx, options, pages.Limits(), reader)
		if errors.Is(err, context.DeadlineExceeded) && pages.Shrink() {
			reader.Undo(before)
			continue
		}
		if err != nil {
			reader.End()
			return nil, err
		}
		pages.Grow(time.Since(sent))
		if options.Limit == 0 || int64(len(page.Items)) < options.Limit {
			short++
		}
		if whole.ResourceVersion == "" {
			whole.ResourceVersion, whole.Server = page.ResourceVersion, page.Server
		} else if page.Server != whole.Server {
			whole.Server = ""
		}
		whole.Items, whole.Weights = append(whole.Items, page.Items...), append(whole.Weights, page.Weights...)
		whole.Weight = reader.Weight
		if page.Continue == "" && !page.Truncated {
			return whole, nil
		}
		if page.Truncated || short == maxPages || len(whole.Items) >= maxObjects {
			whole.Truncated = true
			return whole, nil
		}
		options = metav1.ListOptions{Continue: page.Continue}
	}
}

func (s *stream) page(ctx context.Context, options metav1.ListOptions, limits client.Limits, reader *incoming.Reader) (*incoming.List, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	s.waits(stuckFor)
	defer s.due.Store(0)
	body, err := s.hub.Stream(ctx, s.request(options), limits)
	s.answers(err)
	if err != nil {
		return nil, err
	}
	defer body.Close() //nolint:errcheck // read to its end, or given up
	source, began := s.source(), time.Now()
	page, err := reader.Read(&metered{body, func(n int) {
		s.waits(stuckWithin)
		s.size += int64(n)
		s.listing.Add(int64(n))
		s.link.Received(source, n, time.Now())
	}})
	s.body += time.Since(began)
	if err == nil {
		page.Server = body.Server
	}
	return page, err
}

// waits sets when the request under way counts as stuck.
func (s *stream) waits(most time.Duration) { s.due.Store(time.Now().Add(most).UnixNano()) }

// arrived takes an object of a list that is still being read, so that the first load shows
// what is there already.
func (s *stream) arrived(o *incoming.Object) {
	s.mu.Lock()
	first := !s.loaded && !s.odd
	s.counted++
	n := s.counted
	if first {
		s.sink.Put(&s.newest(o).Object)
	}
	s.mu.Unlock()
	if first {
		s.sink.Cover(engine.Coverage{State: engine.CoverLoading, N: n})
	}
}

// forget takes back what arrived of a first list that cannot be read.
func (s *stream) forget() {
	s.mu.Lock()
	first := !s.loaded
	s.odd, s.aheads = true, nil
	s.mu.Unlock()
	if first {
		s.sink.Clear(engine.Coverage{State: engine.CoverLoading})
	}
}

// take makes a list the state of the set, unless it is older than the set as known: the
// second such list in succession is believed.
func (s *stream) take(ctx context.Context, list *incoming.List, sent time.Time) error {
	if err := s.checkAge(list.ResourceVersion); err != nil {
		s.held.Give(list.Weight)
		return err
	}
	s.mu.Lock()
	if ctx.Err() != nil {
		s.mu.Unlock()
		s.held.Give(list.Weight)
		return ctx.Err() // restart wants a newer list
	}
	// What is held is shown: compare does not read it again.
	before, reset := s.read, s.held.Replace(list.Weighed(), list.Weight, s.received.ComparedTo())
	first := !s.loaded
	if !first {
		s.aheads = nil
	}
	all := make([]*store.Object, 0, len(list.Items))
	for _, o := range list.Items {
		all = append(all, &s.newest(o).Object)
		s.isAhead(o, list.ResourceVersion)
	}
	s.exact, s.relist, s.poll, s.loaded, s.version = false, false, false, true, list.ResourceVersion
	s.server, s.odd = list.Server, false
	s.received.Reset(s.version, time.Now())
	s.listed, s.read, s.took = sent, sent, time.Since(sent)
	s.mu.Unlock()
	if reset {
		s.link.WasReset(time.Now(), before)
	}
	if list.Truncated {
		s.sink.ReplaceSome(all)
	} else {
		s.sink.Replace(all)
	}
	s.reached(list.ResourceVersion)
	s.stands()
	if !first || time.Since(sent) < provesWithin {
		s.link.Proves(s.source(), sent)
	} // else the set is still loading, until the first check
	s.settle(client.Failure{})
	return nil
}

func (s *stream) source() link.Source { return sourceOf(s.key) }

// sourceOf is what the link calls a set.
func sourceOf(key world.CoverKey) link.Source {
	ns, name, _ := key.Placement.Raw()
	return link.Source(key.Kind.Plural() + "/" + key.Namespace + "/" + ns + "/" + name)
}

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
