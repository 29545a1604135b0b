// Package fleet makes a hub alive: it seeds a scenario, drives its update runs
// by the rules of engine/drive, and plays the rest of a fleet, which is the
// work generator, the members' agents, the placement controller, and the people
// and pipelines that a scenario tells of.
//
// The engine's loop (Engine) holds no rule: it reads caches into a drive.Input,
// sends the effects that the rules ask for to the hub, and looks again when
// they say so. It works on any hub. The other parts are for simulated fleets
// only.
package fleet

import (
	"context"
	"errors"
	"fmt"

	"github.com/stagewatch/stagewatch/api/crds"
	"github.com/stagewatch/stagewatch/demo/hub"
)

// TenantNamespace is the namespace in the scenarios where the user who has
// rights in one namespace only has them.
const TenantNamespace = "team-payments"

// Fleet is a hub with a scenario on it. The caller must call Stop.
type Fleet struct {
	hub *hub.Hub
}

// Start starts a hub, installs Fleet's kinds, seeds the scenario and sets it in
// motion. ctx bounds the start only.
func Start(ctx context.Context, s Scenario, timing Timing) (*Fleet, error) {
	h, err := hub.Start(ctx, hub.Options{Users: hub.DefaultUsers(TenantNamespace)})
	if err != nil {
		return nil, fmt.Errorf("start hub: %w", err)
	}
	f := &Fleet{hub: h}
	if err := f.start(ctx, s, timing); err != nil {
		return nil, errors.Join(err, f.Stop())
	}
	return f, nil
}

func (f *Fleet) start(ctx context.Context, s Scenario, _ Timing) error {
	manifests, err := crds.All()
	if err != nil {
		return err
	}
	if err := f.hub.InstallCRDs(ctx, manifests...); err != nil {
		return err
	}
	return Seed(ctx, f.hub.AdminConfig(), s)
}

// Hub is the hub, for as long as Stop has not been called.
func (f *Fleet) Hub() *hub.Hub { return f.hub }

// Contexts are the kubeconfig contexts that lead to the hub; the first is the
// admin's.
func (f *Fleet) Contexts() []hub.Context { return f.hub.DefaultContexts() }

// Stop ends everything and removes what was on disk. Later calls do nothing.
func (f *Fleet) Stop() error { return f.hub.Stop() }
