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

// TestRefresh lists other choices than before: the selected one stays selected, one that went leaves
// the selection where the list begins, and enter takes what is typed again.
func TestRefresh(t *testing.T) {
	offered := []Choice{{Value: "all"}, {Value: "team-db"}, {Value: "team-web"}}
	p := New(Commands(keymap.Default(), keymap.ScopeRuns), func(keymap.Entry) []Choice { return offered })
	p.Refresh()
	if e, _ := p.Chosen(); p.At() != 0 || p.Value() != "" {
		t.Errorf("without an argument: %q at %d", e.Name, p.At())
	}
	for _, tt := range []struct {
		typed    string
		choose   int
		next     []string
		selected string
		takes    string
	}{
		{"open ", 2, []string{"team-web", "all", "team-db"}, "team-web", "team-web"},
		{"open ", 2, []string{"all", "team-db"}, "all", ""},
		{"open team", 1, []string{"all", "other", "team-db", "team-web"}, "team-web", "team-web"},
		{"open nothing", 0, []string{"all", "nothing"}, "nothing", "nothing"},
		{"open ", 1, nil, "", ""},
	} {
		offered = []Choice{{Value: "all"}, {Value: "team-db"}, {Value: "team-web"}}
		p.Set("")
		p.Set(tt.typed)
		p.Choose(tt.choose)
		offered = nil
		for _, v := range tt.next {
			offered = append(offered, Choice{Value: v})
		}
		p.Refresh()
		if got, _ := p.Choosing(keymap.OpenRun); got != tt.selected || p.Take() != tt.takes {
			t.Errorf("%q, then %q: %q is selected, want %q; enter takes %q, want %q", tt.typed, tt.next, got, tt.selected, p.Take(), tt.takes)
		}
	}
}
