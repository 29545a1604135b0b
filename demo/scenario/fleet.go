// Package scenario creates the objects of a scenario on a hub, runs the controllers of
// the demo and its simulated members on them, and plays the people and pipelines of the
// scenario.
package scenario

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/stagewatch/stagewatch/api/crds"
	"github.com/stagewatch/stagewatch/demo/controller"
	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/demo/members"
	"github.com/stagewatch/stagewatch/demo/store"
	"github.com/stagewatch/stagewatch/demo/works"
)

// tenantNamespace is the namespace in the scenarios where the user who has
// rights in one namespace only has them.
const tenantNamespace = "team-payments"

// Options are how a scenario is played.
type Options struct {
	Timing controller.Timing
	// NoEngine leaves the runs to another engine: nothing in this process moves
	// one.
	NoEngine bool
	// Heard, if set, is called for every request to the hub (hub.Options).
	Heard func(hub.Request)
	// Log gets what goes wrong after the start and is tried again.
	Log *slog.Logger
}

// Fleet is a hub with a scenario on it. The caller must call Stop.
type Fleet struct {
	hub       *hub.Hub
	log       *slog.Logger
	agents    *members.Agents
	memberAPI *members.API
	generator *works.Generator
	world     *store.Store
	// said is the log of the hub's controller; nil when the hub serves no pods.
	said *controller.Log
	// members are the scenario's.
	members []Member

	stopLoops context.CancelFunc
	loops     sync.WaitGroup
}

// Start starts a hub, installs Fleet's kinds, seeds the scenario and sets it in
// motion. ctx bounds the start only.
func Start(ctx context.Context, s Scenario, o Options) (*Fleet, error) {
	options := hub.Options{Users: hub.DefaultUsers(tenantNamespace), Heard: o.Heard}
	var said *controller.Log
	if !o.NoEngine {
		said = controller.NewLog()
		options.PodLogs = podLogs(said)
	}
	h, err := hub.Start(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("start hub: %w", err)
	}
	return startOn(ctx, h, said, s, o)
}

func startOn(ctx context.Context, h *hub.Hub, said *controller.Log, s Scenario, o Options) (*Fleet, error) {
	f := &Fleet{hub: h, said: said, log: o.Log, stopLoops: func() {}}
	if err := f.start(ctx, s, o); err != nil {
		return nil, errors.Join(err, f.Stop())
	}
	return f, nil
}

func (f *Fleet) start(ctx context.Context, s Scenario, o Options) error {
	manifests, err := crds.All()
	if err != nil {
		return err
	}
	if err := f.hub.InstallCRDs(ctx, slices.Concat(manifests, s.CRDs)...); err != nil {
		return err
	}
	return f.play(ctx, s, o)
}

// play seeds the scenario and sets it in motion.
func (f *Fleet) play(ctx context.Context, s Scenario, o Options) error {
	// The seed has a world of its own: to the loops its objects are news.
	past, err := store.New(f.hub.AdminConfig())
	if err != nil {
		return err
	}
	seeds := newSeed(past, s)
	if err := seeds.essentials(ctx); err != nil {
		return err
	}
	if f.said != nil {
		if err := seeds.hubAgent(ctx); err != nil {
			return err
		}
	}
	w, err := store.New(f.hub.AdminConfig())
	if err != nil {
		return err
	}
	f.world, f.members = w, s.Members
	f.generator = works.New(w, f.log)
	f.agents = members.New(w, s.agents(float64(o.Timing.ClusterCheck)/float64(controller.FastTiming().ClusterCheck)), f.log)
	f.memberAPI = members.NewAPI(f.agents, memberNames(s.Members), hangingMember(s.Members), f.hub.URL())
	f.hub.HandleMembers(f.memberAPI)
	e, err := controller.New(w, f.hub.AdminConfig(), o.Timing, f.log, f.said)
	if err != nil {
		return err
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	f.stopLoops = stop
	ended := context.AfterFunc(ctx, stop) // a start that is given up must not hang
	defer ended()
	if err := w.Follow(life, true, &f.loops); err != nil {
		return err
	}
	f.generator.Start(life, &f.loops)
	f.agents.Start(life, &f.loops)
	if !o.NoEngine {
		e.Start(life, &f.loops)
	}
	f.loops.Go(func() { newDirector(w, s, f.log).run(life) })
	f.loops.Go(func() {
		if err := seeds.rest(life, 2); err != nil && life.Err() == nil {
			f.log.Warn("part of the past is missing", "err", err)
		}
		f.generator.SeedDone()
	})
	return nil
}

// Hub is the hub, for as long as Stop has not been called.
func (f *Fleet) Hub() *hub.Hub { return f.hub }

// Contexts returns the kubeconfig contexts of the hub, the admin's first, and
// of its members, each under the member's name.
func (f *Fleet) Contexts() []hub.Context {
	return slices.Concat(f.hub.DefaultContexts(), memberContexts(f.members))
}

// Repair ends the faults of a member: its workloads become available.
func (f *Fleet) Repair(cluster string) { f.agents.Repair(cluster) }

// Stop ends everything and removes what was on disk. Later calls do nothing.
func (f *Fleet) Stop() error {
	f.stopLoops()
	f.loops.Wait()
	return f.hub.Stop()
}
