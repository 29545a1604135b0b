package stream

import (
	"context"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/stream/incoming"
	"github.com/stagewatch/stagewatch/watch/stream/printed"
)

// aheadAfter is how long the first list of runs may take before the opened run is read ahead of it.
const aheadAfter = time.Second

// readAhead reads the opened run ahead of the first list of its set, which takes long over a slow
// line.
func (k *Streams) readAhead(run engine.ID) {
	if run.IsZero() || time.Since(k.began) < aheadAfter {
		return
	}
	for _, key := range k.first() {
		if o := k.open[key]; key.Kind == run.Kind() && o != nil && o.ahead != nil {
			o.ahead(run)
		}
	}
}

// wantRuns sets which runs of which only the rows were read are to be read whole, in this order.
func (k *Streams) wantRuns(runs []engine.ID) {
	for _, key := range k.first() {
		if o := k.open[key]; o != nil && o.rows != nil {
			o.rows.Want(runs)
		}
	}
}

// ahead reads one object of the set, if its first list has not brought it yet. A failure is left to
// the list.
func (s *stream) ahead(ctx context.Context, id engine.ID) {
	s.mu.Lock()
	_, asked := s.aheads[id]
	if !asked && !s.loaded {
		if s.aheads == nil {
			s.aheads = map[engine.ID]*incoming.Object{}
		}
		s.aheads[id] = nil
	}
	again := asked || s.loaded
	s.mu.Unlock()
	if again {
		return
	}
	s.all.Go(func() {
		ns, name, _ := id.Raw()
		o, _, err := s.one(ctx, printed.Name{Namespace: ns, Name: name})
		if err != nil || o.Broken != "" || o.ID != id {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if _, asked := s.aheads[id]; asked && !s.loaded {
			s.aheads[id] = o
			s.sink.Put(&o.Object)
		}
	})
}

// newest returns the version of an object that was read ahead instead of an older one of the list or
// a watch, with the lock held.
func (s *stream) newest(o *incoming.Object) *incoming.Object {
	if early := s.aheads[o.ID]; early != nil && client.Older(o.Version, early.Version) {
		return early
	}
	return o
}
