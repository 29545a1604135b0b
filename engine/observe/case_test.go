package observe

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/world"
)

// cases is a Triage that notes the Cases that it gets.
type cases map[*world.Case]bool

func (c cases) Run(of *world.Case) engine.Diagnosis {
	c[of] = true
	return engine.Diagnosis{}
}

func (c cases) Cluster(of *world.Case, _ *world.CaseCluster) (engine.Text, engine.Diagnosis) {
	c[of] = true
	return engine.Text{}, engine.Diagnosis{}
}

// The row and the detail of the opened run share one Case, and with it the plans of its
// diagnosis.
func TestOneCaseOfTheOpenedRun(t *testing.T) {
	s := situation.All(t)["stuck-with-binding"]
	w, _ := s.World(t, "")
	got := cases{}
	w.Triage = got
	if snap, _ := Observe(nil, w, world.Changed{}, situation.Moment(t, s.Now)); snap.Detail == nil || len(got) != 1 {
		t.Errorf("%d cases", len(got))
	}
}
