package help

import (
	"slices"
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/theme"
	"github.com/stagewatch/stagewatch/ui/viewer"
)

// lines are the lines of a help page as words.
func lines(p *Page) []string {
	var out []string
	for _, l := range p.Lines() {
		out = append(out, strings.TrimSpace(strings.Join(strings.Fields(l.Key+" "+l.Text.String()+" "+l.Key2+" "+l.Text2.String()), " ")))
	}
	return out
}

// TestWhatWorksComesFirst: the keys of the place come first, in groups; those that do
// nothing at the moment come behind them with the reason; every other key has its place.
func TestWhatWorksComesFirst(t *testing.T) {
	p := &Page{Theme: theme.New(true, true, false), Width: 60, Keys: keymap.Default(), Here: keymap.ScopeRun, Idle: func(e keymap.Entry) (engine.Text, bool) {
		return engine.Lit("the run is done"), e.Action == keymap.Stop
	}}
	got := lines(p)
	place := func(line string) int {
		i := slices.Index(got, line)
		if i < 0 {
			t.Errorf("no line %q in\n%s", line, strings.Join(got, "\n"))
		}
		return i
	}
	order := []string{
		"MOVE", "j down down", "l -> next stage", "LOOK", "/ filter", "GO TO", "enter open", "ACT", "A approve",
		"NOT AVAILABLE NOW", "S stop: the run is done", "LIST OF RUNS", "DETAIL PAGE", "/ search", "TEXT PAGE", "z YAML: fold the status, too, then unfold all", "COMMAND LINE", "STATES",
	}
	for i := 1; i < len(order); i++ {
		if a, b := place(order[i-1]), place(order[i]); a >= b {
			t.Errorf("%q stands at %d, %q at %d", order[i-1], a, order[i], b)
		}
	}
	all := strings.Join(got, "\n")
	for _, s := range keymap.Scopes() {
		for _, e := range p.Keys.In(s) {
			if !strings.Contains(all, e.Key.Help().Desc) {
				t.Errorf("%s is not in the help", e.Key.Help().Desc)
			}
		}
	}
	if strings.Contains(all, "j ?") {
		t.Error("arrows have no names in ASCII")
	}
}

// TestTwoKeysShareALine where there is room, and each keeps its own text.
func TestTwoKeysShareALine(t *testing.T) {
	idle := func(keymap.Entry) (engine.Text, bool) { return engine.Text{}, false }
	p := &Page{Theme: theme.New(true, false, false), Width: 80, Keys: keymap.Default(), Here: keymap.ScopeRuns, Idle: idle}
	if got := lines(p); !slices.Contains(got, "S stop C clone") {
		t.Errorf("no shared line in\n%s", strings.Join(got, "\n"))
	}
}

// TestColumns checks that a wide page has its groups side by side, whole and in their order, and
// that nothing of the narrow page is missing.
func TestColumns(t *testing.T) {
	idle := func(keymap.Entry) (engine.Text, bool) { return engine.Text{}, false }
	page := func(width int) []viewer.Line {
		return (&Page{Theme: theme.New(true, false, false), Width: width, Keys: keymap.Default(), Here: keymap.ScopeRuns, Idle: idle}).Lines()
	}
	narrow := page(120)
	for width, columns := range map[int]int{120: 1, 155: 1, 156: 2, 160: 2, 200: 2, 240: 3, 312: 4} {
		got, highest := page(width), 0
		var heads []string
		for i := range columns {
			written := 0
			for y, l := range got {
				if len(l.Beside) != columns-1 || columns > 1 && l.Column*columns > width {
					t.Fatalf("width %d: %d columns of %d", width, len(l.Beside)+1, l.Column)
				}
				if i > 0 {
					l = l.Beside[i-1]
				}
				if l.Key != "" || !l.Text.IsZero() {
					written = y + 1
				}
				if l.Key == "" && !l.Text.IsZero() {
					heads = append(heads, l.Text.String())
				}
				if y == 0 && l.Key != "" {
					t.Errorf("width %d: column %d begins within a group, with %s", width, i, l.Text)
				}
			}
			highest = max(highest, written)
		}
		var want []string
		for _, l := range narrow {
			if l.Key == "" && !l.Text.IsZero() {
				want = append(want, l.Text.String())
			}
		}
		if !slices.Equal(heads, want) {
			t.Errorf("width %d: groups %q, want %q", width, heads, want)
		}
		if most := len(narrow)/columns + 20; highest != len(got) || highest > most {
			t.Errorf("width %d: %d lines of %d, want at most %d", width, highest, len(got), most)
		}
	}
}
