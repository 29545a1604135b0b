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

// TestChosenColumnsShareTheRoom has runs of long names and causes in a pane: the cause says
// more than its first word, and what the last column needs is not left blank once it is hidden.
func TestChosenColumnsShareTheRoom(t *testing.T) {
	s := sample()
	for _, v := range s.Runs {
		v.ID = engine.NewID(engine.KindStagedUpdateRun, "team-payments", "rejected-by-the-webhook-"+v.ID.RawName(), v.ID.RawName())
		v.Why.Short = engine.Lit("override path does not exist in the snapshot")
		v.Fields = []engine.Text{engine.Lit("web")}
	}
	dark := true
	m := New(t.Context(), newFake(), Options{Now: t0, Dark: &dark, Change: Change{Columns: column.Chosen([]string{"state", "run", "cause", "label:a/team", "age", "strategy"}, []string{"label:a/team"})}})
	m.Update(nextMsg{snap: s})
	for width, cause := range map[int]string{60: "override pa", 66: "override pa", 72: "override path doe", 78: "override path does", 84: "override path", 100: "override path does", 120: "override path does"} {
		m.runs.Arrange(width, 38, false, true)
		lines := strings.Split(ansi.Strip(m.runs.View()), "\n")
		row := strings.TrimRight(lines[1], " ")
		if !strings.Contains(lines[0], "CAUSE") || !strings.Contains(row, cause) {
			t.Errorf("at %d:\n%s\n%s", width, lines[0], lines[1])
		}
		if free := width - 1 - ansi.StringWidth(lines[1][:len(row)]); free > 4 && strings.Contains(row, "…") {
			t.Errorf("at %d %d cells are free beside a text that is cut:\n%s\n%s", width, free, lines[0], lines[1])
		}
	}
}

// TestCausesAreWholeOnAWideTerminal: the list gets what the panes beside it do not need.
func TestCausesAreWholeOnAWideTerminal(t *testing.T) {
	s := sample()
	for _, v := range s.Runs {
		v.ID = engine.NewID(engine.KindStagedUpdateRun, "team-payments", "approval-not-accepted-r2", v.ID.RawName())
		v.Why.Short = engine.Lit("kind Certificate is not installed on weu-canary-1")
	}
	m, _ := start(t, 300, 80, s)
	if got := ansi.Strip(m.View().Content); !strings.Contains(got, s.Runs[0].Why.Short.String()) {
		t.Errorf("the cause is cut:\n%s", got)
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
