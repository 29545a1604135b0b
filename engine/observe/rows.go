package observe

import (
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// printedView makes the row of a run of which only the row of the hub's table
// was read. It sets the state only if the printed conditions decide it; other
// states are unknown.
func printedView(id engine.ID, p world.PrintedRun) *engine.RunView {
	v := &engine.RunView{
		ID: id, Word: engine.WordUnknown, Partial: true, At: -1,
		Placement:    engine.PlacementKey(id, p.Placement),
		IndexAsked:   engine.Clean(p.Index),
		Strategy:     engine.Clean(p.Strategy),
		Created:      p.Created,
		PlacementRaw: engine.NewRaw(p.Placement),
	}
	switch {
	case p.Initialized == "False":
		v.Word, v.Terminal = engine.WordInitFailed, true
	case p.Succeeded == "False":
		v.Word, v.Terminal = engine.WordFailed, true
	case p.HasSucceeded():
		v.Word, v.Terminal = engine.WordDone, true
	}
	return v
}

// rowOnlyView makes the row of a run of which only the row was read, world.RowOnly.
func rowOnlyView(id engine.ID, run *placement.StagedUpdateRun) *engine.RunView {
	spec, is := &run.Spec, run.Status.Conditions
	v := printedView(id, world.PrintedRun{
		Placement: spec.PlacementName, Index: spec.ResourceSnapshotIndex, Strategy: spec.StagedRolloutStrategyName,
		Initialized: string(is[0].Status), Succeeded: string(is[1].Status), Created: run.CreationTimestamp.Time,
	})
	v.RowOnly, v.Generation, v.ResourceVersion = true, run.Generation, engine.NewRaw(run.ResourceVersion)
	return v
}

// brokenView makes the row of a run whose object could not be decoded.
func brokenView(id engine.ID) *engine.RunView {
	return &engine.RunView{
		ID: id, Word: engine.WordUnreadable, Partial: true, At: -1,
	}
}

// noRuns makes a row for each External placement that no run rolls out: no run
// names it, or only runs that failed initialization. It makes none of a scope whose
// runs or placements are not all known: a run that is not loaded yet would be
// denied.
func (o *observation) noRuns() []*engine.RunView {
	w := o.w
	var out []*engine.RunView
	unread := map[engine.Kind]bool{} // a run that cannot be read may name any placement
	for id := range w.Broken {
		unread[id.Kind()] = true
	}
	for id, p := range w.Placements {
		run := engine.KindClusterStagedUpdateRun
		asked := w.Settings.ClusterRuns
		if id.Kind().Namespaced() {
			run, asked = engine.KindStagedUpdateRun, w.Settings.NamespacedRuns
		}
		if !p.External || !asked || o.room.family.of(id.Key()).named || unread[run] ||
			!w.Known(id.Kind(), id.RawNamespace()) || !w.Known(run, id.RawNamespace()) {
			continue
		}
		v := &engine.RunView{
			ID: id, Word: engine.WordNoRun, At: -1, Placement: id,
			Created: p.Created, Generation: p.Generation, // since when it has no run is not known
			Index: engine.Clean(p.ObservedIndex), Total: p.Clusters,
			PlacementRaw: engine.NewRaw(id.RawName()),
		}
		out = append(out, v)
	}
	return out
}
