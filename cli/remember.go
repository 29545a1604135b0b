package cli

import (
	"context"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/statedir"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui"
	"github.com/stagewatch/stagewatch/watch"
)

// rememberer keeps the context of a session as a hub once it served a kind of
// run.
type rememberer struct {
	ui.Source
	context string
	// log gets the error when the context cannot be kept.
	log  io.Writer
	once sync.Once
}

// Next is that of the session.
func (r *rememberer) Next(ctx context.Context) (*engine.Snapshot, error) {
	s, err := r.Source.Next(ctx)
	if err == nil && servesRuns(s) {
		r.once.Do(func() {
			if err := statedir.Default().RememberHub(r.context, time.Now()); err != nil {
				exit.Say(r.log, "%v\n", err)
			}
		})
	}
	return s, err
}

func servesRuns(s *engine.Snapshot) bool {
	return slices.ContainsFunc(s.Scope.Runs, func(r engine.RunSet) bool { return r.State == engine.CoverComplete })
}

var _ ui.Source = (*watch.Session)(nil)
