package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
)

// filtered is what / types into: a list, or a text that is searched.
type filtered interface {
	Filter() string
	SetFilter(s string)
	FilterErr() engine.Text
	FilterHelp() engine.Text
}

func (m *Model) filtered() filtered {
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
	m.input.Open(m.filtered().Filter(), m.readsText() || m.sheet() != nil)
}

// dropFilter ends the field with the filter that applied before.
func (m *Model) dropFilter() {
	m.filtered().SetFilter(m.input.Before())
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
		if m.input.Type(k, a == keymap.FilterOlder, a == keymap.FilterNewer) {
			m.filtered().SetFilter(m.input.Value())
		}
	}
}

// onPaste takes pasted text where text is typed, and nowhere else: it presses
// no key and confirms nothing.
func (m *Model) onPaste(p tea.PasteMsg) {
	switch m.mode {
	case modeFilter:
		if m.input.Paste(p.Content) {
			m.filtered().SetFilter(m.input.Value())
		}
	case modeDialog:
		m.dialog.Update(p)
	case modeCommand:
		m.command.Paste(p.Content)
	case modeBrowse, modePage:
	}
}
