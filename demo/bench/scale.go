package bench

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/stagewatch/stagewatch/demo/hub"
)

// progressEvery is how often one run of a Scale makes progress.
const progressEvery = time.Second

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

// move makes one more cluster of a run succeed at a time, until ctx ends.
func (s *seeder) move(ctx context.Context) error {
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	active := s.size.Runs - s.size.Finished
	for n := 0; ; n++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		if err := s.put(runs, runName(n%active), s.run(n%active, 1, s.doneAfter(n/active))); err != nil && ctx.Err() == nil {
			return err
		}
	}
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
