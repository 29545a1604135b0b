package ui

import (
	"time"

	"charm.land/bubbles/v2/spinner"
	tea "charm.land/bubbletea/v2"
)

// spinnerRest is the time between two frames of the spinner.
const spinnerRest = 250 * time.Millisecond

// loading reports whether the screen waits for data that a person asked for.
func (m *Model) loading() bool {
	switch s := m.sheet(); {
	case m.mode == modeDialog:
		return m.dialog.Waits()
	case m.mode == modePage:
		return m.page.Waits()
	case s != nil:
		return !s.IsLoaded() && s.Err().IsZero()
	case m.screen == screenRun:
		return m.run.Run() == nil && !m.run.Gone()
	}
	return m.scene.Snap == nil || !m.scene.Snap.Complete
}

// load tells one load from the next.
type load struct {
	n      int // grows while nothing loads
	ticked int // n at the last tick of the clock at which something loaded
}

// noteLoad notes after each message whether something loads.
func (m *Model) noteLoad() {
	if !m.loading() {
		m.load.n++
	}
}

// spin starts the spinner at a tick of the clock when the same load lasts since the
// tick before: what loads within a moment does not flicker.
func (m *Model) spin() tea.Cmd {
	if !m.loading() || m.scene.Spinner != "" {
		return nil
	}
	if before := m.load.ticked; before != m.load.n {
		m.load.ticked = m.load.n
		return nil
	}
	m.spinner = spinner.New(spinner.WithSpinner(spinner.Spinner{Frames: m.scene.Theme.Glyph.Spinner, FPS: spinnerRest}))
	m.scene.Spinner = m.spinner.View()
	return m.spinner.Tick
}

// onSpin turns the spinner while something loads, and ends it after.
func (m *Model) onSpin(msg spinner.TickMsg) tea.Cmd {
	if !m.loading() {
		m.scene.Spinner = ""
		return nil
	}
	var cmd tea.Cmd
	m.spinner, cmd = m.spinner.Update(msg)
	m.scene.Spinner = m.spinner.View()
	return cmd
}
