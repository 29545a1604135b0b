//go:build !race

package ui

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

// TestListsAllocateAsRecorded holds what the lists allocate at 5,000 runs and 100,000 clusters,
// within 10 percent: filter, order, and the rows that are drawn anew.
func TestListsAllocateAsRecorded(t *testing.T) {
	inOneGoroutine(t)
	runs, clusters := many(5000), manyClusters(100_000)
	for _, tt := range []struct {
		name     string
		s        *engine.Snapshot
		act      func(m *Model)
		recorded float64
	}{
		{"filter runs", runs, func(m *Model) { press(m, "/", "w", "enter"); press(m, "esc") }, 32_297},
		{"sort runs", runs, func(m *Model) { press(m, "s", "down", "enter") }, 8_364},
		{"rows of new runs", runs, func(m *Model) { m.Update(nextMsg{snap: many(5000)}); m.View() }, 53_672},
		{"filter clusters", clusters, func(m *Model) { press(m, "/", "9", "enter"); press(m, "esc") }, 833},
	} {
		m, _ := start(t, 120, 40, tt.s)
		if tt.s.Detail != nil {
			press(m, "enter")
		}
		m.View()
		got := testing.AllocsPerRun(3, func() { tt.act(m) })
		if got < 0.9*tt.recorded || got > 1.1*tt.recorded {
			t.Errorf("%s: %.0f allocations, recorded %.0f", tt.name, got, tt.recorded)
		}
	}
}
