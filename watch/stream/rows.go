package stream

import (
	"context"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/stream/printed"
)

// askEarly asks for the rows of all runs before it is known which versions the hub serves, as
// soon as connected is closed. They are shown when that is known.
func (k *Streams) askEarly(ctx context.Context, connected <-chan struct{}) {
	if k.Reach == ReachHub {
		return
	}
	for _, key := range k.base(engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun) {
		k.rows[key] = printed.Ask(ctx, k.Work, k.Hub, key, connected)
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
