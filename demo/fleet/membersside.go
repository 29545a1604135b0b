package fleet

import (
	"context"
	"log/slog"
	"sync"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// membersSide is everything around runs that a real fleet has and a simulated
// one needs: the work generator, the members' agents and their heartbeats, and
// the placement controller's reports.
type membersSide struct {
	generator                            *generator
	bindings, works, members, placements *loop
}

// newMembersSide wires the loops to the tables that wake them. To be called
// before the tables are fed.
func newMembersSide(w *world, a *agents, log *slog.Logger) *membersSide {
	g := &generator{world: w, seeded: make(chan struct{})}
	m := &membersSide{
		generator:  g,
		bindings:   newLoop("bindings", log, g.pass),
		works:      newLoop("works", log, a.pass),
		members:    newLoop("members", log, heartbeats{world: w, silent: a.silent}.pass),
		placements: newLoop("placements", log, (&placer{world: w}).pass),
	}
	a.loop = m.works
	w.bindings.observe(func(before, after *placement.ResourceBinding) {
		b := after
		if b == nil {
			b = before
		}
		m.bindings.add(key{Namespace: b.Namespace, Name: b.Name}, 0)
		m.placements.add(key{Namespace: b.Namespace, Name: b.Labels[placement.LabelParentPlacement]}, settleTime)
	})
	w.works.observe(func(before, after *placement.Work) {
		work := after
		if work == nil {
			work = before
			a.forget(work)
		}
		m.works.add(key{Namespace: work.Namespace, Name: work.Name}, 0)
		m.bindings.add(key{
			Namespace: work.Labels[placement.LabelParentPlacementNamespace], Name: work.Labels[placement.LabelParentBinding],
		}, 0)
	})
	w.placements.observe(func(_, after *placement.ResourcePlacement) {
		if after != nil {
			m.placements.add(key{Namespace: after.Namespace, Name: after.Name}, settleTime)
		}
	})
	w.members.observe(func(before, after *cluster.MemberCluster) {
		if before == nil {
			m.members.add(key{Name: after.Name}, 0)
		}
	})
	return m
}

// seeded says that from now on a missing Work is one that somebody deleted.
func (m *membersSide) seeded() { close(m.generator.seeded) }

// start starts the loops, which end with ctx and then done.
func (m *membersSide) start(ctx context.Context, done *sync.WaitGroup) {
	m.bindings.start(ctx, 2, done)
	m.works.start(ctx, 4, done)
	m.members.start(ctx, 1, done)
	m.placements.start(ctx, 1, done)
}
