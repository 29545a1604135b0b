package stream

import (
	"context"
	"slices"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/link"
	"github.com/stagewatch/stagewatch/watch/stream/wanted"
)

// Sets of bindings are read a few at a time. An API server may look through the bindings of
// all placements for each, and many such requests at once delay every other one.
const (
	// loadAtOnce is how many a list without a screen reads at the same time, which reads each
	// once; screenAtOnce is how many a screen reads, whose hub also answers the person.
	loadAtOnce   = 8
	screenAtOnce = 3
	// turnFor is how long a set that is not answered keeps others waiting: as long as a hub
	// may take for it that fills its caches.
	turnFor = 20 * time.Second
	// slowTurn is how long a set keeps others waiting over a slow line, if nothing of it has come;
	// lineEvery is how often isLineBusy is asked again. A line is slow if a list that took more
	// than that came with less than slowRate bytes a second, decompressed.
	slowTurn  = 3 * time.Second
	lineEvery = 200 * time.Millisecond
	slowRate  = 8 << 20
	// againMost is how often a set is read again that is older than a run: the run may change
	// meanwhile.
	againMost = 3
)

// restingCursor is how long a cursor rests before bindings are fetched for the
// row under it.
const restingCursor = 150 * time.Millisecond

// startWanted starts the set that is wanted most, and the others, in their order, when it is
// their turn.
func (k *Streams) startWanted(ctx context.Context, want []engine.ID) {
	earlier := k.queue
	k.queue = nil
	for i, p := range want {
		key := world.CoverBindings(p)
		if k.open[key] == nil {
			k.open[key] = &opened{sink: k.In.Open(key)}
		}
		switch {
		case k.open[key].cancel != nil:
		case i == 0 && k.Reach != wanted.ReachTrouble && !k.isLoadingRuns() && (!k.slow || !k.isBehind()):
			k.start(ctx, key)
		default:
			k.queue = append(k.queue, key)
		}
	}
	for _, key := range earlier {
		if !slices.Contains(k.queue, key) {
			k.queue = append(k.queue, key)
		}
	}
	k.startQueued(ctx)
}

// readAgain reads the bindings of placements again, with the newest state. A Snapshot may show
// them before it is noted that they were read: then they are read again after that, but not because
// of a Snapshot that was made before their read began.
func (k *Streams) readAgain(ctx context.Context, placements []engine.ID, made time.Time) {
	for _, p := range placements {
		key := world.CoverBindings(p)
		o := k.open[key]
		switch {
		case o == nil || o.again == againMost:
			continue
		case !o.read:
			o.outdated = o.outdated || made.After(o.began)
			continue
		}
		o.cancel()
		o.cancel, o.read, o.outdated = nil, false, false
		o.again++
		k.queue = append(k.queue, key)
	}
	k.startQueued(ctx)
}

// startQueued starts as many of the queued sets as may be read at the same time.
func (k *Streams) startQueued(ctx context.Context) {
	most := screenAtOnce
	if k.Reach == wanted.ReachTrouble {
		most = loadAtOnce
	}
	loading, now := 0, time.Now()
	for key, o := range k.open {
		if !key.Placement.IsZero() && o.cancel != nil && !o.read && (k.Reach == wanted.ReachTrouble || now.Sub(o.began) < turnFor) {
			loading++
		}
	}
	busy := false
	for ; loading < most && len(k.queue) > 0; k.queue = k.queue[1:] {
		if k.waits.IsZero() {
			k.waits = now
		}
		if busy = k.Reach != wanted.ReachTrouble && k.isLineBusy(now); k.queue[0].Placement.IsZero() && now.Sub(k.loadedAt) < slowTurn {
			busy = true // no bindings are wanted yet
			break
		}
		if busy && (k.isLoadingRuns() || k.isBehind() || now.Sub(k.waits) < turnFor) {
			break
		}
		k.waits = now
		if o := k.open[k.queue[0]]; o != nil && o.cancel == nil { // else it is not wanted any more
			k.start(ctx, k.queue[0])
			loading++
		}
	}
	switch {
	case len(k.queue) == 0:
		k.waits = time.Time{}
	case busy:
		k.turn.Reset(lineEvery)
	default:
		k.turn.Reset(turnFor)
	}
}

// isLineBusy reports whether another set would only share the line with what is arriving: over a
// slow line, the first one would be complete as late as the last.
func (k *Streams) isLineBusy(now time.Time) bool {
	switch {
	case k.isLoadingRuns():
		return true
	case !k.slow:
		return false
	case k.Hub.IsListing(), k.isBehind():
		return true
	}
	for key, o := range k.open {
		if !key.Placement.IsZero() && o.cancel != nil && !o.read && now.Sub(o.began) < slowTurn {
			return true
		}
	}
	return false
}

// isBehind reports whether one of the first sets is stale, or from before an interruption: then it
// comes first.
func (k *Streams) isBehind() bool {
	return slices.ContainsFunc(k.first(), func(key world.CoverKey) bool {
		proved := k.Link.ProvedAt(sourceOf(key))
		return !proved.IsZero() && (time.Since(proved) > link.StaleAfter || proved.Before(k.Hub.RefusedAt()))
	})
}

// isLoadingRuns reports whether the first sets are arriving, are about to, or are about to be
// confirmed.
func (k *Streams) isLoadingRuns() bool {
	return k.later != nil && (k.shown != nil || k.Hub.IsListing() || !k.connection.IsNear() && time.Since(k.began) < slowTurn)
}

// misses notes that the first list of the set was not answered.
func (s *stream) misses(err error) {
	if s.missed.IsZero() && !s.loaded && client.KindOf(err) == client.Unreachable {
		s.missed = time.Now()
	}
}

// mustQueue reports, with the lock held, whether the set is to be listed when it is its turn.
func (s *stream) mustQueue(recent bool) bool {
	interrupted := s.loaded && s.early && !recent
	return s.queues && s.gates.slow.Load() && (interrupted || !s.loaded && !s.missed.IsZero() && (time.Since(s.missed) > gapMost || s.hub.MayBeStarting()))
}
