package cli

import (
	"context"
	"io"
	"slices"
	"sync"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/contexts"
	"github.com/stagewatch/stagewatch/cli/internal/statedir"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui"
	"github.com/stagewatch/stagewatch/watch"
)

// likelyHubs returns the other contexts of the kubeconfig that look like hubs:
// those that served the hub API before, then those with hub or fleet in their
// name. None of them is contacted.
func (j *job) likelyHubs() []engine.Text {
	_, raw, err := j.members().Kubeconfig()
	if err != nil {
		return nil
	}
	names := make([]string, 0, len(raw.Contexts))
	for n := range raw.Contexts {
		names = append(names, n)
	}
	return contexts.Likely(names, statedir.Default().Hubs(), j.conn.Context)
}

// contexts lists the contexts of the kubeconfig for :ctx.
func (j *job) contexts() []ui.Choice {
	_, raw, err := j.members().Kubeconfig()
	if err != nil {
		return nil
	}
	return contexts.Choices(raw, statedir.Default().Hubs(), j.conn.Context)
}

// noHub says that a cluster has no hub API, and how to switch.
func (j *job) noHub() (what, hint engine.Text) {
	what = engine.Textf("context %s: this cluster has no KubeFleet hub API", engine.Clean(j.conn.Context))
	hint = engine.Lit("is this a hub? switch with --context NAME")
	if hubs := j.likelyHubs(); len(hubs) > 0 {
		hint = engine.Textf("switch with --context NAME; contexts that look like hubs: %s", engine.Enumerate(hubs, 5))
	}
	return what, hint
}

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
			if err := statedir.Default().RememberHub(r.context); err != nil {
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
