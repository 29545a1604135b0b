package subject

import (
	"maps"
	"slices"
	"sort"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/engine/world"
)

// namespacesShown is how many namespaces a step names.
const namespacesShown = 5

// Elsewhere are the steps for a placement of that name in the other scope or, for a
// namespaced run, in other namespaces: it takes a run there.
func (k *Subject) Elsewhere(name string) (steps []engine.Text, inNamespaces bool) {
	var beside engine.ID
	var namespaces []engine.Text
	all := slices.Collect(maps.Keys(k.Case.World.Placements))
	if near := k.Case.Nearby; near != nil {
		for _, id := range near.Elsewhere {
			if k.Case.World.Placements[id] == nil {
				all = append(all, id)
			}
		}
	}
	for _, id := range all {
		switch ns := id.RawNamespace(); {
		case id.RawName() != name || ns == k.View.ID.RawNamespace():
		case ns == "" || !k.Namespaced():
			if beside.IsZero() || id.Compare(beside) < 0 {
				beside = id
			}
		default:
			namespaces = append(namespaces, engine.Clean(ns))
		}
	}
	if len(namespaces) > 0 {
		sort.Slice(namespaces, func(i, j int) bool { return namespaces[i].String() < namespaces[j].String() })
		steps = append(steps, engine.Textf("{other-object}Placement %s exists in namespace %s: if you meant it, create the run there, then delete this run ({delete}). A run uses only the placements and strategies of its own namespace.", name, engine.Enumerate(namespaces, namespacesShown)))
	}
	switch {
	case beside.IsZero():
	case k.Namespaced():
		steps = append(steps, engine.Textf("{other-object}ClusterResourcePlacement %s exists: if you meant it, create a ClusterStagedUpdateRun for it, which has no namespace.", name))
	default:
		steps = append(steps, engine.Textf("{other-object}ResourcePlacement %s exists: if you meant it, create a StagedUpdateRun for it in namespace %s.", beside.Title(), beside.Namespace()))
	}
	return steps, len(namespaces) > 0
}

// Deleted reports whether the placement of the run was deleted after the run had been
// initialized with it.
func Deleted(c *world.Case) bool {
	return c.Placement == nil && c.NoPlacement && c.Initialized.Truth == engine.TruthYes
}

// PlacementGoes makes the steps for a placement without a run that is being deleted; nil
// for another.
func PlacementGoes(k *Subject) []engine.Text {
	p := k.Case.Placement
	if p == nil || p.Deleting.IsZero() {
		return nil
	}
	return []engine.Text{
		engine.Textf("Find out why placement %s is being deleted (requested at %s), which cannot be undone: %s.", p.ID.Name(), k.Case.Clock(p.Deleting), plan.DeletionOnMembers(p.Abandons)),
		engine.Lit("To roll it out again, create the placement again after the deletion, then create a run of it."),
	}
}
