package page_test

import (
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/triage"
	"github.com/stagewatch/stagewatch/engine/world"
)

// diagnosed observes a situation in a scope, with its diagnoses; its placement is External.
func diagnosed(t testing.TB, sit *situation.Situation, ns string) (*engine.Snapshot, *engine.RunView, time.Time) {
	w, id := sit.World(t, ns)
	w.Triage = triage.Catalogue{}
	place := engine.PlacementKey(id, sit.Run.Spec.PlacementName)
	w.Placements[place] = &world.Placement{ID: place, External: true, ApplyRead: true}
	now := situation.Moment(t, sit.Now)
	s, _ := observe.Observe(nil, w, world.Changed{}, now)
	return s, s.Find(id), now
}
