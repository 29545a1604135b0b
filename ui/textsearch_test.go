package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

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
