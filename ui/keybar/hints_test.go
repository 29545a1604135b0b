package keybar

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
)

// TestAKeyIsNamedOnce checks that an action that two causes of a run call for has one hint.
func TestAKeyIsNamedOnce(t *testing.T) {
	entries := []keymap.Entry{{Action: keymap.Owners}, {Action: keymap.Clone}}
	all := func(engine.NextAction, keymap.Entry) bool { return true }
	once := Hints([]engine.NextAction{engine.NextOwners, engine.NextClone}, entries, all)
	if twice := Hints([]engine.NextAction{engine.NextOwners, engine.NextOwners, engine.NextClone, engine.NextOwners}, entries, all); len(once) == 0 || len(twice) != len(once) {
		t.Errorf("%d spans, want %d", len(twice), len(once))
	}
}
