package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"charm.land/lipgloss/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// The smallest terminal on which the screen makes sense.
const (
	leastWidth  = 40
	leastHeight = 12
)

// View joins what the components draw. It changes nothing but caches.
func (m *Model) View() tea.View {
	v := tea.NewView(strings.Join(m.lines(), "\n"))
	v.AltScreen, v.Cursor = true, m.cursor()
	v.WindowTitle = m.head.Title()
	v.ProgressBar = m.notify.Progress(m.openedRun())
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// openedRun is the run that is open; nil on the list.
func (m *Model) openedRun() *engine.RunView {
	if m.screen != screenRun {
		return nil
	}
	return m.run.Run()
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
	out := append(m.head.Lines(w, m.runs.Counts(), m.placeLine()), cell.Pad(strings.Split(m.body(), "\n"), m.bodyHeight())...)
	return append(out, m.answerLine(), m.bar.View())
}

// placeLine says what is shown: the scope of the list, or the way to the run or page.
func (m *Model) placeLine() string {
	r := cell.NewRow(m.scene.Theme, m.look.w, theme.Plain).To(1)
	if l := m.layout(); l.On() || len(m.stack) == 0 {
		m.runs.Place(r)
	} else {
		m.stack.Place(r, m.scene)
	}
	return r.String()
}

// body draws what is between the header and the foot. A dialog or the list of commands
// lies over the rest, which recedes; not while themes are listed, which it shows.
func (m *Model) body() string {
	over, x, y := "", 0, 0
	switch m.mode {
	case modeDialog:
		x, y = m.dialog.Position()
		// A blank margin keeps the frame off what lies behind it.
		over = lipgloss.NewStyle().Padding(0, margin).Render(m.dialog.View())
		x -= margin
	case modeCommand:
		over, y = m.commandView(), m.commandTop()
	case modeBrowse, modeFilter, modePage:
	}
	behind := m.covered()
	if over == "" {
		return behind
	}
	_, themes := m.previews()
	return m.layers.Compose(m.scene.Theme, behind, over, x, y, !themes)
}

// margin is the blank on both sides of a dialog.
const margin = 2

// covered draws what a dialog and the list of commands lie over.
func (m *Model) covered() string {
	if l := m.layout(); l.On() {
		return m.panesView(&l)
	}
	switch {
	case m.readsText():
		return m.text().View(m.look.w, m.bodyHeight())
	case m.sheet() != nil:
		return strings.Join(m.withChanges(m.sheetLines(), false), "\n")
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
		out = append(out, cell.NewRow(m.scene.Theme, m.look.w, theme.Plain).Put(theme.Text, l).String())
	}
	return out
}

// bodyHeight is the height between the header and the foot.
func (m *Model) bodyHeight() int { return max(2, m.look.h-headRows-footRows) }
