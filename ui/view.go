package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// The smallest terminal on which the screen makes sense.
const (
	leastWidth  = 40
	leastHeight = 12
)

// View joins what the components draw. It changes nothing.
func (m *Model) View() tea.View {
	v := tea.NewView(strings.Join(m.lines(), "\n"))
	v.AltScreen, v.Cursor = true, m.cursor()
	v.WindowTitle = m.head.Title()
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// lines returns the rows of the screen, exactly as many as it is high.
func (m *Model) lines() []string {
	w, h := m.look.w, m.look.h
	if w <= 0 || h <= 0 {
		return nil
	}
	if w < leastWidth || h < leastHeight {
		return m.tooSmall()
	}
	body := cell.Pad(strings.Split(m.body(), "\n"), m.bodyHeight())
	if m.mode == modeCommand {
		m.commandView(body)
	}
	out := append(m.head.Lines(w, m.runs.Counts(), m.placeLine()), body...)
	return append(out, m.answerLine(), m.bar.View())
}

// body draws what is between the header and the foot.
func (m *Model) body() string {
	switch {
	case m.mode == modePage || m.mode == modeCommand && m.command.over == modePage:
		return m.page.View(m.look.w, m.pageHeight())
	case m.mode == modeDialog:
		return m.dialogView()
	case m.sheet() != nil:
		return strings.Join(m.sheet().View(), "\n")
	case m.screen == screenRun && m.scene.Snap != nil:
		return m.run.View()
	}
	return m.runs.View()
}

// tooSmall says what is missing, in as many rows as there are.
func (m *Model) tooSmall() []string {
	var out []string
	s := engine.Textf("stagewatch needs %d columns and %d rows; this terminal has %d x %d.", leastWidth, leastHeight, m.look.w, m.look.h)
	for _, l := range cell.WrapString(m.scene.Theme, cell.Text(m.scene.Theme, s), m.look.w, m.look.h) {
		if len(out) < m.look.h {
			out = append(out, cell.NewRow(m.scene.Theme, m.look.w, theme.Plain).Put(theme.Text, l).String())
		}
	}
	return out
}

// dialogView draws the dialog in the middle of the body.
func (m *Model) dialogView() string {
	x, y := m.dialog.Position()
	left := strings.Repeat(" ", x)
	return strings.Repeat("\n", y) + left + strings.ReplaceAll(m.dialog.View(), "\n", "\n"+left)
}

// bodyHeight is the height between the header and the foot.
func (m *Model) bodyHeight() int { return m.look.h - headRows - footRows }
