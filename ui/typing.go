package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/keymap"
)

// typing is the filter or the search as it is typed.
func (m *Model) typing() string {
	switch {
	case m.readsText():
		return m.page.Search()
	case m.screen == screenRun:
		return m.run.Filter()
	}
	return m.runs.Filter()
}

func (m *Model) setFilter(s string) {
	switch {
	case m.readsText():
		m.page.SetSearch(s)
	case m.screen == screenRun:
		m.run.SetFilter(s)
	default:
		m.runs.SetFilter(s)
	}
}

func (m *Model) startFilter() {
	m.over, m.mode = m.mode, modeFilter
	m.input.Set(m.typing())
}

func (m *Model) dropFilter() {
	m.setFilter("")
	m.mode = m.over
}

func (m *Model) onFilterKey(k tea.KeyPressMsg, a keymap.Action) {
	switch a {
	case keymap.FilterKeep:
		m.mode = m.over
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
