package fleet

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
)

// queue passes keys to a handler, one call at a time for each key, until its
// context ends.
type queue struct {
	keys   workqueue.TypedDelayingInterface[key]
	handle func(ctx context.Context, k key) (after time.Duration, again bool)
}

// newQueue returns a queue whose handler reports whether the key is due again,
// and after which wait.
func newQueue(handle func(ctx context.Context, k key) (after time.Duration, again bool)) *queue {
	return &queue{handle: handle, keys: workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[key]{})}
}

// retryAfter is the wait before a failed pass is repeated.
const retryAfter = 250 * time.Millisecond

// newRetryQueue returns a queue that repeats failed passes. A pass that returns a
// positive wait is repeated after it.
func newRetryQueue(name string, log *slog.Logger, pass func(ctx context.Context, k key) (time.Duration, error)) *queue {
	return newQueue(func(ctx context.Context, k key) (time.Duration, bool) {
		after, err := pass(ctx, k)
		if err != nil && !errors.Is(err, context.Canceled) {
			log.Debug("retry", "queue", name, "object", k.String(), "err", err)
			return retryAfter, true
		}
		return after, after > 0 && err == nil
	})
}

// add queues a key after a wait, which may be zero.
func (q *queue) add(k key, after time.Duration) { q.keys.AddAfter(k, after) }

// start starts the workers. They end with ctx, and then done.
func (q *queue) start(ctx context.Context, workers int, done *sync.WaitGroup) {
	for range workers {
		done.Go(func() {
			for q.next(ctx) {
			}
		})
	}
	done.Go(func() {
		<-ctx.Done()
		q.keys.ShutDown()
	})
}

func (q *queue) next(ctx context.Context) bool {
	k, ended := q.keys.Get()
	if ended {
		return false
	}
	defer q.keys.Done(k)
	if after, again := q.handle(ctx, k); again {
		q.keys.AddAfter(k, after)
	}
	return true
}
