package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/panes"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// wheelLines is how far one notch of the wheel scrolls.
const wheelLines = 3

// toggleMouse takes the mouse or gives it back. While it is taken the terminal
// does not select text, unless shift is held.
func (m *Model) toggleMouse() {
	if m.mouse = !m.mouse; m.mouse {
		m.scene.Say(theme.Text, engine.Lit("The mouse is on: a click selects, another opens, the wheel scrolls. Text is selected with shift held, or after {mouse}."))
		return
	}
	m.scene.Say(theme.Text, engine.Lit("The mouse is off: the terminal selects text with it."))
}

// onClick selects what was clicked on, opens it when it was selected already, or does
// what a key that is named does, guard and dialog included.
func (m *Model) onClick(c tea.Mouse) tea.Cmd {
	if !m.mouse || c.Button != tea.MouseLeft {
		return nil
	}
	y, named := c.Y-headRows, keymap.None
	if c.Y == m.look.h-1 {
		named = m.bar.Hit(c.X)
	}
	m.abort = m.abort && (named == keymap.Quit || named == keymap.Command || m.mode == modeCommand)
	switch {
	case m.mode == modeDialog:
		c.Y = y
		return m.toDialog(tea.MouseClickMsg(c))
	case m.mode == modeCommand:
		return m.onCommandClick(y, named)
	case m.mode == modeFilter && named != keymap.None:
		m.onFilterKey(tea.KeyPressMsg{}, named)
		return nil
	case m.mode == modeFilter:
		m.mode = m.over
	}
	m.scene.Quiet()
	switch {
	case named != keymap.None:
		return m.do(named)
	case y < 0 || y >= m.bodyHeight() || m.mode == modePage || m.scene.Snap == nil:
		return nil
	}
	p, x, l := m.focused(), c.X, m.layout()
	if l.On() {
		p, x, y = l.Hit(c.X, y)
	}
	if l.On() && p != l.Focus {
		cmd := m.focusOn(p)
		m.pick(p, x, y)
		return cmd
	}
	if m.pick(p, x, y) {
		return m.do(keymap.Open)
	}
	return nil
}

// pick selects what is at a cell of a pane, or of what fills the screen in its place; it
// reports whether that was selected already.
func (m *Model) pick(p panes.Pane, x, y int) (again bool) {
	switch s := m.sheet(); {
	case p == panes.Diagnosis && s != nil:
		key := s.Hit(x, y)
		if again = !key.IsZero() && s.Selected() == key; !key.IsZero() {
			s.Select(key)
		}
	case p == panes.Run && m.screen == screenRun:
		again = m.run.Click(x, y)
	case p == panes.List && m.runs.HeadAt(x, y) != "":
		m.runs.Turn(m.runs.HeadAt(x, y))
	case p == panes.List:
		id := m.runs.Hit(y)
		if again = !id.IsZero() && m.runs.Held() && m.runs.Selected() == id; !id.IsZero() {
			m.runs.Pick(id)
		}
	}
	return again
}

// onCommandClick chooses a command, or does the chosen one.
func (m *Model) onCommandClick(y int, named keymap.Action) tea.Cmd {
	if named != keymap.None {
		return m.onCommandKey(tea.KeyPressMsg{}, named)
	}
	switch n := m.command.Hit(y-m.commandTop(), m.bodyHeight()); {
	case n < 0:
	case n == m.command.At():
		return m.runCommand()
	default:
		m.command.Choose(n)
	}
	return nil
}

// onWheel scrolls what fills the screen.
func (m *Model) onWheel(c tea.Mouse) {
	d := wheelLines
	switch c.Button {
	case tea.MouseWheelUp:
		d = -d
	case tea.MouseWheelDown:
	default:
		return
	}
	switch {
	case !m.mouse || m.scene.Snap == nil:
	case m.mode == modeDialog:
		m.dialog.Update(tea.MouseWheelMsg(c))
	case m.mode == modeCommand:
		m.command.Choose(m.command.At() + d/wheelLines)
	case m.mode == modePage:
		m.text().Scroll(d)
	default:
		p, x, y := m.focused(), c.X, c.Y-headRows
		if l := m.layout(); l.On() {
			p, x, y = l.Hit(x, y)
		}
		m.scrollIn(p, x, y, d)
	}
}

// scrollIn scrolls what is at a cell of a pane, or of what fills the screen in its place.
func (m *Model) scrollIn(p panes.Pane, x, y, lines int) {
	switch s := m.sheet(); {
	case p == panes.List:
		m.runs.Scroll(lines)
	case p == panes.Run:
		m.shownRun().Scroll(lines)
	case s != nil:
		s.Wheel(x, y, lines)
	case m.panes.Why() != nil:
		m.panes.Why().Scroll(lines)
	}
}
