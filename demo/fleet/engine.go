package fleet

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// engine drives runs: it hands each of them, when it is due, to the rules of
// engine/drive, and knows none of them itself. As upstream, it has one worker
// per scope.
type engine struct {
	world  *world
	kinds  *kindList
	timing Timing
	log    *slog.Logger
	// said is where the controller of a real hub logs; nil when nobody reads it.
	said   *controllerLog
	scopes [2]*scopeLoop // cluster runs, namespaced runs
}

// scopeLoop is the queue of one scope. The failures belong to its worker.
type scopeLoop struct {
	queue    workqueue.TypedDelayingInterface[key]
	failures map[key]int
}

func newEngine(w *world, config *rest.Config, timing Timing, log *slog.Logger) (*engine, error) {
	kinds, err := newKindList(config)
	if err != nil {
		return nil, err
	}
	e := &engine{world: w, kinds: kinds, timing: timing, log: log}
	for i := range e.scopes {
		e.scopes[i] = &scopeLoop{
			queue:    workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[key]{}),
			failures: map[key]int{},
		}
	}
	w.runs.observe(e.runChanged)
	w.approvals.observe(e.approvalChanged)
	return e, nil
}

// RunEngine executes the runs of the hub of the configuration until ctx ends.
func RunEngine(ctx context.Context, config *rest.Config, timing Timing, log *slog.Logger) error {
	w, err := newWorld(config)
	if err != nil {
		return err
	}
	if err := w.askAll(ctx); err != nil {
		return err
	}
	e, err := newEngine(w, config, timing, log)
	if err != nil {
		return err
	}
	var workers sync.WaitGroup
	defer workers.Wait()
	if err := w.follow(ctx, false, &workers); err != nil {
		return err
	}
	e.start(ctx, &workers)
	<-ctx.Done()
	return nil
}

// start starts the workers, which end with ctx and then done.
func (e *engine) start(ctx context.Context, done *sync.WaitGroup) {
	for _, scope := range e.scopes {
		for range pass.Workers {
			done.Go(func() {
				for e.next(ctx, scope) {
				}
			})
		}
		done.Go(func() {
			<-ctx.Done()
			scope.queue.ShutDown()
		})
	}
}

func (e *engine) queueOf(namespace string) workqueue.TypedDelayingInterface[key] {
	if namespace == "" {
		return e.scopes[0].queue
	}
	return e.scopes[1].queue
}

func (e *engine) runChanged(before, after *placement.StagedUpdateRun) {
	run := after
	if run == nil {
		run = before
	}
	if before == nil || after == nil || drive.RunChanged(before, after) {
		e.queueOf(run.Namespace).Add(key{Namespace: run.Namespace, Name: run.Name})
	}
}

func (e *engine) approvalChanged(before, after *placement.ApprovalRequest) {
	var request *placement.ApprovalRequest
	switch {
	case after == nil && drive.ApprovalDeleted(before):
		request = before
	case before != nil && after != nil && drive.ApprovalChanged(before, after):
		request = after
	default:
		return
	}
	e.queueOf(request.Namespace).Add(key{Namespace: request.Namespace, Name: drive.RunOf(request)})
}

// next takes one run one pass further.
func (e *engine) next(ctx context.Context, scope *scopeLoop) bool {
	k, ended := scope.queue.Get()
	if ended {
		return false
	}
	defer scope.queue.Done(k)
	run := e.world.runs.get(k)
	entry := e.said.begin(k, time.Now())
	decision := drive.Reconcile(e.input(ctx, run), e.timing, time.Now(), func(effect pass.Effect) (pass.Answer, error) {
		answer, err := e.do(ctx, effect)
		entry.did(time.Now(), effect, err)
		return answer, err
	})
	entry.end(time.Now(), decision.Err)
	if err := decision.Err; err != nil && !errors.Is(err, context.Canceled) {
		level := slog.LevelWarn
		if apierrors.IsConflict(err) {
			level = slog.LevelDebug
		}
		e.log.Log(ctx, level, "the pass will be repeated", "updateRun", k.String(), "err", err)
	}
	wait, again, failures := decision.Schedule(scope.failures[k], e.timing)
	if failures == 0 {
		delete(scope.failures, k)
	} else {
		scope.failures[k] = failures
	}
	if again {
		scope.queue.AddAfter(k, wait)
	}
	return true
}
