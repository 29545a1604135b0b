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
