package ui

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

// Before the bindings are there nobody knows who took a cluster; that somebody
// did is known.
func TestFollowSaysWhatIsNotKnown(t *testing.T) {
	m, _ := start(t, 120, 40, sample())
	v := *m.snap.Runs[0]
	v.TakenBy = engine.ID{}
	for _, tt := range []struct {
		word engine.Word
		want string
	}{
		{engine.WordPreempted, "Another run took a cluster of this one"},
		{engine.WordStuck, "No other run took a cluster of this one."},
	} {
		v.Word = tt.word
		snap := *m.snap
		one := v
		snap.Runs = []*engine.RunView{&one}
		m.Update(nextMsg{snap: &snap})
		press(m, "g", "f")
		shows(t, m, tt.want)
	}
}
