package latest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/internal/situation"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// TestOf reads what happened from the stages and gates of runs in each state, in order.
func TestOf(t *testing.T) {
	th := theme.New(true, true, true)
	done := situation.Stage("canary", engine.StageDone, 2, 2)
	done.Started, done.Ended = situation.Ago(9*time.Minute), situation.Ago(8*time.Minute)
	done.After = []engine.GateView{situation.Approval(engine.GatePassed, 7*time.Minute), situation.Wait(engine.GateRunning, time.Hour, time.Minute)}
	done.After[1].Since = situation.Ago(8 * time.Minute)
	gone := situation.CleanUp(engine.StageUpdating, 0, 1)
	gone.Started = situation.Ago(time.Minute)
	empty := situation.Stage("empty", engine.StageSkipped, 0, 0)
	empty.Started = situation.Ago(time.Minute)
	for _, tt := range []struct {
		v    engine.RunView
		more []Moment
		want string
	}{
		{
			engine.RunView{Created: situation.Ago(10 * time.Minute), Stages: []engine.StageView{done, empty, gone}},
			[]Moment{{At: situation.Ago(2 * time.Minute), What: "member1 started"}, {What: "never"}},
			"10m created, 9m canary started, 8m canary done, 8m wait started, 7m approved, 2m member1 started, 1m deletion started",
		},
		{engine.RunView{Word: engine.WordInitFailed, Since: situation.Ago(time.Minute)}, nil, "1m initialization failed"},
		{engine.RunView{Word: engine.WordStuck, Since: situation.Ago(time.Minute)}, nil, "1m stuck"},
		{engine.RunView{Word: engine.WordStopped, Since: situation.Ago(time.Minute)}, nil, "1m stopped"},
		{engine.RunView{Word: engine.WordDone, Ended: situation.Ago(time.Minute)}, nil, "1m done"},
		{engine.RunView{Word: engine.WordPreempted, Ended: situation.Ago(time.Minute)}, nil, "1m failed"},
		{engine.RunView{Word: engine.WordNoRun, Created: situation.Ago(time.Minute)}, nil, ""},
	} {
		var got []string
		for _, m := range Of(th, &tt.v, tt.more...) {
			got = append(got, engine.Age(situation.Now.Sub(m.At)).String()+" "+m.What)
		}
		if s := strings.Join(got, ", "); s != tt.want {
			t.Errorf("got  %s\nwant %s", s, tt.want)
		}
	}
}

// TestLines writes the last moments only, none where no moment has room, and the runs in a
// column.
func TestLines(t *testing.T) {
	th := theme.New(true, true, true)
	all := []Moment{{At: situation.Ago(time.Hour), What: "first", Run: "a"}, {At: situation.Ago(time.Minute), What: "second", Run: "a-long-name"}, {At: situation.Now, What: "third", Run: "b"}}
	if got := Lines(th, all, situation.Now, 60, Head); got != nil {
		t.Errorf("a heading alone: %q", got)
	}
	got := Lines(th, all, situation.Now, 60, Head+2)
	for i := range got {
		got[i] = strings.TrimSpace(ansi.Strip(got[i]))
	}
	if want := []string{"", "LATEST", "22:29:12  a-long-name  second", "22:30:12  b            third"}; !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if w := cell.Width(ansi.Strip(Lines(th, all, situation.Now, 20, 9)[3])); w > 20 {
		t.Errorf("%d cells wide, want at most 20", w)
	}
}
