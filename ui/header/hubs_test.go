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

// TestEachHubHasItsConnection checks that the header names every hub with the state of its
// connection and the age of its data by its own clock, those in trouble first; and that
// hubs without room are counted.
func TestEachHubHasItsConnection(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	hub := func(name string, skew time.Duration, l engine.Link) *engine.Snapshot {
		return &engine.Snapshot{At: now.Add(skew), Skew: skew, Hub: engine.Hub{Name: engine.NewHubName(name, ""), Context: engine.Clean(name)}, Link: l}
	}
	live := func(skew time.Duration) engine.Link {
		return engine.Link{State: engine.LinkLive, Heard: now.Add(skew - 2*time.Second)}
	}
	snap := &engine.Snapshot{Hubs: []*engine.Snapshot{
		hub("weu", 0, live(0)),
		hub("eus", 3*time.Hour, live(3*time.Hour)),
		hub("sea", 0, engine.Link{State: engine.LinkReconnecting, Since: now.Add(-12 * time.Second), Err: engine.Lit("refused")}),
	}}
	h := New(&scene.Scene{Theme: theme.New(true, false, true), Snap: snap, Now: now})
	for _, tt := range []struct {
		w    int
		want []string
		not  []string
	}{
		{160, []string{"sea RECONNECTING 12s   weu", "weu ● live 2s", "eus ● live 2s  hub clock +3h", "9 runs"}, []string{"hubs"}},
		{80, []string{"RECONNECTING sea   ● weu live 2s, eus live 2s  hub clock +3h", "9 runs"}, []string{"hubs"}},
		{40, []string{"RECONNECTING sea", "+2 hubs"}, []string{"weu"}},
	} {
		lines := h.Lines(tt.w, "9 runs", "")
		line := ansi.Strip(lines[0])
		for _, w := range tt.want {
			if !strings.Contains(line, w) {
				t.Errorf("%d columns: %q lacks %q", tt.w, line, w)
			}
		}
		for _, n := range tt.not {
			if strings.Contains(line, n) {
				t.Errorf("%d columns: %q has %q", tt.w, line, n)
			}
		}
		if got := ansi.StringWidth(lines[0]); got > tt.w {
			t.Errorf("%d columns: the line takes %d", tt.w, got)
		}
		if notice := ansi.Strip(lines[2]); tt.w == 160 && !strings.Contains(notice, "sea: no data yet, writes are off · refused") {
			t.Errorf("%q", notice)
		}
	}
}

// TestHubsInTrouble checks that the header names as many hubs in trouble as fit, with the
// reasons, and how old the data of one is that has been read.
func TestHubsInTrouble(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	hub := func(name string, state engine.LinkState, why string) *engine.Snapshot {
		return &engine.Snapshot{At: now, Hub: engine.Hub{Name: engine.NewHubName(name, ""), Context: engine.Clean(name)}, Link: engine.Link{State: state, Since: now.Add(-12 * time.Second), Err: engine.Clean(why)}}
	}
	lost := hub("hub-lost", engine.LinkReconnecting, "the connection was closed")
	lost.Runs, lost.Link.Heard = []*engine.RunView{{}}, now.Add(-15*time.Second)
	snap := &engine.Snapshot{Hubs: []*engine.Snapshot{
		hub("hub-prod", engine.LinkLive, ""),
		hub("hub-down", engine.LinkReconnecting, "connection refused by 127.0.0.1:9"),
		hub("hub-hangs", engine.LinkReconnecting, "no answer in time"),
		hub("hub-denied", engine.LinkRefused, "forbidden"),
		lost,
	}}
	h := New(&scene.Scene{Theme: theme.New(true, false, true), Snap: snap, Now: now})
	for _, tt := range []struct {
		w             int
		names, notice string
	}{
		{200, "hub-denied NO ACCESS   hub-down RECONNECTING 12s   hub-hangs RECONNECTING 12s   hub-lost RECONNECTING 12s   hub-prod", "writes are off · hub-denied: forbidden   hub-down: connection refused by 127.0.0.1:9   hub-hangs: no answer in time   hub-lost: data is 15s old, the connection was closed"},
		{120, "NO ACCESS hub-denied   RECONNECTING hub-down, hub-hangs, hub-lost 12s   +1 hub ", "writes are off · hub-denied: forbidden   hub-down: connection refused by 127.0.0.1:9   hub-hangs: no answer i…   +1 hub"},
		{80, "NO ACCESS hub-denied   +4 hubs ", "writes are off · hub-denied: forbidden   hub-down: connection refuse…   +2 hubs"},
	} {
		lines := h.Lines(tt.w, "24 runs of 1/5 hubs", "")
		if got := ansi.Strip(lines[0]); !strings.HasPrefix(got, " "+tt.names) {
			t.Errorf("%d columns: %q, want %q", tt.w, got, tt.names)
		}
		if got := ansi.Strip(lines[2]); !strings.HasPrefix(got, " "+tt.notice) {
			t.Errorf("%d columns: %q, want %q", tt.w, got, tt.notice)
		}
		for _, line := range lines {
			if got := ansi.StringWidth(line); got > tt.w {
				t.Errorf("%d columns: a line takes %d", tt.w, got)
			}
		}
	}
}
