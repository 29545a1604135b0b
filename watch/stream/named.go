package stream

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/internal/task"
	"github.com/stagewatch/stagewatch/watch/store"
	"github.com/stagewatch/stagewatch/watch/stream/printed"
)

// choose finds out which objects a read of one run needs, if that is not all.
func (k *Streams) choose(ctx context.Context) {
	if k.Named == nil {
		return
	}
	runs := k.base(engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun)
	if names, ok := printed.AroundRun(ctx, k.Hub, runs, k.second(), k.Named); ok {
		k.names = names
	}
}

// listOrNamed reads the set, or those of its objects that are needed. It lists the set if one of them
// cannot be read: a person may be permitted to list objects alone, and a list that is not answered
// in time is read in pages.
func (s *stream) listOrNamed(ctx context.Context) error {
	if s.names != nil {
		err := s.listNamed(ctx)
		late := errors.Is(err, context.DeadlineExceeded)
		if kind := client.KindOf(err); kind == client.NoFailure || kind == client.Unreachable && !late || ctx.Err() != nil {
			return err
		}
		s.names = nil
	}
	return s.list(ctx)
}

// listNamed reads the objects of the set that are needed, one by one. What was deleted meanwhile is
// left out.
func (s *stream) listNamed(ctx context.Context) error {
	sent := time.Now()
	objects, errs := make([]*object, len(s.names)), make([]error, len(s.names))
	var reads task.Reads
	for i, n := range s.names {
		reads.Go(func() {
			leave, err := s.enter(ctx)
			if err != nil {
				errs[i] = err
				return
			}
			defer leave()
			if objects[i], errs[i] = s.one(ctx, n); client.IsMissing(errs[i], n.Name) {
				errs[i] = nil
			}
		})
	}
	reads.Wait()
	all := []*store.Object{}
	for i, o := range objects {
		if errs[i] != nil {
			return errs[i]
		}
		if o != nil {
			all = append(all, &o.Object)
		}
	}
	s.mu.Lock()
	s.relist, s.loaded = false, true
	s.mu.Unlock()
	s.sink.Replace(all)
	s.stands()
	s.link.Proves(s.source(), sent)
	s.settle(client.Failure{})
	return nil
}

// one reads one object of the set.
func (s *stream) one(ctx context.Context, n printed.Name) (*object, error) {
	ctx, cancel := s.hub.Within(ctx, client.Deadline)
	defer cancel()
	raw, err := s.hub.Do(ctx, s.hub.At(http.MethodGet, s.key.Kind, n.Namespace, n.Name))
	if err != nil {
		return nil, err
	}
	o := decoded(s.hub.Name(), s.key.Kind, raw)
	o.Paths = s.paths.Read(raw)
	return o, nil
}
