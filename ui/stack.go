package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/ui/run"
	"github.com/stagewatch/stagewatch/ui/stack"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// push covers what is on the screen. Nothing below it changes, the cursor of the
// list included, so pop returns to exactly that.
func (m *Model) push(l stack.Level) {
	if len(m.stack) == 0 {
		m.home = m.runs.Selected()
		m.runs.Hold()
	}
	m.stack = m.stack.Push(l)
	m.settleStack()
}

// pop returns to the level below.
func (m *Model) pop() tea.Cmd {
	if len(m.stack) == 0 {
		return nil
	}
	m.stack = m.stack[:len(m.stack)-1]
	return m.land()
}

// land shows the level on top, or the list. A level whose run was deleted in the
// meantime is skipped, and a note says so.
func (m *Model) land() tea.Cmd {
	var gone engine.ID
	for n := len(m.stack); n > 0; n-- {
		id := m.stack[n-1].About()
		if !m.deleted(id) {
			break
		}
		gone, m.stack = id, m.stack[:n-1]
	}
	m.settleStack()
	if !gone.IsZero() {
		m.scene.Say(theme.Wait, engine.Textf("%s %s was deleted; its page is closed.", gone.Kind().Short(), gone.Title()))
	}
	if len(m.stack) == 0 {
		m.landHome()
	}
	m.run.Uncover()
	return m.ask(m.sheet())
}

// clearStack shows the list of runs.
func (m *Model) clearStack() {
	if len(m.stack) > 0 {
		m.stack = nil
		m.settleStack()
		m.landHome()
	}
}

// dropSheets returns to the run or list that the pages on top were opened from.
func (m *Model) dropSheets() tea.Cmd {
	var cmd tea.Cmd // that of the last level: the others are gone
	for m.sheet() != nil {
		cmd = m.pop()
	}
	return cmd
}

// settleStack derives which screen and run the keys are about: the run nearest to the top.
func (m *Model) settleStack() {
	m.screen, m.run = screenRuns, &run.Pane{}
	if r := m.stack.Run(); r != nil {
		m.screen, m.run = screenRun, r
	}
}

// landHome says so when the row that the list was left on is not listed anymore:
// the cursor is on another run, and the next key acts on that.
func (m *Model) landHome() {
	m.arrangeRuns()
	v := m.runs.Current()
	if m.home.IsZero() || v == nil || v.ID == m.home {
		return
	}
	why := engine.Lit("is no longer listed")
	switch {
	case m.deleted(m.home):
		why = engine.Lit("was deleted")
	case m.scene.Find(m.home) != nil:
		why = engine.Lit("no longer matches the filter")
	}
	m.scene.Say(theme.Wait, engine.Textf("%s %s: the cursor is on %s now.", m.home.Title(), why, column.Title(v)))
}

// deleted reports whether the hub is known to have no such run.
func (m *Model) deleted(id engine.ID) bool {
	return !id.IsZero() && engine.IsRun(id.Kind()) && m.scene.Snap != nil && m.scene.Of(id).Complete && m.scene.Find(id) == nil
}
