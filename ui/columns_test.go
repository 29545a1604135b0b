package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
)

// TestChosenColumns lists the columns of the configuration in their order; what does not fit
// is shortened, then hidden from the end, and the hostile value of a label neither leaves its column nor
// reaches the terminal.
func TestChosenColumns(t *testing.T) {
	s := sample()
	for _, v := range s.Runs {
		v.Metadata = []engine.Text{engine.Clean("web\x1b[31m\u202e" + strings.Repeat("x", 200))}
	}
	dark := true
	m := New(t.Context(), newFake(), Options{Now: t0, Dark: &dark, Change: Change{Columns: column.Chosen([]string{"instate", "label:a/team", "run", "stages", "clusters", "why"}, []string{"label:a/team"})}})
	m.rules.Propose, m.rules.Clone = fakePropose, fakeClone
	m.Update(nextMsg{snap: s})
	for _, tt := range []struct {
		width int
		heads []string
	}{
		{200, []string{"IN STATE", "TEAM", "RUN", "STAGES", "CLUSTERS", "WHY"}},
		{100, []string{"TIME", "TEAM", "RUN", "STAGES", "CLUS", "WHY"}},
		{50, []string{"TIME", "TEAM", "RUN"}},
		{40, []string{"TIME", "RUN"}},
	} {
		m.Update(tea.WindowSizeMsg{Width: min(tt.width, 139), Height: 40})
		if tt.width > 139 { // the list alone, without panes
			m.look.w = tt.width
			m.runs.Arrange(tt.width, 38, false, true)
		}
		lines := strings.Split(m.runs.View(), "\n")
		if got := strings.Fields(strings.ReplaceAll(ansi.Strip(lines[0]), "IN STATE", "IN_STATE")); strings.Join(got, " ") != strings.ReplaceAll(strings.Join(tt.heads, " "), "IN STATE", "IN_STATE") {
			t.Errorf("at %d: %v, want %v", tt.width, got, tt.heads)
		}
		for _, line := range lines {
			if strings.Contains(line, "\u202e") || strings.Contains(line, "\x1b[31mxxx") {
				t.Errorf("at %d: %q", tt.width, line)
			}
			if n := ansi.StringWidth(line); n > tt.width {
				t.Errorf("at %d: a line of %d", tt.width, n)
			}
		}
		if tt.width > 50 && !strings.Contains(ansi.Strip(lines[1]), "web") {
			t.Errorf("at %d: no label in %q", tt.width, ansi.Strip(lines[1]))
		}
	}
	press(m, "s")
	typeIn(m, "age")
	press(m, "enter") // a column that is not on the screen
	if by, _ := m.runs.Sorted(); by != "age" {
		t.Errorf("sorted by %q", by)
	}
}
