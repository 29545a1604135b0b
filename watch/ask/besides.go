package ask

import (
	"maps"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/engine/world"
)

// besides collects what was read. Plans and answers wait for what is near their
// placement.
type besides struct {
	all     map[engine.ID]*world.Nearby // replaced, never changed
	plans   map[engine.ID]map[engine.PlanSpec]*plan.Plan
	answers map[engine.ID]map[engine.HubReadOf]*world.HubAnswer
}

// add takes in one answer.
func (b *besides) add(got besideRead) {
	near := got.near
	switch {
	case got.plan != nil:
		b.plans = added(b.plans, got.placement, got.spec, got.plan)
	case got.answer != nil:
		b.answers = added(b.answers, got.placement, got.of, got.answer)
	}
	if near == nil {
		if near = b.all[got.placement]; near == nil {
			return
		}
	}
	whole := *near
	whole.Plans, whole.Answers = b.plans[got.placement], b.answers[got.placement]
	if b.all = maps.Clone(b.all); b.all == nil {
		b.all = map[engine.ID]*world.Nearby{}
	}
	b.all[got.placement] = &whole
}

// added returns the maps with a value more; what was published is not changed.
func added[K comparable, V any](all map[engine.ID]map[K]V, of engine.ID, key K, v V) map[engine.ID]map[K]V {
	one := maps.Clone(all[of])
	if one == nil {
		one = map[K]V{}
	}
	one[key] = v
	if all == nil {
		all = map[engine.ID]map[K]V{}
	}
	all[of] = one
	return all
}
