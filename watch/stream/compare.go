package stream

import (
	"context"
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/stream/incoming"
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
	lists := s.byRows && s.whole.Load() // what could not be read one by one
	return useful && s.loaded && !s.odd && s.version != "" && !lists && (s.took >= comparedFrom || s.byRows) && time.Since(s.slow) >= slowFor
}

// compare brings the set up to date by the versions of its objects: those that have changed while it was
// not watched are read one by one. It reports false if the set has to be listed.
func (s *stream) compare(ctx context.Context) (done bool, err error) {
	sent := time.Now()
	changed, version, server, err := s.changes(ctx)
	if err != nil || version == "" {
		return false, err
	}
	objects, err := s.changed(ctx, changed, server)
	if err != nil || len(objects) < len(changed) {
		return false, err
	}
	s.mu.Lock()
	if ctx.Err() != nil {
		s.mu.Unlock()
		return false, ctx.Err() // restart wants a newer list
	}
	ahead := map[engine.ID]*incoming.Object{} // the watch may bring older versions of them
	for _, o := range objects {
		if !s.held.Put(&o.Object, o.Bytes) {
			s.exact = true // the list is not older than what is shown of others
			s.mu.Unlock()
			return false, nil
		}
		s.sink.Put(&o.Object) // what is held is shown, whatever comes next
		s.rowOnly.Read(o.ID)
		ahead[o.ID] = o
	}
	s.exact, s.relist, s.poll, s.older, s.aheads = false, false, false, 0, ahead
	s.version, s.server, s.listed, s.read = version, server, sent, sent
	s.received.Reset(version, time.Now())
	s.mu.Unlock()
	s.reached(version)
	s.stands()
	s.link.Proves(s.source(), sent)
	s.settle(client.Failure{})
	return true, nil
}

// changes returns which objects have changed, up to which version, and the server that says so. The version is
// empty if these are not all changes, or too many.
func (s *stream) changes(ctx context.Context) (changed []printed.Version, version, server string, err error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return nil, "", "", err
	}
	defer leave()
	s.waits(stuckFor)
	defer s.due.Store(0)
	// The hub has no more objects than that, unless more have changed than are read.
	compared, left := s.held.Compare(s.received.ComparedTo()), s.held.Objects()+mostChanged
	version, server, err = printed.Versions(ctx, s.hub, s.request(metav1.ListOptions{}), func(v printed.Version) error {
		s.waits(stuckWithin)
		if compared.Differs(v.Namespace, v.Name.Name, v.Version) {
			changed = append(changed, v)
		}
		if left--; left < 0 || len(changed) > mostChanged {
			return printed.ErrEnough
		}
		return nil
	})
	enough := errors.Is(err, printed.ErrEnough)
	if s.answers(err); enough {
		return nil, "", "", nil
	}
	if err != nil {
		return nil, "", "", s.failsNow(ctx, err)
	}
	if !compared.IsOfSet() || client.Older(version, s.at()) {
		return nil, "", "", nil
	}
	return changed, version, server, nil
}

// changed reads objects that have changed, from the server that says so. It returns none if the set has to be listed: one
// was deleted or created again meanwhile, or is not what was asked for.
func (s *stream) changed(ctx context.Context, changed []printed.Version, server string) ([]*incoming.Object, error) {
	names := make([]printed.Name, len(changed))
	for i := range changed {
		names[i] = changed[i].Name
	}
	limited, cancel := s.hub.Within(ctx, listHead)
	defer cancel()
	s.waits(stuckWithin)
	defer s.due.Store(0)
	objects, err := s.each(limited, names, nil)
	if err != nil {
		return nil, s.failsNow(ctx, err)
	}
	for i, o := range objects {
		if v := &changed[i]; o == nil || o.Broken != "" || o.Server != server || client.Older(o.Version, v.Version) ||
			o.ID != s.hub.Name().ID(s.key.Kind, v.Namespace, v.Name.Name, v.UID) {
			return nil, nil
		}
	}
	return objects, nil
}

// failsNow returns the error of a comparison if a list would fail, too: the hub cannot be reached, asks for a pause, or
// rejects the login. One that was not answered in time is followed by a list.
func (s *stream) failsNow(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	switch client.KindOf(err) {
	case client.Busy, client.ServerError, client.Unauthenticated:
		return err
	case client.Unreachable:
		if !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
	}
	return nil
}
