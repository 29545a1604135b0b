package ui

import (
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// typedLimit is the most characters a filter or a note takes.
const typedLimit = 300

// typed returns s changed by a key: characters are added, backspace takes one
// away, ctrl-u and ctrl-w more.
func typed(s string, k tea.KeyPressMsg) string {
	switch k.String() {
	case "backspace", "ctrl+h":
		_, n := utf8.DecodeLastRuneInString(s)
		return s[:len(s)-n]
	case "ctrl+u":
		return ""
	case "ctrl+w":
		i := len(s)
		for i > 0 && s[i-1] == ' ' {
			i--
		}
		for i > 0 && s[i-1] != ' ' {
			i--
		}
		return s[:i]
	}
	if k.Text != "" && len(s)+len(k.Text) <= typedLimit {
		return s + engine.Clean(k.Text).String()
	}
	return s
}

// pasted is what a paste adds to a line: one line, cleaned, no more than fits.
func pasted(s, content string) string {
	lines := engine.Lines(content)
	if len(lines) == 0 || len(s)+len(lines[0].String()) > typedLimit {
		return s
	}
	return s + lines[0].String()
}

// typing is the filter as it is typed.
func (m *Model) typing() string {
	if m.screen == screenRun {
		return m.run.filter.text
	}
	return m.runs.filter.text
}

func (m *Model) setFilter(s string) {
	if m.screen == screenRun {
		m.run.filter = newFilter(s)
		return
	}
	m.runs.filter = newFilter(s)
}

func (m *Model) startFilter() { m.mode = modeFilter }

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
		m.setFilter(typed(m.typing(), k))
	}
}

// nextMatch moves among the rows that the filter lists.
func (m *Model) nextMatch(d int) {
	if m.screen == screenRun {
		if !m.run.filter.on() {
			m.say(theme.Sub, engine.Lit("No filter is set: / starts one."))
		} else if !m.seekCluster(d, func(*engine.ClusterView) bool { return true }) {
			m.say(theme.Sub, engine.Lit("No matches in this run."))
		}
		return
	}
	if !m.runs.filter.on() {
		m.say(theme.Sub, engine.Lit("No filter is set: / starts one."))
		return
	}
	m.runs.list.seek(d, func(engine.ID) bool { return true })
}

// onPaste takes pasted text where text is typed, and nowhere else: it presses
// no key and confirms nothing.
func (m *Model) onPaste(p tea.PasteMsg) {
	switch m.mode {
	case modeFilter:
		m.setFilter(pasted(m.typing(), p.Content))
	case modeDialog:
		m.dialog.paste(p.Content)
	case modeCommand:
		m.typeCommand(pasted(m.command.text, p.Content))
	case modeBrowse, modePage:
	}
}
