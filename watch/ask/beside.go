package ask

import "github.com/stagewatch/stagewatch/engine"

// beside names what is read for a diagnosis besides the streams: what is near a
// placement, by its key; with a run the plan of all runs of the placement that are
// not initialized and have the spec of this one; with works a member's Works.
type beside struct {
	placement engine.ID
	spec      engine.PlanSpec
	run       engine.ID
	works     engine.WorksOf
}

// besideKey identifies what is read: runs of equal spec share one plan.
type besideKey struct {
	placement engine.ID
	spec      engine.PlanSpec
	plan      bool
	works     engine.WorksOf
}

func (b beside) key() besideKey { return besideKey{b.placement, b.spec, !b.run.IsZero(), b.works} }

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
	if id.IsZero() || v == nil || !v.WantsNearby() {
		return nil
	}
	want := []beside{{placement: v.Placement.Key()}}
	if v.WantsPlan() {
		want = append(want, planOfRun(v))
	}
	return append(want, worksOfRun(v)...)
}

// worksOfRun names the Works that the diagnosis of a run is read from.
func worksOfRun(v *engine.RunView) []beside {
	out := make([]beside, len(v.Why.Works))
	for i, of := range v.Why.Works {
		out[i] = beside{placement: v.Placement.Key(), works: of}
	}
	return out
}

// planOfRun names the plan of a run.
func planOfRun(v *engine.RunView) beside {
	return beside{placement: v.Placement.Key(), spec: v.PlanSpec(), run: v.ID}
}

// besideAll lists what the diagnoses of all rows need: what is near each
// placement, each plan once, and Works.
func besideAll(s *engine.Snapshot) []beside {
	var out []beside
	for _, p := range s.NearbyWanted() {
		out = append(out, beside{placement: p})
	}
	seen := map[besideKey]bool{}
	for _, v := range s.Runs {
		if want := planOfRun(v); v.WantsPlan() && !v.Placement.IsZero() && !seen[want.key()] {
			seen[want.key()] = true
			out = append(out, want)
		}
		if !v.Placement.IsZero() {
			out = append(out, worksOfRun(v)...)
		}
	}
	return out
}
