package act

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/triage"
	"github.com/stagewatch/stagewatch/engine/world"
)

// TestApproveInATimedWait: a wait that has ended does not end at a moment to come.
func TestApproveInATimedWait(t *testing.T) {
	for _, tt := range []struct{ now, why, hint string }{
		{"10:10:00", "stage dev is in a timed wait", "it continues automatically at 10:16:00 UTC"},
		{"10:16:30", "the timed wait of stage dev ended at 10:16:00 UTC; the controller has not continued yet", ""},
		{"10:40:00", "the timed wait of stage dev ended at 10:16:00 UTC; the controller has not continued yet", "Check that the hub agent is running, and read its log for this run."},
	} {
		for _, ns := range []string{"", "shop"} {
			sit := situation.All(t)["timed-wait"]
			w, id := sit.World(t, ns)
			w.Triage = triage.Catalogue{}
			place := engine.PlacementKey(id, sit.Run.Spec.PlacementName)
			w.Placements[place] = &world.Placement{ID: place, External: true, ApplyRead: true}
			now := situation.Moment(t, tt.now)
			s, _ := observe.Observe(nil, w, world.Changed{}, now)
			if _, r := Propose(s, engine.ActApprove, id, now); r.Why.String() != tt.why || r.Hint.String() != tt.hint {
				t.Errorf("at %s: %q, %q", tt.now, r.Why, r.Hint)
			}
		}
	}
}
