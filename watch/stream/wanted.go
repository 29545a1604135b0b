package stream

import "github.com/stagewatch/stagewatch/engine"

// bindingSets is how many placements have their bindings watched at once while
// a screen is open.
const bindingSets = 10

// Reach says for which placements bindings are read.
type Reach uint8

const (
	// ReachScreen reads those of the opened run, of the row under the cursor, and of up to
	// bindingSets placements in trouble.
	ReachScreen Reach = iota
	// ReachFocus reads those of the opened run and of the row under the cursor.
	ReachFocus
	// ReachTrouble reads those of every placement that a diagnosis depends on, each once.
	ReachTrouble
)

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
func wantedPlacements(s *engine.Snapshot, focus engine.Focus, open []engine.ID, far Reach) []engine.ID {
	var want []engine.ID
	there := map[engine.ID]bool{}
	add := func(id engine.ID) {
		if !id.IsZero() && (far != ReachScreen || len(want) < bindingSets) && !there[id] {
			there[id] = true
			want = append(want, id)
		}
	}
	for _, id := range []engine.ID{focus.Run, focus.Cursor} {
		if v := s.Find(id); v != nil && !id.IsZero() {
			add(v.Placement.Key())
		}
	}
	if far == ReachFocus {
		return want
	}
	trouble := s.Troubled()
	if far == ReachTrouble {
		trouble = s.BindingsWanted()
	}
	in := make(map[engine.ID]bool, len(trouble))
	for _, id := range trouble {
		in[id] = true
	}
	for _, id := range open {
		if in[id] {
			add(id)
		}
	}
	for _, id := range trouble {
		add(id)
	}
	return want
}
