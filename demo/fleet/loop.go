package fleet

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
)

// retryAfter is the pause before a loop of the members' side tries something
// again that failed.
const retryAfter = 250 * time.Millisecond

// loop hands keys to a function, each key to one call at a time, until its
// context ends.
type loop struct {
	name  string
	queue workqueue.TypedDelayingInterface[key]
	log   *slog.Logger
	// handle does what there is to do for a key; a positive duration asks for
	// another call after it.
	handle func(ctx context.Context, k key) (time.Duration, error)
}

func newLoop(name string, log *slog.Logger, handle func(ctx context.Context, k key) (time.Duration, error)) *loop {
	return &loop{
		name: name, log: log, handle: handle,
		queue: workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[key]{}),
	}
}

// add asks for a call for the key, now or after a while.
func (l *loop) add(k key, after time.Duration) { l.queue.AddAfter(k, after) }

// start starts the loop's workers, which end with ctx and then done.
func (l *loop) start(ctx context.Context, workers int, done *sync.WaitGroup) {
	for range workers {
		done.Go(func() {
			for l.next(ctx) {
			}
		})
	}
	done.Go(func() {
		<-ctx.Done()
		l.queue.ShutDown()
	})
}

func (l *loop) next(ctx context.Context) bool {
	k, ended := l.queue.Get()
	if ended {
		return false
	}
	defer l.queue.Done(k)
	again, err := l.handle(ctx, k)
	switch {
	case err != nil && !errors.Is(err, context.Canceled):
		l.log.Debug("try again", "loop", l.name, "object", k.String(), "err", err)
		l.queue.AddAfter(k, retryAfter)
	case again > 0:
		l.queue.AddAfter(k, again)
	}
	return true
}
