package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// withTimes is the sample's stuck run with the times that a hub gives.
func withTimes(s *engine.Snapshot) *engine.RunView {
	v := find(s, "example-run")
	v.Started = ago(20 * time.Minute)
	v.Stages[0].State, v.Stages[0].Started, v.Stages[0].Ended = engine.StageDone, ago(20*time.Minute), ago(15*time.Minute)
	v.Stages[0].After = []engine.GateView{approval(engine.GatePassed, 12*time.Minute)}
	v.Stages[1].State, v.Stages[1].Started, v.Stages[1].Stuck = engine.StageStuck, ago(10*time.Minute), 1
	v.Since = ago(5 * time.Minute)
	return v
}

func TestHistoryOfARun(t *testing.T) {
	s := sample()
	withTimes(s)
	m, _ := start(t, 138, 50, s)
	press(m, "enter")
	withDetail(m, s)
	for i := range m.scene.Snap.Detail.Clusters {
		for j := range m.scene.Snap.Detail.Clusters[i] {
			m.scene.Snap.Detail.Clusters[i][j].State = engine.ClusterDone
		}
	}
	bad := &m.scene.Snap.Detail.Clusters[1][0]
	bad.State, bad.Started = engine.ClusterStuck, ago(10*time.Minute)
	if got := seen(m); !strings.Contains(got, "canary started") || !strings.Contains(got, "now ") {
		t.Errorf("it is not on screen:\n%s", got)
	}
}

// The history of a run takes room that nothing else needs, and is the first to go.
func TestHistoryTakesOnlyRoomThatIsLeft(t *testing.T) {
	for _, tt := range []struct {
		w, h int
		why  int // sentences of this many words
		want bool
	}{
		{160, 50, 10, true},
		{120, 36, 10, true},
		{80, 24, 200, false},
		{120, 36, 400, false},
	} {
		s := sample()
		v := withTimes(s)
		v.Why = engine.Diagnosis{What: txt("%s", strings.Repeat("word ", tt.why)+"END."), RecoveryText: txt("No."), Next: txt("Look.")}
		m, _ := start(t, tt.w, tt.h, s)
		press(m, "enter")
		withDetail(m, s)
		if got := strings.Contains(seen(m), "canary started"); got != tt.want {
			t.Errorf("%dx%d, %d words: drawn %v\n%s", tt.w, tt.h, tt.why, got, seen(m))
		}
	}
}
