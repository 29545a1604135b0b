package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/filter"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// typing is the filter as it is typed.
func (m *Model) typing() string {
	if m.screen == screenRun {
		return m.run.filter.Text
	}
	return m.runs.filter.Text
}

func (m *Model) setFilter(s string) {
	if m.screen == screenRun {
		m.run.filter = filter.New(s)
		return
	}
	m.runs.filter = filter.New(s)
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

// nextMatch moves among the rows that the filter lists.
func (m *Model) nextMatch(d int) {
	if m.screen == screenRun {
		if !m.run.filter.On() {
			m.scene.Say(theme.Sub, engine.Lit("No filter is set: / starts one."))
		} else if !m.seekCluster(d, func(*engine.ClusterView) bool { return true }) {
			m.scene.Say(theme.Sub, engine.Lit("No matches in this run."))
		}
		return
	}
	if !m.runs.filter.On() {
		m.scene.Say(theme.Sub, engine.Lit("No filter is set: / starts one."))
		return
	}
	m.runs.list.Seek(d, func(engine.ID) bool { return true })
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
