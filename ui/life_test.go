package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
)

// lived is the sample's stuck run with the times that a hub gives.
func lived(s *engine.Snapshot) *engine.RunView {
	v := find(s, "example-run")
	v.Started = ago(20 * time.Minute)
	v.Stages[0].State, v.Stages[0].Started, v.Stages[0].Ended = engine.StageDone, ago(20*time.Minute), ago(15*time.Minute)
	v.Stages[0].After = []engine.GateView{approval(engine.GatePassed, 12*time.Minute)}
	v.Stages[1].State, v.Stages[1].Started, v.Stages[1].Stuck = engine.StageStuck, ago(10*time.Minute), 1
	v.Since = ago(5 * time.Minute)
	return v
}

func TestLifeOfARun(t *testing.T) {
	s := sample()
	lived(s)
	m, _ := start(t, 160, 50, s)
	press(m, "enter")
	withDetail(m, s)
	for i := range m.run.detail.Clusters {
		for j := range m.run.detail.Clusters[i] {
			m.run.detail.Clusters[i][j].State = engine.ClusterDone
		}
	}
	bad := &m.run.detail.Clusters[1][0]
	bad.State, bad.Started = engine.ClusterStuck, ago(10*time.Minute)
	var got []string
	for _, x := range m.moments() {
		got = append(got, m.scene.Since(x.at).String()+" "+x.s)
	}
	want := []string{
		"20m0s staging began", "15m0s staging done", "12m0s approved", "10m0s canary began",
		"10m0s " + bad.Name.String() + " started", "5m0s stuck",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	strip := []rune(strings.TrimSpace(ansi.Strip(m.lifeStrip(m.scene.HubNow()))))
	if len(strip) != 158 {
		t.Fatalf("a strip of %d cells: %s", len(strip), string(strip))
	}
	g := &m.scene.Theme.Glyph
	for share, mark := range map[float64]string{0.1: g.LineDone, 0.4: g.LineNone, 0.6: g.LineBusy, 0.9: g.LineBad} {
		if at := string(strip[int(share*158)]); at != mark {
			t.Errorf("at %v of the strip is %q, want %q", share, at, mark)
		}
	}
	if got := seen(m); !strings.Contains(got, "canary began") || !strings.Contains(got, "now ") {
		t.Errorf("it is not on screen:\n%s", got)
	}
}

// The life of a run takes room that nothing else needs, and is the first to go.
func TestLifeTakesOnlyRoomThatIsLeft(t *testing.T) {
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
		v := lived(s)
		v.Why = engine.Diagnosis{What: txt("%s", strings.Repeat("word ", tt.why)+"END."), Heal: txt("No."), Next: txt("Look.")}
		m, _ := start(t, tt.w, tt.h, s)
		press(m, "enter")
		withDetail(m, s)
		if got := strings.Contains(seen(m), "canary began"); got != tt.want {
			t.Errorf("%dx%d, %d words: drawn %v\n%s", tt.w, tt.h, tt.why, got, seen(m))
		}
	}
}

func TestWhatARunDidAtAMoment(t *testing.T) {
	begun := func(st engine.StageState, from, since time.Duration) engine.StageView {
		x := stage("a", st, 0, 2)
		x.Started, x.Since = ago(from), ago(since)
		return x
	}
	waits := begun(engine.StageGate, 9*time.Minute, 4*time.Minute)
	waits.After = []engine.GateView{wait(engine.GateRunning, time.Hour, time.Minute)}
	asks := begun(engine.StageGate, 9*time.Minute, 4*time.Minute)
	asks.After = []engine.GateView{approval(engine.GateOpen, 4*time.Minute)}
	for _, tt := range []struct {
		name string
		v    engine.RunView
		at   time.Duration
		want engine.Role
	}{
		{"before it began", engine.RunView{Stages: []engine.StageView{waits}}, 10 * time.Minute, engine.RoleText},
		{"updating before the wait", engine.RunView{Stages: []engine.StageView{waits}}, 6 * time.Minute, engine.RoleBusy},
		{"waiting", engine.RunView{Stages: []engine.StageView{waits}}, time.Minute, engine.RoleWait},
		{"asking", engine.RunView{Stages: []engine.StageView{asks}}, time.Minute, engine.RoleAsk},
		{"stopped", engine.RunView{Stages: []engine.StageView{begun(engine.StageStopped, 9*time.Minute, 4*time.Minute)}}, time.Minute, engine.RoleText},
		{"before the stop", engine.RunView{Stages: []engine.StageView{begun(engine.StageStopped, 9*time.Minute, 4*time.Minute)}}, 5 * time.Minute, engine.RoleBusy},
		{"stuck", engine.RunView{Word: engine.WordStuck, Since: ago(3 * time.Minute), Stages: []engine.StageView{begun(engine.StageStuck, 9*time.Minute, 3*time.Minute)}}, time.Minute, engine.RoleBad},
	} {
		if got := roleAt(&tt.v, ago(tt.at)); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
