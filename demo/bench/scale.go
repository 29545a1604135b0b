package bench

import (
	"context"
	"errors"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/hub"
)

const (
	// progressEvery is how often runs of a Scale make progress.
	progressEvery = time.Second
	// roundOf is how many steps a round takes: every run makes progress in each. A started
	// cluster without a binding counts as stuck after 10 s.
	roundOf = 8
)

// Scale is a hub of a size to look at: the objects of a measurement, whose unfinished runs
// make progress in turn and begin again, without a controller.
type Scale struct {
	hub    *hub.Hub
	cancel context.CancelFunc
	moving sync.WaitGroup
	err    error // of the moves; read after moving
}

// StartScale starts a hub; heard gets its requests, if it is not nil.
func StartScale(ctx context.Context, size Size, heard func(hub.Request)) (*Scale, error) {
	if err := size.Check(); err != nil {
		return nil, err
	}
	h, s, err := seeded(ctx, size, heard)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	scale := &Scale{hub: h, cancel: cancel}
	scale.moving.Go(func() { scale.err = s.move(ctx) })
	return scale, nil
}

// move makes one more cluster of each run that is not stuck succeed in each round, and lets the
// members send their heartbeats, until ctx ends. A hub that was stopped for a while takes no writes: the next
// ones are tried all the same. It returns the error of the last try.
func (s *seeder) move(ctx context.Context) (failed error) {
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	first, active := s.size.stuck(), s.size.Runs-s.size.Finished
	for n := 0; ; {
		var now time.Time
		select {
		case now = <-tick.C:
		case now = <-beat.C:
			if failed = s.beat(now); ctx.Err() != nil {
				return nil
			}
			continue
		case <-ctx.Done():
			return failed
		}
		for i := first + n%roundOf; i < active; i += roundOf {
			if failed = s.advance(i, s.doneAfter(n/roundOf), now); ctx.Err() != nil {
				return nil
			}
		}
		n++
	}
}

// advance makes run i one with so many clusters that have succeeded, unless it was stopped or deleted. What
// else was written to it stays.
func (s *seeder) advance(i, done int, now time.Time) error {
	return s.change(runName(i), func(run *placement.StagedUpdateRun) bool {
		if run.Spec.State == placement.StateStop || run.DeletionTimestamp != nil {
			return false
		}
		run.Status = s.progress(i, done, now).Status
		return true
	})
}

// progress is run i with so many clusters that have succeeded, and one that has started now.
func (s *seeder) progress(i, done int, now time.Time) *placement.StagedUpdateRun {
	run := s.run(i, 1, done)
	list := run.Status.StagesStatus[0].Clusters
	at := metav1.NewTime(now.Truncate(time.Second))
	list[done].Conditions[0].LastTransitionTime = at
	for j := done + 1; j < len(list); j++ {
		list[j].Conditions = nil
	}
	for j := range run.Status.Conditions {
		if c := &run.Status.Conditions[j]; c.Type == placement.RunProgressing {
			c.LastTransitionTime = at
		}
	}
	return run
}

// doneAfter is how many clusters of a run have succeeded after so many steps: one more each
// time, from one to all but one, and then from the beginning.
func (s *seeder) doneAfter(steps int) int { return 1 + steps%(s.size.Clusters-1) }

// Hub is the hub.
func (s *Scale) Hub() *hub.Hub { return s.hub }

// Contexts are those of its kubeconfig.
func (s *Scale) Contexts() []hub.Context { return s.hub.DefaultContexts() }

// Stop ends it and removes what it has stored.
func (s *Scale) Stop() error {
	s.cancel()
	s.moving.Wait()
	return errors.Join(s.err, s.hub.Stop())
}
