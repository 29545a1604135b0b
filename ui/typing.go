package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/keymap"
)

// typing is the filter as it is typed.
func (m *Model) typing() string {
	if m.screen == screenRun {
		return m.run.Filter()
	}
	return m.runs.Filter()
}

func (m *Model) setFilter(s string) {
	if m.screen == screenRun {
		m.run.SetFilter(s)
		return
	}
	m.runs.SetFilter(s)
}

func (m *Model) startFilter() {
	m.mode = modeFilter
	m.input.Set(m.typing())
}

func (m *Model) dropFilter() {
	m.setFilter("")
	m.mode = modeBrowse
}

func (m *Model) onFilterKey(k tea.KeyPressMsg, a keymap.Action) {
	switch a {
	case keymap.FilterKeep:
		m.mode = modeBrowse
	case keymap.FilterDrop:
		m.dropFilter()
	default:
		m.input.Update(k)
		m.setFilter(m.input.Value())
	}
}

// onPaste takes pasted text where text is typed, and nowhere else: it presses
// no key and confirms nothing.
func (m *Model) onPaste(p tea.PasteMsg) {
	switch m.mode {
	case modeFilter:
		m.input.Paste(p.Content)
		m.setFilter(m.input.Value())
	case modeDialog:
		m.dialog.Update(p)
	case modeCommand:
		m.command.Paste(p.Content)
	case modeBrowse, modePage:
	}
}
