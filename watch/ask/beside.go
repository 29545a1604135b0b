package ask

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/evidence"
)

// beside names what is read for a diagnosis besides the streams: what is near a
// placement, by its key; with a run the plan of all runs of the placement that are
// not initialized and have the spec of this one; with of what a HubReadOf names.
type beside struct {
	placement engine.ID
	spec      engine.PlanSpec
	run       engine.ID
	of        engine.HubReadOf
}

// besideKey identifies what is read: runs of equal spec share one plan.
type besideKey struct {
	placement engine.ID
	spec      engine.PlanSpec
	plan      bool
	of        engine.HubReadOf
}

func (b beside) key() besideKey { return besideKey{b.placement, b.spec, !b.run.IsZero(), b.of} }

// wantedBeside lists what is read: for the diagnoses of all rows, or for that of the
// opened run or of the row under the cursor.
func wantedBeside(s *engine.Snapshot, focus engine.Focus, all bool) []beside {
	if all {
		return besideAll(s)
	}
	id := focus.Run
	if id.IsZero() {
		id = focus.Cursor
	}
	v := s.Find(id)
	if id.IsZero() || v == nil || !v.WantsNearbyOpened() {
		return nil
	}
	want := []beside{{placement: v.Placement.Key()}}
	if v.WantsPlan() {
		want = append(want, planOfRun(v))
	}
	return append(want, readsOfRun(v)...)
}

// readsOfRun names what the diagnosis of a run is read from, beside the streams.
func readsOfRun(v *engine.RunView) []beside {
	out := make([]beside, len(v.Why.HubReads))
	for i, of := range v.Why.HubReads {
		out[i] = beside{placement: v.Placement.Key(), of: of}
	}
	return out
}

// planOfRun names the plan of a run.
func planOfRun(v *engine.RunView) beside {
	return beside{placement: v.Placement.Key(), spec: v.PlanSpec(), run: v.ID}
}

// besideAll lists what the diagnoses of all rows need: what is near each
// placement, each plan once, and what their diagnoses name.
func besideAll(s *engine.Snapshot) []beside {
	var out []beside
	for _, p := range evidence.Nearby(s) {
		out = append(out, beside{placement: p})
	}
	seen := map[besideKey]bool{}
	for _, v := range s.Runs {
		if want := planOfRun(v); v.WantsPlan() && !v.Placement.IsZero() && !seen[want.key()] {
			seen[want.key()] = true
			out = append(out, want)
		}
		if !v.Placement.IsZero() {
			out = append(out, readsOfRun(v)...)
		}
	}
	return out
}
