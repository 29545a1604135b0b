package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/panes"
)

// compared is the comparison of snapshots that belongs below what is on the screen: that of the
// run in its pane, or of the run or snapshot under the cursor of a page; nil for none.
func (m *Model) compared() enginepage.Question {
	if m.scene.Snap == nil || m.look.w < panes.TwoFrom || m.readsText() {
		return nil
	}
	var run engine.ID
	l, s := m.layout(), m.sheet()
	switch {
	case l.On():
		run = m.shownRun().ID()
	case s == nil || !s.IsLoaded():
		return nil
	default:
		if _, ok := s.Question().(enginepage.SnapshotsQuestion); ok {
			return nil
		}
		if r := s.Row(); r != nil {
			if q, ok := r.Page.(enginepage.SnapshotsQuestion); ok {
				return q
			}
		}
		run = m.subject().Run
	}
	v := m.scene.Named(run)
	if v == nil {
		return nil
	}
	q, ok := enginepage.ChangesOf(v, m.scene.Snap.Detail)
	if !ok {
		return nil
	}
	return q
}

// changesRestMsg says that what would be compared may have been the same for a while.
type changesRestMsg struct{ step int }

// settleChanges starts the time after which two snapshots are compared.
func (m *Model) settleChanges() tea.Cmd {
	w, h := m.look.w, m.bodyHeight()
	l := m.layout()
	if l.On() {
		w, h = l.Inner(panes.Run)
	}
	step, changed := m.changes.Settle(m.compared(), w, h)
	m.changes.Arrange(m.scene.Theme, m.scene.HubNow())
	if !changed {
		return nil
	}
	return m.after(panes.RestAfter, func(time.Time) tea.Msg { return changesRestMsg{step} })
}

// onChangesRest asks for the comparison where the screen has room for it.
func (m *Model) onChangesRest(msg changesRestMsg) tea.Cmd {
	s := m.changes.Rest(msg.step)
	if s == nil {
		return nil
	}
	l := m.layout()
	var lines []string
	if l.On() {
		lines = strings.Split(m.shownRun().View(), "\n")
	} else if m.sheet() != nil {
		lines = m.sheetLines()
	}
	if !m.changes.Fits(lines) {
		return nil
	}
	return m.ask(s)
}

// sheetLines are the lines of the page on the screen, with the run that it is about.
func (m *Model) sheetLines() []string {
	return panes.WithRun(m.scene, m.sheet(), m.scene.Named(m.subject().Run), m.look.w, m.bodyHeight())
}

// withChanges writes what two snapshots have of difference below lines, where there is room.
func (m *Model) withChanges(lines []string, pane bool) []string {
	return m.changes.Below(m.scene.Theme, lines, pane)
}
