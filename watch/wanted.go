package watch

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
)

// bindingSets is how many placements have their bindings watched at once
// (design 2).
const bindingSets = 10

// wanted says which placements' bindings are needed.
type wanted struct {
	placements []engine.ID
	// opened is set while a run is open: then nothing waits for the cursor to
	// come to rest.
	opened bool
}

// wantedPlacements lists the placements whose bindings are needed, most needed
// first: that of the opened run, that of the row under the cursor, then those
// in trouble, of which the ones in open stay in front so that streams are not
// started and ended in turn.
func wantedPlacements(s *engine.Snapshot, focus engine.Focus, open []engine.ID) []engine.ID {
	var want []engine.ID
	add := func(id engine.ID) {
		if !id.IsZero() && len(want) < bindingSets && !slices.Contains(want, id) {
			want = append(want, id)
		}
	}
	for _, id := range []engine.ID{focus.Run, focus.Cursor} {
		if v := s.Find(id); v != nil && !id.IsZero() {
			add(v.Placement.Key())
		}
	}
	trouble := troubled(s)
	for _, id := range open {
		if slices.Contains(trouble, id) {
			add(id)
		}
	}
	for _, id := range trouble {
		add(id)
	}
	return want
}

// placementBeside returns the key of the placement beside which more is read,
// for the diagnosis of the opened run or of the row under the cursor; zero when
// that needs nothing more.
func placementBeside(s *engine.Snapshot, focus engine.Focus) engine.ID {
	id := focus.Run
	if id.IsZero() {
		id = focus.Cursor
	}
	if v := s.Find(id); !id.IsZero() && v != nil && v.WantsNearby() {
		return v.Placement.Key()
	}
	return engine.ID{}
}

// troubled lists the placements in trouble, in the order of the list: STUCK,
// PREEMPTED and STOPPING runs, started clusters past half of the stuck time,
// and placements with two unfinished runs.
func troubled(s *engine.Snapshot) []engine.ID {
	unfinished := map[engine.ID]int{}
	for _, v := range s.Runs {
		if isRun(v.ID) && !v.Terminal && !v.Partial {
			unfinished[v.Placement.Key()]++
		}
	}
	var out []engine.ID
	for _, v := range s.Runs {
		if !isRun(v.ID) || v.Placement.IsZero() {
			continue
		}
		p := v.Placement.Key()
		switch {
		case v.Word == engine.WordStuck, v.Word == engine.WordPreempted, v.Word == engine.WordStopping, v.Slow, v.Late,
			!v.Terminal && unfinished[p] > 1:
			if !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

func isRun(id engine.ID) bool {
	return id.Kind() == engine.KindClusterStagedUpdateRun || id.Kind() == engine.KindStagedUpdateRun
}
