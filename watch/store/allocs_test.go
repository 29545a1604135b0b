//go:build !race

package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// TestFoldAllocatesAsRecorded holds what folding 100 changed runs allocates, within 10 percent.
func TestFoldAllocatesAsRecorded(t *testing.T) {
	const recorded = 437
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	f, in := newFolder(world.NewWorld(engine.Settings{})), NewInbox()
	s := in.Open(runsKey)
	generation := 0
	got := testing.AllocsPerRun(10, func() {
		generation++
		for i := range 100 {
			s.Put(runObject(fmt.Sprint("run-", i), fmt.Sprint(i), generation, "p"))
		}
		f.fold(in.fetch().sets, at)
	})
	if got < 0.9*recorded || got > 1.1*recorded {
		t.Errorf("%.0f allocations, recorded %d", got, recorded)
	}
}
