package act

import (
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

// TestAnOverrideAppliesToEverySnapshot checks that a clone of a stuck run onto another
// snapshot warns of its overrides, which another snapshot does not change.
func TestAnOverrideAppliesToEverySnapshot(t *testing.T) {
	s, id, _ := look(t, "stuck-with-binding", "", nil)
	v := s.Find(id)
	v.Why.Recovery = engine.RecoveryByNewRun
	const want = "Overrides apply to every snapshot: if one of them is the cause (shop/mirror-0) and is not fixed, the new run gets stuck, too."
	for _, tt := range []struct {
		overrides []engine.Text
		index     string
		warns     bool
	}{
		{[]engine.Text{engine.Lit("shop/mirror-0")}, "2", true},
		{[]engine.Text{engine.Lit("shop/mirror-0")}, "", true}, // the newest: it may be made for the run
		{nil, "2", false},
		{[]engine.Text{engine.Lit("shop/mirror-0")}, v.UsedSnapshot().String(), false}, // is told that it repeats
	} {
		v.Why.Overrides = tt.overrides
		i, no := ProposeClone(s, id, Choice{Snapshot: engine.Clean(tt.index)})
		if got := strings.Contains(engine.Join(i.Warn, "\n").String(), want); no.Refused() || got != tt.warns {
			t.Errorf("%v onto %s: %q %v", tt.overrides, tt.index, i.Warn, no)
		}
	}
}
