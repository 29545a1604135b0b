package stream

import (
	"context"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/stream/printed"
)

// printFirst asks for the printed rows of all runs before it is known which versions the hub
// serves.
func (k *Streams) printFirst(ctx context.Context) {
	if k.Reach == ReachHub {
		return
	}
	for _, key := range k.base(engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun) {
		k.printed[key] = printed.Ask(ctx, k.Work, k.Hub, key, k.open[key].sink.Print)
	}
}

// rowsOf is the question for the printed rows of a set whose objects are about to be listed. It
// is asked again of a hub that serves another version than most.
func (k *Streams) rowsOf(ctx context.Context, key world.CoverKey) *printed.Question {
	q := k.printed[key]
	delete(k.printed, key)
	if q == nil || q.HasFailed() {
		q = printed.Ask(ctx, k.Work, k.Hub, key, k.open[key].sink.Print)
	}
	return q
}
