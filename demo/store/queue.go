package store

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
)

// Queue passes keys to a handler, one call at a time for each key, until its
// context ends.
type Queue struct {
	keys   workqueue.TypedDelayingInterface[Key]
	handle func(ctx context.Context, k Key) (after time.Duration, again bool)
}

// NewQueue returns a queue whose handler reports whether the key is due again,
// and after which wait.
func NewQueue(handle func(ctx context.Context, k Key) (after time.Duration, again bool)) *Queue {
	return &Queue{handle: handle, keys: workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[Key]{})}
}

// retryAfter is the wait before a failed pass is repeated.
const retryAfter = 250 * time.Millisecond

// NewRetryQueue returns a queue that repeats failed passes. A pass that returns a
// positive wait is repeated after it.
func NewRetryQueue(name string, log *slog.Logger, pass func(ctx context.Context, k Key) (time.Duration, error)) *Queue {
	return NewQueue(func(ctx context.Context, k Key) (time.Duration, bool) {
		after, err := pass(ctx, k)
		if err != nil && !errors.Is(err, context.Canceled) {
			log.Debug("retry", "queue", name, "object", k.String(), "err", err)
			return retryAfter, true
		}
		return after, after > 0 && err == nil
	})
}

// Add queues a key after a wait, which may be zero.
func (q *Queue) Add(k Key, after time.Duration) { q.keys.AddAfter(k, after) }

// Start starts the workers. They end with ctx, and then done.
func (q *Queue) Start(ctx context.Context, workers int, done *sync.WaitGroup) {
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

func (q *Queue) next(ctx context.Context) bool {
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
