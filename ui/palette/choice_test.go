package palette

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// TestNoChoiceMatches types an argument that matches no choice: the list says so and shows no
// command, and enter takes what is typed. A command that also takes other arguments keeps its row.
func TestNoChoiceMatches(t *testing.T) {
	offers := func(keymap.Entry) []Choice { return []Choice{{Value: "all"}, {Value: "team-web"}} }
	th := theme.New(true, false, false)
	refusal := func(keymap.Entry) engine.Refusal { return engine.Refusal{} }
	for typed, want := range map[string]string{
		"ns team-s":     "ns|no matches",
		"open team-s":   "open|no matches",
		"ns team-":      "ns|team-web",
		"ns ":           "ns|all|team-web",
		"ns":            "commands",
		"write 20m":     "commands|write",
		"filter team-s": "commands|filter",
	} {
		offered := offers
		if strings.HasPrefix(typed, "filter") {
			offered = nil
		}
		p := New(Commands(keymap.Default(), keymap.ScopeRuns), offered)
		p.Set(typed)
		lines := p.View(th, 80, 20, engine.Text{}, refusal)
		if len(lines) != p.Rows(20) {
			t.Errorf("%q: %d lines, want %d", typed, len(lines), p.Rows(20))
		}
		for i, part := range strings.Split(want, "|") {
			if i >= len(lines) || !strings.Contains(ansi.Strip(lines[i]), part) {
				t.Errorf("%q: no %s in line %d of %q", typed, part, i, lines)
			}
		}
		if want == "ns|no matches" {
			if len(lines) != 2 || p.Hit(1, 20) != -1 || p.Take() != "team-s" {
				t.Errorf("%q: %d lines, a click chooses %d, enter takes %q", typed, len(lines), p.Hit(1, 20), p.Take())
			}
		}
	}
}
