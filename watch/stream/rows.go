package stream

import (
	"context"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/stream/printed"
	"github.com/stagewatch/stagewatch/watch/stream/wanted"
)

// rowsFirst is how long the rows may hold up the objects.
const rowsFirst = 250 * time.Millisecond

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

// rowsOf is the request for the rows of a set whose objects are about to be listed: the early one,
// or another one if that is useless.
func (k *Streams) rowsOf(ctx context.Context, key world.CoverKey) *printed.Request {
	r := k.rows[key]
	delete(k.rows, key)
	if r == nil || r.IsUseless(k.Hub.ServedVersion()) {
		r = printed.Ask(ctx, k.Work, k.Hub, key, nil)
	}
	return r
}
