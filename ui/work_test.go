package ui

import "testing"

// TestAKeyCostsTheSameForAnyNumberOfRuns checks that a key and its frame, and an age that
// moves, need no more memory for 20,000 runs than for 200: what a key waits for is bounded
// by the terminal.
func TestAKeyCostsTheSameForAnyNumberOfRuns(t *testing.T) {
	inOneGoroutine(t)
	costs := func(n int, act func(m *Model)) float64 {
		m, _ := start(t, 120, 40, many(n))
		m.View()
		return testing.AllocsPerRun(20, func() {
			act(m)
			m.View()
		})
	}
	for name, act := range map[string]func(m *Model){
		"down and up":     func(m *Model) { press(m, "j", "k") },
		"tick":            func(m *Model) { m.Update(tickedMsg{now: m.scene.Now}) },
		"help and back":   func(m *Model) { press(m, "?", "esc") },
		"mark and unmark": func(m *Model) { press(m, "space", "space") },
	} {
		if few, many := costs(200, act), costs(20000, act); many > 1.5*few+100 {
			t.Errorf("%s: %.0f allocations with 20,000 runs, %.0f with 200", name, many, few)
		} else {
			t.Logf("%s: %.0f and %.0f allocations", name, many, few)
		}
	}
}
