package ui

import (
	"regexp"
	"strconv"
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
		v.Fields = []engine.Text{engine.Clean("web\x1b[31m\u202e" + strings.Repeat("x", 200))}
	}
	dark := true
	m := New(t.Context(), newFake(), Options{Now: t0, Dark: &dark, Change: Change{Columns: column.Chosen([]string{"instate", "label:a/team", "run", "stages", "clusters", "why"}, []string{"label:a/team"})}})
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

// TestFieldColumns sorts and filters the list by a column of the configuration, which a reload may
// take away.
func TestFieldColumns(t *testing.T) {
	s := sample()
	for i, v := range s.Runs {
		v.Fields = []engine.Text{engine.Textf("%d", 20-i)}
	}
	s.Runs[0].Fields[0] = engine.Text{}
	names := []string{"run", "jsonpath:Wave:.spec.wave"}
	dark := true
	change := Change{Columns: column.Chosen(names, column.Fields(names)), Views: []View{{Name: "late", Filter: "wave>15", Sort: "wave"}}}
	m := New(t.Context(), newFake(), Options{Now: t0, Dark: &dark, Change: change})
	m.Update(nextMsg{snap: s})
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 40})
	shown := func() string { return ansi.Strip(m.View().Content) }
	first := func() string {
		m.View()
		return m.runs.Current().Fields[0].String()
	}
	if !strings.Contains(shown(), "WAVE") || !regexp.MustCompile(regexp.QuoteMeta(s.Runs[0].ID.RawName())+` +- *\n`).MatchString(shown()) {
		t.Errorf("no column, or a run without a value:\n%s", shown())
	}
	press(m, "s")
	typeIn(m, "wave")
	press(m, "enter", "g")
	if want := strconv.Itoa(20 - len(s.Runs) + 1); first() != want || !strings.Contains(shown(), "by WAVE") {
		t.Errorf("the first is %s, want %s:\n%s", first(), want, shown())
	}
	press(m, "/")
	typeIn(m, "wave:19")
	press(m, "enter", "g")
	if _, n := m.runs.At(); n != 1 || first() != "19" {
		t.Errorf("%d rows, the first is %s", n, first())
	}
	press(m, "/", "ctrl+u")
	typeIn(m, "wave>-5")
	press(m, "enter", "g")
	if _, n := m.runs.At(); n != len(s.Runs)-1 {
		t.Errorf("%d rows with a value over -5, want %d:\n%s", n, len(s.Runs)-1, shown())
	}
	press(m, "1", "g")
	if _, n := m.runs.At(); n != 4 || first() != "16" {
		t.Errorf("%d rows of the view, the first is %s:\n%s", n, first(), shown())
	}
	change.Columns, change.Views = nil, nil
	m.Update(changedMsg{change})
	first()
	if by, _ := m.runs.Sorted(); by != "" {
		t.Errorf("sorted by %q without the column", by)
	}
	if _, n := m.runs.At(); n != len(s.Runs) {
		t.Errorf("%d rows, want all %d", n, len(s.Runs))
	}
}
