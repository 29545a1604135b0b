package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// wheelLines is how far one notch of the wheel scrolls.
const wheelLines = 3

// toggleMouse takes the mouse or gives it back. While it is taken the terminal
// does not select text, unless shift is held.
func (m *Model) toggleMouse() {
	m.mouse = !m.mouse
	if m.mouse {
		m.scene.Say(theme.Text, engine.Lit("The mouse is on: a click selects, another opens, the wheel scrolls. Text is selected with shift held, or after %."))
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
	m.abort = false
	y, named := c.Y-headRows, keymap.None
	if c.Y == m.look.h-1 {
		named = m.bar.Hit(c.X)
	}
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
		m.mode = modeBrowse
	}
	m.scene.Quiet()
	switch {
	case named != keymap.None:
		return m.do(named)
	case y < 0 || y >= m.bodyHeight() || m.mode == modePage || m.scene.Snap == nil:
	case m.sheet() != nil:
		p := m.sheet()
		switch key := p.Hit(c.X, y); {
		case key.IsZero():
		case p.Selected() == key:
			return m.do(keymap.Open)
		default:
			p.Select(key)
		}
	case m.screen == screenRun:
		if m.run.Click(c.X, y) {
			return m.do(keymap.Open)
		}
	default:
		switch id := m.runs.Hit(y); {
		case id.IsZero():
		case m.runs.Held() && m.runs.Selected() == id:
			return m.do(keymap.Open)
		default:
			m.runs.Pick(id)
		}
	}
	return nil
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
		m.page.Scroll(d)
	case m.sheet() != nil:
		m.sheet().Scroll(d)
	case m.screen == screenRun:
		m.run.Scroll(d)
	default:
		m.runs.Scroll(d)
	}
}
