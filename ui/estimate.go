package ui

import tea "charm.land/bubbletea/v2"

// lookAhead asks when the opened run completes, while it is on the screen.
func (m *Model) lookAhead() tea.Cmd {
	if m.screen != screenRun || m.mode != modeBrowse || m.sheet() != nil {
		return nil
	}
	return m.run.Forecast()
}
