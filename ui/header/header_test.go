package header

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/scene"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// TestClockSkewIsShown checks that a hub whose clock differs by more than 5 s is named as
// such, and that the age of the data is by the hub's clock (docs/promises.md#i20).
func TestClockSkewIsShown(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		skew time.Duration
		want string
	}{
		{0, ""},
		{5 * time.Second, ""},
		{6 * time.Second, "hub clock +6s"},
		{-42 * time.Second, "hub clock -42s"},
		{3 * time.Hour, "hub clock +3h"},
	} {
		hubNow := now.Add(tt.skew)
		snap := &engine.Snapshot{At: hubNow, Skew: tt.skew, Link: engine.Link{State: engine.LinkLive, Heard: hubNow.Add(-2 * time.Second)}}
		h := New(&scene.Scene{Theme: theme.New(true, false, true), Snap: snap, Now: now})
		line := h.Lines(80, "3 runs", "")[0]
		if !strings.Contains(line, "live 2s") || !strings.Contains(line, tt.want) || tt.want == "" && strings.Contains(line, "clock") {
			t.Errorf("%v: %q", tt.skew, line)
		}
	}
}

// While the first lists are on their way, the header says what has come of them.
func TestLoadingShowsItsProgress(t *testing.T) {
	snap := &engine.Snapshot{Link: engine.Link{State: engine.LinkLoading, Loading: engine.Lit("120 objects, 40 MiB")}}
	h := New(&scene.Scene{Theme: theme.New(true, false, true), Snap: snap})
	if line := ansi.Strip(h.Lines(80, "3 runs", "")[0]); !strings.Contains(line, "LOADING 120 objects, 40 MiB   3 runs") {
		t.Errorf("%q", line)
	}
	for w := 20; w <= 80; w++ {
		if n := ansi.StringWidth(h.Lines(w, "3 runs", "")[0]); n > w {
			t.Errorf("%d cells in %d", n, w)
		}
	}
}

// TestAliasAndColour shows a hub by its alias, in the colour of its context, and counts the blanks of the
// colour: no line is wider than the screen.
func TestAliasAndColour(t *testing.T) {
	live := engine.Link{State: engine.LinkLive}
	hub := func(name, alias string) engine.Hub {
		return engine.Hub{Name: engine.NewHubName(name, alias), Context: engine.Clean(name), Server: engine.Lit("https://hub.example"), User: engine.Lit("me")}
	}
	prod, test := hub("aks-weu-4711", "PROD"), hub("aks-test", "")
	one := &engine.Snapshot{Hub: prod, Link: live}
	two := &engine.Snapshot{Hubs: []*engine.Snapshot{one, {Hub: test, Link: live}}}
	for _, mono := range []bool{false, true} {
		th := theme.New(true, false, mono)
		marked := th.Sequence(theme.Bar, theme.Bad|theme.Bold|theme.Reverse) + " PROD "
		for _, snap := range []*engine.Snapshot{one, two} {
			h := New(&scene.Scene{Theme: th, Snap: snap, Colour: func(context string) string {
				return map[string]string{"aks-weu-4711": "red"}[context]
			}})
			for w := 20; w <= 200; w++ {
				line := h.Lines(w, "3 runs", "")[0]
				if n := ansi.StringWidth(line); n > w {
					t.Errorf("%d cells in %d: %q", n, w, ansi.Strip(line))
				}
				if w >= 40 && !strings.Contains(line, marked) {
					t.Errorf("%d: %q", w, line)
				}
			}
			if line := h.Lines(120, "3 runs", "")[0]; strings.Contains(line, "aks-weu") || snap == two && !strings.Contains(line, th.Sequence(theme.Bar, theme.Name|theme.Bold)+"aks-test") {
				t.Errorf("%q", line)
			}
		}
	}
	if h := New(&scene.Scene{Theme: theme.New(true, false, false), Snap: one}); h.Title() != "stagewatch PROD" {
		t.Errorf("title %q", h.Title())
	}
}

// TestAResetIsNamedInEveryState checks that the header says that the hub was reset, whatever else is
// wrong: the rows can be older than before already (docs/promises.md#i3).
func TestAResetIsNamedInEveryState(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	for state := engine.LinkLoading; state <= engine.LinkRefused; state++ {
		snap := &engine.Snapshot{At: now, Runs: []*engine.RunView{{}}, Link: engine.Link{
			State: state, Heard: now.Add(-12 * time.Second), Reset: now.Add(-3 * time.Second),
			Err: engine.Lit("no answer in time: clusterstagedupdateruns"), Hint: engine.Lit("check the network"),
		}}
		h := New(&scene.Scene{Theme: theme.New(true, false, true), Snap: snap, Now: now})
		if line := ansi.Strip(h.Lines(80, "3 runs", "")[2]); !strings.Contains(line, "the hub was reset 3s ago") || ansi.StringWidth(line) > 80 {
			t.Errorf("%v: %q", state, line)
		}
	}
}

// TestWatchesThatFailAreNamed checks that a hub that is read by lists is live, and that the
// screen says which watches fail: in the width of a small terminal, too, and beside other hubs.
func TestWatchesThatFailAreNamed(t *testing.T) {
	polled := engine.Lit("watches of approvalrequests, clusterapprovalrequests and 3 more kinds fail: no answer in time")
	one := &engine.Snapshot{Hub: engine.Hub{Context: engine.Lit("prod")}, Link: engine.Link{State: engine.LinkLive, Polled: polled}}
	healthy := &engine.Snapshot{Hub: engine.Hub{Context: engine.Lit("test")}, Link: engine.Link{State: engine.LinkLive}}
	for name, snap := range map[string]*engine.Snapshot{"one hub": one, "two hubs": {Hubs: []*engine.Snapshot{healthy, one}}} {
		h := New(&scene.Scene{Theme: theme.New(true, false, true), Snap: snap})
		for _, w := range []int{80, 160} {
			lines := h.Lines(w, "3 runs", "")
			if got := ansi.Strip(lines[2]); !strings.Contains(ansi.Strip(lines[0]), " live ") || !strings.Contains(got, "watches of approvalrequests") || !strings.HasSuffix(strings.TrimSpace(got), "lists are read instead") {
				t.Errorf("%s, %d: %q", name, w, lines)
			}
		}
	}
}

// TestASetThatIsNotAnsweredIsNamed checks that a small terminal names the set whose lists are
// not answered, too, and calls no rows of other sets all there is.
func TestASetThatIsNotAnsweredIsNamed(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		age      time.Duration
		complete bool
		want     string
	}{
		{12 * time.Second, true, "data is 12s old, writes are off"},
		{12 * time.Second, false, "data is 12s old, writes are off"},
		{2 * time.Second, true, "data is 2s old, writes are off"},
		{2 * time.Second, false, "data is incomplete, writes are off"},
	} {
		snap := &engine.Snapshot{At: now, Complete: tt.complete, Runs: []*engine.RunView{{}}, Link: engine.Link{
			State: engine.LinkReconnecting, Heard: now.Add(-tt.age), Answers: true,
			Err: engine.Lit("no answer in time: clusterstagedupdateruns"), Hint: engine.Lit("wait a moment (the hub answers other requests); stagewatch retries automatically"),
		}}
		h := New(&scene.Scene{Theme: theme.New(true, false, true), Snap: snap, Now: now})
		for _, w := range []int{80, 200} {
			line := ansi.Strip(h.Lines(w, "3 runs", "")[2])
			if !strings.Contains(line, tt.want) || !strings.Contains(line, ": clusterstagedupdateruns") || ansi.StringWidth(line) > w {
				t.Errorf("%d: %q, want %q and the set", w, line, tt.want)
			}
			if w == 200 && !strings.Contains(line, "the hub answers other requests") {
				t.Errorf("%q", line)
			}
		}
	}
}
