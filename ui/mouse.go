package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// wheelLines is how far one notch of the wheel scrolls.
const wheelLines = 3

// spotKind is what stands at a place of the screen.
type spotKind uint8

const (
	spotNone    spotKind = iota
	spotRun              // a row of the list: id
	spotStage            // the boxes of the stages
	spotCluster          // a row of the opened run: key
	spotRow              // the rows of a page
	spotAction           // a key that is named: action
	spotCommand          // a command that is listed: n
)

// spot is a stretch of a row of the screen and what stands there. It names the
// thing, not its place: what was clicked on is what was drawn, whatever has
// been sorted since.
type spot struct {
	y, from, to int // from column, to before column
	bottom      int // before this row; 0 for one row
	kind        spotKind
	n           int
	id          engine.ID
	key         engine.Text
	action      keymap.Action
}

// note remembers what stands where, while the mouse is listened to.
func (m *Model) note(s spot) {
	if m.mouse {
		m.spots = append(m.spots, s)
	}
}

// spotAt finds what stands at a cell.
func (m *Model) spotAt(x, y int) spot {
	for _, s := range m.spots {
		if y >= s.y && y < max(s.bottom, s.y+1) && x >= s.from && x < s.to {
			return s
		}
	}
	return spot{}
}

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

// onClick selects what was clicked on, opens it when it was selected already,
// or does what a key that is named does, guard and dialog included.
func (m *Model) onClick(c tea.Mouse) tea.Cmd {
	if !m.mouse || c.Button != tea.MouseLeft {
		return nil
	}
	m.abort = false
	s := m.spotAt(c.X, c.Y)
	switch {
	case m.mode == modeDialog:
		c.Y -= headRows
		return m.toDialog(tea.MouseClickMsg(c))
	case m.mode == modeCommand:
		return m.onCommandClick(s)
	case m.mode == modeFilter && s.kind == spotAction:
		m.onFilterKey(tea.KeyPressMsg{}, s.action)
		return nil
	case m.mode == modeFilter:
		m.mode = modeBrowse
	}
	m.scene.Quiet()
	switch s.kind {
	case spotRun:
		if l := &m.runs.list; l.Held && l.Sel == s.id {
			return m.do(keymap.Open)
		}
		m.runs.list.Pick(s.id)
	case spotStage:
		if i := m.stageBoxes(m.run.view, m.run.stage, true, 0).Hit(c.X, m.look.w); i >= 0 {
			m.run.chosen = true
			m.chooseStage(i)
		}
	case spotCluster:
		if l := &m.run.list; l.Held && l.Sel == s.key {
			return m.do(keymap.Open)
		}
		m.run.chosen = true
		m.run.list.Pick(s.key)
	case spotRow:
		p := m.sheet()
		if p == nil {
			return nil
		}
		key := p.Hit(c.X, c.Y-s.y)
		switch {
		case key.IsZero():
		case p.Selected == key:
			return m.do(keymap.Open)
		default:
			p.Selected = key
		}
	case spotAction:
		return m.do(s.action)
	default:
	}
	return nil
}

// onCommandClick chooses a command, or does the chosen one.
func (m *Model) onCommandClick(s spot) tea.Cmd {
	switch {
	case s.kind == spotAction:
		return m.onCommandKey(tea.KeyPressMsg{}, s.action)
	case s.kind != spotCommand:
	case m.command.At() == s.n:
		return m.runCommand()
	default:
		m.command.Choose(s.n)
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
		m.run.chosen = true
		m.run.list.By(d)
	default:
		m.runs.list.By(d)
	}
}
