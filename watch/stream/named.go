package stream

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/internal/task"
	"github.com/stagewatch/stagewatch/watch/link"
	"github.com/stagewatch/stagewatch/watch/store"
	"github.com/stagewatch/stagewatch/watch/stream/incoming"
	"github.com/stagewatch/stagewatch/watch/stream/printed"
)

// choose finds out which objects a read of some runs needs, if that is not all. If there are no such runs, the rows of all are
// enough to say so. It reports whether nothing else is to be read.
func (k *Streams) choose(ctx context.Context) (done bool) {
	if k.Named == nil {
		return false
	}
	sets := k.base(engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun)
	chosen, all, err := printed.AroundRuns(ctx, k.Hub, sets, k.second(), k.Named)
	if k.names = chosen; err != nil || chosen != nil || !k.Brief && slices.Contains(all, nil) {
		return false
	}
	k.rowsOnly = map[world.CoverKey][]*store.Object{}
	served := true
	for i, rows := range all {
		if rows == nil { // the list of the set says so
			served = false
			continue
		}
		succeeded, others := rows.Split()
		objects := []*store.Object{}
		for _, run := range append(succeeded, others...) {
			objects = append(objects, &store.Object{ID: run.ID, Version: run.ResourceVersion, Value: world.RowOnly(run.ObjectMeta, &run.Row)})
		}
		k.rowsOnly[sets[i]] = objects
	}
	return served && !k.Placements
}

// listOrNamed reads the set, or those of its objects that are needed. It lists the set if one of them
// cannot be read, since a person may be permitted to list objects alone; if one is not answered in time, since a list is
// then read in pages; or if they cannot be chosen again. It lists and watches the set, too, if all that takes so long that
// they would be stale before they are read again.
func (s *stream) listOrNamed(ctx context.Context) error {
	if s.rowsOnly != nil {
		s.takeNamed(s.rowsOnly, time.Now())
		return nil
	}
	if s.names != nil {
		began := time.Now()
		err := s.listNamed(ctx)
		stale := !s.once && time.Since(began) > namedWithin
		if fails := s.names.FailsFor(began, err); ctx.Err() != nil || err == nil && !stale || err != nil && s.mayPass(ctx, err, fails) {
			return err
		}
		s.names = nil
		s.mu.Lock()
		if s.loaded { // the list is not older than what was read, and may take as long
			s.exact, s.took = true, max(s.took, time.Since(began))
		}
		s.mu.Unlock()
	}
	if s.isComparable() {
		if done, err := s.compare(ctx); done || err != nil {
			return err
		}
	}
	if !s.whole.Load() {
		if done, err := s.listRows(ctx); done || err != nil {
			return err
		}
	}
	return s.listUnlessRows(ctx)
}

// mayPass reports whether objects are to be read one by one again after they have failed for so long: a list would fail, too.
// A hub that is busy, or answers with an error of its own, for longer than a moment may do so for such reads alone.
func (s *stream) mayPass(ctx context.Context, err error, fails time.Duration) bool {
	if errors.Is(err, printed.ErrWhole) || s.failsNow(ctx, err) == nil {
		return false
	}
	kind := client.KindOf(err)
	return client.RetryAfter(err) > 0 || kind == client.Unreachable || kind == client.Unauthenticated || fails < provesWithin
}

// listNamed reads the objects of the set that are needed, one by one. What was deleted meanwhile is
// left out. It chooses them again first, unless that has just been done.
func (s *stream) listNamed(ctx context.Context) error {
	s.mu.Lock()
	loaded := s.loaded
	s.mu.Unlock()
	sent := time.Now()
	if loaded || sent.Sub(s.names.AsOf(sent)) > provesWithin {
		if err := s.names.Update(ctx, s.hub); err != nil {
			return err
		}
	}
	objects, err := s.each(ctx, s.names.Names, nil)
	if err != nil {
		return err
	}
	all := make([]*store.Object, 0, len(objects))
	for _, o := range objects {
		if o != nil {
			all = append(all, &o.Object)
		}
	}
	s.takeNamed(all, s.names.AsOf(sent))
	return nil
}

// takeNamed makes objects the state of the set at a moment.
func (s *stream) takeNamed(all []*store.Object, at time.Time) {
	s.mu.Lock()
	s.relist, s.loaded = false, true
	s.mu.Unlock()
	s.sink.Replace(all)
	s.stands()
	s.link.Proves(s.source(), at)
	s.settle(client.Failure{})
}

const (
	// namedEvery is how often objects are read that are read one by one.
	namedEvery = 2 * time.Second
	// namedWithin is how long it may take to choose and to read them: the next proof has to come before this one is stale.
	namedWithin = (link.StaleAfter - namedEvery) / 2
)

// listsSoon waits until a set that is read object by object is due to be read again.
func (s *stream) listsSoon(ctx context.Context) {
	client.Sleep(ctx, namedEvery)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.relist = true
}

// each reads objects of the set one by one, in their order; nil for one that was deleted. came, if it is not nil, is called with
// each that was read and the size of its JSON, by several goroutines.
func (s *stream) each(ctx context.Context, names []printed.Name, came func(o *incoming.Object, size int)) ([]*incoming.Object, error) {
	objects, errs := make([]*incoming.Object, len(names)), make([]error, len(names))
	var reads task.Reads
	for i, n := range names {
		reads.Go(func() {
			leave, err := s.enter(ctx)
			if err != nil {
				errs[i] = err
				return
			}
			defer leave()
			var size int
			if objects[i], size, errs[i] = s.one(ctx, n); client.IsMissing(errs[i], n.Name) {
				errs[i] = nil
			}
			if came != nil && objects[i] != nil {
				came(objects[i], size)
			}
			if s.due.Load() > 0 { // a comparison waits, and goes on
				s.waits(stuckWithin)
			}
		})
	}
	reads.Wait()
	return objects, cmp.Or(errs...)
}

// one reads one object of the set, and returns the size of its JSON.
func (s *stream) one(ctx context.Context, n printed.Name) (o *incoming.Object, size int, err error) {
	ctx, cancel := s.hub.Within(ctx, client.Deadline)
	defer cancel()
	ctx, server := client.WithServer(ctx)
	raw, err := s.hub.Do(ctx, s.hub.At(http.MethodGet, s.key.Kind, n.Namespace, n.Name))
	if err != nil {
		return nil, 0, err
	}
	s.link.Received(s.source(), len(raw), time.Now())
	s.gates.decoding.Lock()
	defer s.gates.decoding.Unlock()
	o = incoming.Decode(s.hub.Name(), s.key.Kind, raw)
	o.Paths, o.Server = s.paths.Read(raw), *server
	return o, len(raw), nil
}
