// Package controller runs the rules of engine/drive against a hub: it reads its tables
// into a pass.Input, sends each Effect as a request, and makes the next pass when the
// Decision says so. It contains no rule and works on any hub.
package controller

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/store"
	"github.com/stagewatch/stagewatch/engine/drive"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// Controller drives runs: it hands each of them, when it is due, to the rules of
// engine/drive, and knows none of them itself. As upstream, it has one worker
// per scope.
type Controller struct {
	world  *store.Store
	kinds  *kindList
	timing Timing
	log    *slog.Logger
	// said is where the controller of a real hub logs; nil when nobody reads it.
	said   *Log
	scopes [2]*store.Queue // cluster runs, namespaced runs
}

// New returns the controller of the runs in w. podLog may be nil. Call it
// before the tables receive objects.
func New(w *store.Store, config *rest.Config, timing Timing, log *slog.Logger, podLog *Log) (*Controller, error) {
	kinds, err := newKindList(config)
	if err != nil {
		return nil, err
	}
	e := &Controller{world: w, kinds: kinds, timing: timing, log: log, said: podLog}
	for i := range e.scopes {
		failures := map[store.Key]int{} // of one worker
		e.scopes[i] = store.NewQueue(func(ctx context.Context, k store.Key) (time.Duration, bool) { return e.pass(ctx, k, failures) })
	}
	w.Runs.Observe(e.runChanged)
	w.Approvals.Observe(e.approvalChanged)
	return e, nil
}

// Run executes the runs of the hub of the configuration until ctx ends.
func Run(ctx context.Context, config *rest.Config, timing Timing, log *slog.Logger) error {
	w, err := store.New(config)
	if err != nil {
		return err
	}
	if err := w.AskAll(ctx); err != nil {
		return err
	}
	e, err := New(w, config, timing, log, nil)
	if err != nil {
		return err
	}
	var workers sync.WaitGroup
	defer workers.Wait()
	if err := w.Follow(ctx, false, &workers); err != nil {
		return err
	}
	e.Start(ctx, &workers)
	<-ctx.Done()
	return nil
}

// Start starts the workers, which end with ctx and then done.
func (e *Controller) Start(ctx context.Context, done *sync.WaitGroup) {
	for _, scope := range e.scopes {
		scope.Start(ctx, pass.Workers, done)
	}
}

func (e *Controller) queueOf(namespace string) *store.Queue {
	if namespace == "" {
		return e.scopes[0]
	}
	return e.scopes[1]
}

func (e *Controller) runChanged(before, after *placement.StagedUpdateRun) {
	run := after
	if run == nil {
		run = before
	}
	if before == nil || after == nil || drive.RunChanged(before, after) {
		e.queueOf(run.Namespace).Add(store.Key{Namespace: run.Namespace, Name: run.Name}, 0)
	}
}

func (e *Controller) approvalChanged(before, after *placement.ApprovalRequest) {
	var request *placement.ApprovalRequest
	switch {
	case after == nil && drive.ApprovalDeleted(before):
		request = before
	case before != nil && after != nil && drive.ApprovalChanged(before, after):
		request = after
	default:
		return
	}
	e.queueOf(request.Namespace).Add(store.Key{Namespace: request.Namespace, Name: drive.RunOf(request)}, 0)
}

// pass runs one pass over a run, and returns when the next one is due.
func (e *Controller) pass(ctx context.Context, k store.Key, failures map[store.Key]int) (time.Duration, bool) {
	run := e.world.Runs.Get(k)
	log := e.said.begin(k, time.Now())
	decision := drive.Reconcile(e.input(ctx, run), e.timing, time.Now(), func(effect pass.Effect) (pass.Answer, error) {
		answer, err := e.do(ctx, effect)
		log.did(time.Now(), effect, err)
		return answer, err
	})
	log.end(time.Now(), decision.Err)
	if err := decision.Err; err != nil && !errors.Is(err, context.Canceled) {
		level := slog.LevelWarn
		if apierrors.IsConflict(err) {
			level = slog.LevelDebug
		}
		e.log.Log(ctx, level, "the pass will be repeated", "updateRun", k.String(), "err", err)
	}
	wait, again, count := decision.Schedule(failures[k], e.timing)
	if count == 0 {
		delete(failures, k)
	} else {
		failures[k] = count
	}
	return wait, again
}
