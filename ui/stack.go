package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/ui/page"
	"github.com/stagewatch/stagewatch/ui/run"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// levelsMost is how many entries the navigation stack holds; beyond that the
// lowest one is dropped.
const levelsMost = 24

// level is one entry of the navigation stack above the list of runs: an opened
// run or a page, with its own cursor and scroll. Exactly one of both is set.
type level struct {
	run   *run.Pane
	sheet *page.Page
}

// about returns the object without which the level has nothing to show.
func (l *level) about() engine.ID {
	if l.run != nil {
		return l.run.ID()
	}
	if l.sheet.Subject().Run.IsZero() {
		return l.sheet.Subject().Placement
	}
	return l.sheet.Subject().Run
}

// push covers what is on the screen. Nothing below it changes, the cursor of the
// list included, so pop returns to exactly that.
func (m *Model) push(l level) {
	if len(m.stack) == 0 {
		m.home = m.runs.Selected()
		m.runs.Hold()
	}
	if len(m.stack) == levelsMost {
		m.stack = m.stack[1:]
	}
	m.stack = append(m.stack[:len(m.stack):len(m.stack)], l)
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
		id := m.stack[n-1].about()
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
	return m.askSheet()
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

// settleStack derives which screen and run the keys are about: the run nearest
// to the top.
func (m *Model) settleStack() {
	m.screen, m.run = screenRuns, &run.Pane{}
	for i := range m.stack {
		if r := m.stack[i].run; r != nil {
			m.screen, m.run = screenRun, r
		}
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

// sheets returns the pages above the run or list that they were opened from.
func (m *Model) sheets() []level {
	i := len(m.stack)
	for i > 0 && m.stack[i-1].sheet != nil {
		i--
	}
	return m.stack[i:]
}
