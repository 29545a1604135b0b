package stream

import (
	"context"
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/stream/printed"
)

const (
	// comparedFrom is how long the last list of a set took if it is compared over a slow line before it
	// is listed again, and comparedWithin how long after the last proof: in a longer time the hub may
	// have gone back to a backup, and have given an object the version that it had.
	comparedFrom, comparedWithin = time.Second, time.Minute
	// mostChanged is how many objects are read one by one.
	mostChanged = 32
)

// isComparable reports whether it may be cheaper to compare the set than to list it.
func (s *stream) isComparable() bool {
	useful := s.gates.slow.Load() && s.provedWithin(comparedWithin)
	s.mu.Lock()
	defer s.mu.Unlock()
	return useful && s.loaded && !s.odd && s.version != "" && s.took >= comparedFrom && time.Since(s.slow) >= slowFor
}

// compare brings the set up to date by the versions of its objects: those that have changed while it was
// not watched are read one by one. It reports false if the set has to be listed.
func (s *stream) compare(ctx context.Context) (done bool, err error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return false, err
	}
	sent, compared := time.Now(), s.held.Compare(s.received.ComparedTo())
	var changed []printed.Name
	version, server, err := printed.Versions(ctx, s.hub, s.request(metav1.ListOptions{}), func(n printed.Name, version string) {
		if compared.Differs(n.Namespace, n.Name, version) {
			changed = append(changed, n)
		}
	})
	leave()
	late := errors.Is(err, context.DeadlineExceeded)
	if kind := client.KindOf(err); kind == client.Unreachable && !late || ctx.Err() != nil {
		return false, err
	}
	if err != nil || !compared.IsOfSet() || len(changed) > mostChanged || client.Older(version, s.at()) {
		return false, nil
	}
	objects, err := s.each(ctx, changed)
	if err != nil {
		return false, ctx.Err()
	}
	ahead := map[engine.ID]*object{} // the watch may bring older versions of them
	for _, o := range objects {
		if !s.held.Put(&o.Object, o.bytes) {
			return false, nil
		}
		ahead[o.ID] = o
	}
	s.mu.Lock()
	if ctx.Err() != nil {
		s.mu.Unlock()
		return false, ctx.Err() // restart wants a newer list
	}
	s.exact, s.relist, s.poll, s.older, s.aheads = false, false, false, 0, ahead
	s.version, s.server, s.listed, s.read = version, server, sent, sent
	s.received.Reset(version, time.Now())
	s.mu.Unlock()
	for _, o := range objects {
		s.sink.Put(&o.Object)
	}
	s.reached(version)
	s.stands()
	s.link.Proves(s.source(), sent)
	s.settle(client.Failure{})
	return true, nil
}
