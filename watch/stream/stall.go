package stream

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
)

const (
	// checkEvery is how often a watch is checked, with checkFor and checkGrace
	// well within staleAfter; checkRarely for what no state word depends on.
	checkEvery  = 4 * time.Second
	checkRarely = 20 * time.Second
	// checkFor is how long the hub is asked for news.
	checkFor = time.Second
	// checkGrace is how long the watch may be behind the check.
	checkGrace = 1500 * time.Millisecond
	// checkDeadline bounds the whole question.
	checkDeadline = 5 * time.Second
)

// watcher is what of a reflector a check needs.
type watcher interface{ LastSyncResourceVersion() string }

// check finds out, until ctx ends, whether the watch is silent only because
// there is nothing new. A proxy can lose its way to the hub and keep the one to
// us: then pings and new requests are answered, and only watches bring nothing
// any more. So a second, short watch begins where the first one stands; if that
// one has news and the first does not get them, the set is listed anew.
func (s *stream) check(ctx context.Context, r watcher) {
	stalls := 0
	for client.Sleep(ctx, s.pace) {
		open, at := s.watching.Load(), r.LastSyncResourceVersion()
		if open == nil || at == "" || !s.news(ctx, at) || !client.Sleep(ctx, checkGrace) {
			continue
		}
		if s.watching.Load() != open || r.LastSyncResourceVersion() != at {
			stalls = 0
			continue
		}
		if stalls++; stalls > 1 {
			// A new connection has not helped: some proxies hold back what
			// watches bring. Then this is how the set is kept in view.
			(*s.end.Load())()
			continue
		}
		s.link.fail(s.source(), client.Failure{
			Kind: client.Unreachable,
			Err:  engine.Textf("the watch of %s is stalled", engine.Clean(s.key.Kind.Plural())),
			Hint: engine.Lit("a proxy or VPN may block it; the list is read again automatically"),
		}, time.Now())
		(*s.end.Load())()
		s.hub.Cut()
	}
}

// news reports whether the hub has changes of the set that are newer than at.
func (s *stream) news(ctx context.Context, at string) bool {
	ctx, cancel := context.WithTimeout(ctx, checkDeadline)
	defer cancel()
	seconds := int64(checkFor / time.Second)
	body, err := s.hub.Stream(ctx, s.request(metav1.ListOptions{ResourceVersion: at, Watch: true, TimeoutSeconds: &seconds}).
		SetHeader("Accept", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"))
	if err != nil {
		return client.KindOf(err) == client.Expired // so much is new that the hub has forgotten the beginning
	}
	defer body.Close() //nolint:errcheck // one event is enough
	_, err = client.NewJSONStream(body).Value()
	return err == nil
}

// counted is a watch that calls ended when it stops.
type counted struct {
	apiwatch.Interface
	ended func()
}

// Stop implements watch.Interface.
func (c *counted) Stop() {
	c.Interface.Stop()
	c.ended()
}
