package run

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/internal/situation"
	"github.com/stagewatch/stagewatch/ui/scene"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// withTimes is the sample's stuck run with the times that a hub gives.
func withTimes(s *engine.Snapshot) *engine.RunView {
	v := situation.Find(s, "example-run")
	v.Started = situation.Ago(20 * time.Minute)
	v.Stages[0].State, v.Stages[0].Started, v.Stages[0].Ended = engine.StageDone, situation.Ago(20*time.Minute), situation.Ago(15*time.Minute)
	v.Stages[0].After = []engine.GateView{situation.Approval(engine.GatePassed, 12*time.Minute)}
	v.Stages[1].State, v.Stages[1].Started, v.Stages[1].Stuck = engine.StageStuck, situation.Ago(10*time.Minute), 1
	v.Since = situation.Ago(5 * time.Minute)
	return v
}

// opened returns the sample's stuck run as it is opened in a size.
func opened(t *testing.T, s *engine.Snapshot, w, h int) *Pane {
	t.Helper()
	sc := &scene.Scene{Theme: theme.New(true, false, false), Now: situation.Now, Snap: s}
	v := situation.Find(s, "example-run")
	s.Detail = situation.Detail(s, v)
	p := New(t.Context(), sc, nil, v.ID, nil)
	p.Arrange(w, h, Alone)
	return p
}

func TestMoments(t *testing.T) {
	s := situation.Snapshot()
	withTimes(s)
	p := opened(t, s, 160, 45)
	for i := range s.Detail.Clusters {
		for j := range s.Detail.Clusters[i] {
			s.Detail.Clusters[i][j].State = engine.ClusterDone
		}
	}
	bad := &s.Detail.Clusters[1][0]
	bad.State, bad.Started = engine.ClusterStuck, situation.Ago(10*time.Minute)
	var got []string
	for _, x := range p.moments() {
		got = append(got, p.scene.Since(x.At).String()+" "+x.What)
	}
	want := []string{
		"29m13s created", "20m0s staging started", "15m0s staging done", "12m0s approved", "10m0s canary started",
		"10m0s " + bad.Name.String() + " started", "5m0s stuck",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	strip := []rune(strings.TrimSpace(ansi.Strip(p.strip(p.scene.HubNow()))))
	if len(strip) != 158 {
		t.Fatalf("a strip of %d cells: %s", len(strip), string(strip))
	}
	g := &p.scene.Theme.Glyph
	for share, mark := range map[float64]string{0.1: g.LineDone, 0.4: g.LineNone, 0.6: g.LineBusy, 0.9: g.LineBad} {
		if at := string(strip[int(share*158)]); at != mark {
			t.Errorf("at %v of the strip is %q, want %q", share, at, mark)
		}
	}
}

func TestWhatARunDidAtAMoment(t *testing.T) {
	begun := func(st engine.StageState, from, since time.Duration) engine.StageView {
		x := situation.Stage("a", st, 0, 2)
		x.Started, x.Since = situation.Ago(from), situation.Ago(since)
		return x
	}
	waits := begun(engine.StageGate, 9*time.Minute, 4*time.Minute)
	waits.After = []engine.GateView{situation.Wait(engine.GateRunning, time.Hour, time.Minute)}
	asks := begun(engine.StageGate, 9*time.Minute, 4*time.Minute)
	asks.After = []engine.GateView{situation.Approval(engine.GateOpen, 4*time.Minute)}
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
		{"stuck", engine.RunView{Word: engine.WordStuck, Since: situation.Ago(3 * time.Minute), Stages: []engine.StageView{begun(engine.StageStuck, 9*time.Minute, 3*time.Minute)}}, time.Minute, engine.RoleBad},
	} {
		if got := roleAt(&tt.v, situation.Ago(tt.at)); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
