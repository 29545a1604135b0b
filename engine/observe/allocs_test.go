//go:build !race

package observe

import (
	"fmt"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// TestObserveAllocatesAsRecorded holds what a pass allocates, within 10 percent: of 100 runs of
// 1,000 clusters, one has changed, or nothing; and beside the rows of 1,000 finished runs.
func TestObserveAllocatesAsRecorded(t *testing.T) {
	t0 := time.Unix(100_000, 0)
	w, ids := big(100, 1000, t0)
	many, _ := big(20, 1000, t0)
	addRows(many, 1000, t0)
	n := 1
	for _, tt := range []struct {
		name     string
		of       *world.World
		changed  world.Changed
		recorded float64
	}{
		{"one run", w, world.Changed{Runs: map[engine.ID]bool{ids[7]: true}}, 27},
		{"one run beside rows", many, world.Changed{Runs: map[engine.ID]bool{ids[7]: true}}, 31},
		{"nothing", w, world.Changed{}, 14},
	} {
		s, _ := Observe(nil, tt.of, world.Changed{}, t0)
		got := testing.AllocsPerRun(5, func() {
			n++
			if len(tt.changed.Runs) > 0 {
				tt.of.Runs[ids[7]].ResourceVersion = fmt.Sprint(n)
			}
			s, _ = Observe(s, tt.of, tt.changed, t0)
		})
		if got < 0.9*tt.recorded || got > 1.1*tt.recorded {
			t.Errorf("%s: %.0f allocations, recorded %.0f", tt.name, got, tt.recorded)
		}
	}
}
