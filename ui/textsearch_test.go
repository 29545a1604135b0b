package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
)

// / searches in a text, n goes on, esc first ends the search and then closes the text;
// the filter of the list below is another one.
func TestASearchInAText(t *testing.T) {
	m, f := start(t, 80, 12, sample())
	press(m, "/", "w", "e", "b", "enter")
	f.reply = func(q enginepage.Question) enginepage.Answer {
		return enginepage.Answer{Question: q, Lines: engine.Lines("kind: Run\nimage: one\nd\ne\nf\ng\nh\ni\nimage: two\nend")}
	}
	m.Update(press(m, "Y")())
	press(m, "/", "i", "m", "a")
	shows(t, m, "match 1/2", "/ima", "n N next and previous", "kind: Run")
	press(m, "enter", "n")
	shows(t, m, "match 2/2", "image: two")
	press(m, ":")
	shows(t, m, "search WORDS")
	m.Update(tea.PasteMsg{Content: "search kind"})
	press(m, "enter")
	shows(t, m, "match 1/1", "kind: Run")
	press(m, "esc")
	if m.page.Filter() != "" || m.mode != modePage {
		t.Fatalf("esc left the search %q in mode %d", m.page.Filter(), m.mode)
	}
	press(m, "esc")
	if m.mode != modeBrowse || m.runs.Filter() != "web" {
		t.Errorf("mode %d, filter %q", m.mode, m.runs.Filter())
	}
}

// TestACancelledSearchLeavesNothing: esc while / is typed brings back what was on the screen when
// it was pressed, with the search or the filter before and the cursor: on the list, the opened run,
// a page, in YAML, in a log and in the help.
func TestACancelledSearchLeavesNothing(t *testing.T) {
	text := func(q enginepage.Question) enginepage.Answer {
		return enginepage.Answer{Question: q, Lines: engine.Lines("kind: Run\nmetadata:\n  managedFields:\n  - manager: hub-agent\n  name: web\n" + strings.Repeat("a\n", 30) + "image: one\n" + strings.Repeat("b\n", 30) + "status:\n  image: two\n" + strings.Repeat("  c\n", 30) + "end")}
	}
	log := func(q enginepage.Question) enginepage.Answer {
		s := enginepage.Section{Title: engine.Lit("log of agent"), Log: true}
		for i := range 60 {
			s.Rows = append(s.Rows, enginepage.TextRow(engine.RoleText, engine.Textf("line %d %s", i, strings.Repeat("words ", 20))))
		}
		return enginepage.Answer{Question: q, Sections: []enginepage.Section{s}}
	}
	for _, tt := range []struct {
		name   string
		keys   []string // to where it is pressed, from the list
		typed  []string
		answer func(enginepage.Question) enginepage.Answer
		then   []string // what is pressed once the answer is there
	}{
		{name: "list", keys: []string{"j", "j"}, typed: []string{"w", "e", "b"}},
		{name: "filtered list", keys: []string{"/", "e", "enter", "j"}, typed: []string{"w", "e", "b"}},
		{name: "run", keys: []string{"enter", "l", "j"}, typed: []string{"m", "e", "m", "b", "e", "r", "1"}},
		{name: "page", keys: []string{"enter", "?"}, typed: []string{"m", "o", "u", "s", "e"}, then: []string{"ctrl+d"}},
		{name: "YAML", keys: []string{"Y"}, typed: []string{"i", "m", "a"}, answer: text, then: []string{"j", "j"}},
		{name: "YAML at another match", keys: []string{"Y"}, typed: []string{"e", "n", "d"}, answer: text, then: []string{"/", "i", "m", "a", "enter", "n"}},
		{name: "unfolded for a match", keys: []string{"Y"}, typed: []string{"h", "u", "b", "-"}, answer: text, then: []string{"pgdown", "l"}},
		{name: "with the status folded", keys: []string{"Y"}, typed: []string{"t", "w", "o"}, answer: text, then: []string{"z", "pgdown"}},
		{name: "log at its end", keys: []string{"L"}, typed: []string{"l", "i", "n", "e", "space", "7"}, answer: log},
		{name: "log within a line", keys: []string{"L"}, typed: []string{"l", "i", "n", "e", "space", "7"}, answer: log, then: []string{"pgup", "k"}},
		{name: "nothing is found", keys: []string{"Y"}, typed: []string{"i", "m", "x"}, answer: text, then: []string{"G"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, f := start(t, 80, 24, sample())
			f.reply = tt.answer
			cmd := press(m, tt.keys...)
			if tt.answer != nil {
				m.Update(cmd())
			} else {
				withDetail(m, sample())
			}
			press(m, tt.then...)
			before := seen(m)
			for _, end := range []string{"esc", "ctrl+c"} {
				press(m, append([]string{"/"}, tt.typed...)...)
				if typing := seen(m); typing == before {
					t.Fatalf("nothing is typed:\n%s", typing)
				}
				press(m, end)
				m.scene.Quiet() // ctrl-c says what a second one does
				m.Update(tickedMsg{now: m.scene.Now})
				if got := seen(m); got != before {
					t.Errorf("after %s:\n%s\nwant\n%s", end, got, before)
				}
				m.abort = false
			}
		})
	}
}

// A log that was read at its end is followed again after a cancelled search, whatever came meanwhile,
// and one that was read elsewhere stays there, although lines at its start are gone.
func TestACancelledSearchInALogThatGrows(t *testing.T) {
	log := func(from, to int) enginepage.Answer {
		s := enginepage.Section{Title: engine.Lit("log of agent"), Log: true}
		for i := from; i < to; i++ {
			s.Rows = append(s.Rows, enginepage.TextRow(engine.RoleText, engine.Textf("line %d.", i)))
		}
		return enginepage.Answer{Sections: []enginepage.Section{s}}
	}
	for _, up := range []bool{false, true} {
		m, _ := start(t, 80, 24, sample())
		press(m, "L")
		answer := func(a enginepage.Answer) {
			a.Question = m.page.Question()
			m.Update(answeredMsg{n: m.texts, answer: a})
		}
		answer(log(0, 100))
		want := "line 119."
		if up {
			press(m, "pgup")
			want = "line 65."
			shows(t, m, want)
		}
		press(m, "/", "2", "7")
		answer(log(20, 120))
		shows(t, m, "line 27.")
		press(m, "esc")
		shows(t, m, want)
	}
}

// The help opens over a text, and leads back to it as it was, and to its answer that came meanwhile.
func TestHelpOverAText(t *testing.T) {
	m, _ := start(t, 80, 24, sample())
	press(m, "Y")
	q := m.page.Question()
	press(m, "?")
	shows(t, m, "help for the text page", "scroll left")
	m.Update(answeredMsg{n: m.texts, answer: enginepage.Answer{Question: q, Lines: engine.Lines("kind: ClusterStagedUpdateRun")}})
	shows(t, m, "help for the text page")
	for _, key := range []string{"esc", "?", "q"} {
		if key != "esc" {
			press(m, "?")
		}
		press(m, key)
		shows(t, m, "YAML of", "kind: ClusterStagedUpdateRun")
	}
	press(m, "esc")
	shows(t, m, "STATE")
	if m.mode != modeBrowse {
		t.Errorf("mode %d", m.mode)
	}
}

// TestKeysThatDoNothingOnAPage say so: those of a search where none is set, the fold of a text without
// blocks, the copy of the help, which the foot does not offer.
func TestKeysThatDoNothingOnAPage(t *testing.T) {
	m, f := start(t, 80, 24, sample())
	says := func(keys ...string) {
		t.Helper()
		for _, k := range keys {
			m.scene.Quiet()
			press(m, k)
			shows(t, m, k+": not available now · ? keys")
		}
	}
	press(m, "?")
	says("n", "N", "z", "y")
	if got := seen(m); strings.Contains(got, "y copy") {
		t.Errorf("the foot of the help offers a copy:\n%s", got)
	}
	press(m, "/", "m", "o", "enter", "n")
	shows(t, m, "match 2/")
	press(m, "esc", "esc")
	f.reply = func(q enginepage.Question) enginepage.Answer {
		return enginepage.Answer{Question: q, Lines: engine.Lines("kind: Run\nstatus:\n  a: b")}
	}
	m.Update(press(m, "Y")())
	says("n", "N")
	press(m, "z")
	shows(t, m, "status:   … 1 line")
	m, _ = openPage(t, 120, 40)
	says("n", "N")
}

// TestAClickEndsASearch that is typed, and stays on the text that is searched.
func TestAClickEndsASearch(t *testing.T) {
	m, _ := start(t, 80, 24, sample())
	m.mouse = true
	press(m, "?", "/", "m", "o")
	m.Update(tea.MouseClickMsg{X: 5, Y: 8, Button: tea.MouseLeft})
	shows(t, m, "help for the list of runs", "match 1/")
	if m.mode != modePage || m.page.Filter() != "" || m.help.Filter() != "mo" {
		t.Errorf("mode %d, searches %q", m.mode, m.help.Filter())
	}
}

// On the list esc clears what is listed, and says so where there is nothing to clear.
func TestEscOnTheList(t *testing.T) {
	m, _ := start(t, 80, 24, sample())
	press(m, "z", "esc")
	if got := ansi.Strip(m.answerLine()); strings.Contains(got, "Nothing to clear") {
		t.Errorf("after only problems: %q", got)
	}
	press(m, "esc")
	shows(t, m, "Nothing to clear; q quits.")
}
