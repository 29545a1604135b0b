package stream

import (
	"context"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/stream/printed"
	"github.com/stagewatch/stagewatch/watch/stream/wanted"
)

const (
	// rowsFirst is how long the rows may hold up the objects.
	rowsFirst = 250 * time.Millisecond
	// nearWithin is the longest time to connect to a hub that counts as near. From any other hub the
	// rows are read first: on a slow line they would wait behind a large list.
	nearWithin = 6 * time.Millisecond
	// rowsAfter is how long after connecting to a near hub the rows are requested if the first sets
	// are still loading: printing them takes a small hub as long as the list.
	rowsAfter = 10 * time.Millisecond
)

// askEarly asks for the rows of all runs before it is known which versions the hub serves, as
// soon as start is closed. They are shown when that is known.
func (k *Streams) askEarly(ctx context.Context, start <-chan struct{}) {
	if k.Reach == wanted.ReachHub || k.Named != nil {
		return
	}
	for _, key := range k.base(engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun) {
		k.rows[key] = printed.Ask(ctx, k.Work, k.Hub, key, start)
	}
}

// now is closed: what waits for it does not wait.
var now = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// rowsOf is the request for the rows of a set whose objects are about to be listed: the early one,
// or another one if that is useless.
func (k *Streams) rowsOf(ctx context.Context, key world.CoverKey) *printed.Request {
	r := k.rows[key]
	delete(k.rows, key)
	if r == nil || r.IsUseless(k.Hub.ServedVersion()) {
		r = printed.Ask(ctx, k.Work, k.Hub, key, now)
	}
	return r
}
