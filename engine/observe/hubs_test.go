package observe

import (
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/world"
)

// Runs that differ only in their hub are two rows, each with what its own hub has.
func TestRunsOfTwoHubs(t *testing.T) {
	w := world.NewWorld(engine.Settings{ClusterRuns: true})
	var ids []engine.ID
	for _, name := range []string{"prod", "test"} {
		w.Hub.Name = engine.NewHubName(name, "")
		id := situation.Small(w, engine.KindClusterStagedUpdateRun, "", "web-r1", "web")
		ids = append(ids, id)
		place := engine.PlacementKey(id, "web")
		w.Placements[place] = &world.Placement{ID: place, ObservedIndex: name}
	}
	s, _ := Observe(nil, w, world.Changed{All: true}, time.Unix(1000, 0))
	if len(s.Runs) != 2 {
		t.Fatalf("%d rows", len(s.Runs))
	}
	for _, id := range ids {
		v := s.Find(id)
		if v == nil {
			t.Fatalf("the run of hub %s is missing", id.Hub().Text())
		}
		if v.ID != id || v.Placement.Hub() != id.Hub() {
			t.Errorf("the run of hub %s has placement %v of hub %s", id.Hub().Text(), v.Placement, v.Placement.Hub().Text())
		}
	}
}
