package ui

import (
	"testing"

	enginepage "github.com/stagewatch/stagewatch/engine/page"
)

// L reads the controller's log in the viewer, again and again while it is open, and
// once at a time however often it was opened.
func TestTheLogIsReadAgain(t *testing.T) {
	m, f := start(t, 120, 40, sample())
	run := m.runs.Current().ID
	asked := 0
	f.reply = func(q enginepage.Question) enginepage.Answer {
		if q != (enginepage.LogsQuestion{Run: run}) {
			t.Errorf("asks %+v", q)
		}
		asked++
		return enginepage.Answer{Question: q, Sections: []enginepage.Section{{Title: txt("log of agent"), Rows: []enginepage.Row{{Cells: []enginepage.Cell{{Text: txt("line %d", asked)}}}}}}}
	}
	first := press(m, "L")
	press(m, "esc")
	second := press(m, "L")
	if _, again := m.Update(first()); again != nil {
		t.Error("the log that was closed is read again")
	}
	if _, again := m.Update(second()); again == nil {
		t.Error("the open log is not read again")
	}
	shows(t, m, "controller log of "+run.Title().String())
	shows(t, m, "line 2")
	if _, cmd := m.Update(textDueMsg{n: 1}); cmd != nil {
		t.Error("asks for the log that was closed")
	}
	_, cmd := m.Update(textDueMsg{n: 2})
	if cmd == nil {
		t.Fatal("does not ask again")
	}
	m.Update(cmd())
	shows(t, m, "line 3")
	press(m, "esc")
	if _, cmd := m.Update(textDueMsg{n: 2}); cmd != nil || m.mode != modeBrowse {
		t.Error("asks after it was closed")
	}
	if m.sheet() != nil {
		t.Error("esc does not lead back")
	}
}
