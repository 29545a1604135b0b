package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/field"
)

// filtered is what / types into.
func (m *Model) filtered() field.Filtered {
	switch {
	case m.readsText():
		return m.text()
	case m.sheet() != nil:
		return m.sheet()
	case m.screen == screenRun:
		return m.run
	}
	return m.runs
}

func (m *Model) startFilter() {
	m.over, m.mode = m.mode, modeFilter
	m.input.Open(m.filtered(), m.readsText() || m.sheet() != nil)
}

// dropFilter ends the field as if nothing had been typed.
func (m *Model) dropFilter() {
	m.input.Cancel()
	m.mode = m.over
}

func (m *Model) onFilterKey(k tea.KeyPressMsg, a keymap.Action) {
	switch a {
	case keymap.FilterKeep:
		m.input.Keep()
		m.mode = m.over
	case keymap.FilterDrop:
		m.dropFilter()
	default:
		m.input.Type(k, a == keymap.FilterOlder, a == keymap.FilterNewer)
	}
}

// onPaste takes pasted text where text is typed, and nowhere else: it presses
// no key and confirms nothing.
func (m *Model) onPaste(p tea.PasteMsg) {
	switch m.mode {
	case modeFilter:
		m.input.Paste(p.Content)
	case modeDialog:
		m.dialog.Update(p)
	case modeCommand:
		m.command.Paste(p.Content)
	case modeBrowse, modePage:
	}
}
