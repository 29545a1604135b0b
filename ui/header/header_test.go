package header

import (
	"strings"
	"testing"
	"time"

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
