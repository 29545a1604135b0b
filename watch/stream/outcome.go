package stream

import (
	"context"
	"slices"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/stream/wanted"
)

// outcome is how the first list of a set ended, or a later one with another result.
type outcome struct {
	key world.CoverKey
	client.Failure
	took time.Duration // by the body of the list, of so many bytes
	size int64
	// again asks for another stream when it is the set's turn.
	again bool
}

// settle passes on how the first list of the set ended, and a later one that ended otherwise.
func (s *stream) settle(f client.Failure) {
	s.mu.Lock()
	same := s.notified && s.state == f.Kind
	s.notified, s.state = true, f.Kind
	s.mu.Unlock()
	if !same {
		s.settled(outcome{key: s.key, Failure: f, took: s.body, size: s.size})
	}
}

// settle takes note of a set that is complete or refused.
func (k *Streams) settle(ctx context.Context, s outcome) {
	if k.open[s.key] == nil {
		return // was ended meanwhile
	}
	if s.again {
		k.end(s.key)
		k.renewed = true
		k.startWanted(ctx, k.want.Placements)
		return
	}
	if s.took > lineEvery {
		k.slow = float64(s.size) < slowRate*s.took.Seconds()
		k.gates.slow.Store(k.slow)
	}
	if k.slow {
		k.longest = max(k.longest, s.took)
	}
	if s.Kind == client.Forbidden && s.key == world.CoverAll(engine.KindStagedUpdateRun) && k.Fallback != "" {
		k.fallBack(ctx)
		return
	}
	if !s.key.Placement.IsZero() {
		if o := k.open[s.key]; !o.read {
			o.read = true
			if k.isOnce(s.key) {
				o.cancel()
			}
			if o.outdated {
				k.readAgain(ctx, []engine.ID{s.key.Placement}, time.Now())
			}
			k.startQueued(ctx)
		}
		return
	}
	k.state[s.key] = s.Failure
	if k.isOnce(s.key) {
		k.open[s.key].cancel()
	}
	k.judgeRuns()
	for _, key := range k.first() {
		if _, ok := k.state[key]; !ok {
			return
		}
	}
	k.Link.Load()
	k.endRows()
	switch {
	case k.later == nil:
	case k.Reach != wanted.ReachScreen:
		k.startLater(ctx)
	case k.shown != nil:
	case k.longest > confirmFirst:
		k.shown = time.After(confirmFirst)
	default:
		k.shown = time.After(showFirst)
	}
}

// startLater starts the streams that waited for the first sets.
func (k *Streams) startLater(ctx context.Context) {
	for _, key := range k.later {
		if k.slow && slices.Contains(k.third(), key) { // after the bindings
			k.open[key] = &opened{sink: k.In.Open(key)}
			k.queue = append(k.queue, key)
			continue
		}
		k.start(ctx, key)
	}
	if k.later != nil {
		k.loadedAt = time.Now()
		k.Loaded()
	}
	k.later = nil
	k.startQueued(ctx)
}
