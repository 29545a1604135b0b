package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/help"
	"github.com/stagewatch/stagewatch/ui/sheets"
	"github.com/stagewatch/stagewatch/ui/viewer"
)

func (m *Model) onPageKey(a keymap.Action) tea.Cmd {
	switch {
	case m.text().Update(a):
	case a == keymap.Copy:
		return m.copyPage()
	case a == keymap.Search:
		m.startFilter()
	case a == keymap.Back && m.text().Leave():
	case a == keymap.Help && !m.helping:
		m.openHelp()
	case a == keymap.Back, a == keymap.Quit, a == keymap.Help:
		m.closeText()
	}
	return nil
}

// yamlOf asks for an object as the hub stores it.
func (m *Model) yamlOf(id engine.ID) tea.Cmd {
	if id.IsZero() {
		return nil
	}
	return m.readText(engine.Textf("YAML of %s %s", id.Kind().Short(), id.Title()), enginepage.YAMLQuestion{Object: id})
}

// readText asks for a text and shows it over the screen.
func (m *Model) readText(title engine.Text, q enginepage.Question) tea.Cmd {
	m.mode, m.helping = modePage, false
	m.page.Wait(title, q)
	m.texts++
	return m.askText(q)
}

func (m *Model) askText(q enginepage.Question) tea.Cmd {
	ctx, src, n := m.ctx, m.src, m.texts
	return func() tea.Msg {
		a := src.Ask(ctx, q)
		if ctx.Err() != nil {
			return nil
		}
		return answeredMsg{n: n, answer: a}
	}
}

// onText takes the answer of a text, and asks again later when its page is one that is renewed.
func (m *Model) onText(msg answeredMsg) tea.Cmd {
	if !m.page.Answer(msg.answer) || msg.n != m.texts || sheets.Of(msg.answer.Question) == nil || msg.answer.LoginFailed {
		return nil
	}
	return m.after(sheets.Every, func(time.Time) tea.Msg { return textDueMsg{msg.n} })
}

// onTextDue asks again while the text is on the screen.
func (m *Model) onTextDue(msg textDueMsg) tea.Cmd {
	q := m.page.Question()
	if !m.readsText() || msg.n != m.texts || q == nil {
		return nil
	}
	return m.askText(q)
}

// readsText reports whether a text covers the screen.
func (m *Model) readsText() bool {
	return m.mode == modePage || (m.mode == modeCommand || m.mode == modeFilter) && m.over == modePage
}

// text is what covers the screen: the help, or what was read.
func (m *Model) text() *viewer.Viewer {
	if m.helping {
		return &m.help
	}
	return &m.page
}

// closeText returns to what the text covers: the help may cover another text.
func (m *Model) closeText() {
	if !m.helping || m.helpFor != keymap.ScopePage {
		m.mode = modeBrowse
	}
	m.helping = false
}

// openHelp shows every key of the keymap, the words and the marks.
func (m *Model) openHelp() {
	m.helpFor = m.scope()
	m.showHelp()
}

// showHelp makes the help page for the scope that it was opened in.
func (m *Model) showHelp() {
	p := help.Page{Theme: m.scene.Theme, Width: m.look.w, Keys: m.keys, Here: m.helpFor, Idle: m.idleHere}
	m.help.Show(engine.Textf("help for the %s", p.Here), p.Lines())
	m.mode, m.helping = modePage, true
}

// idleHere reports whether a key does nothing at the moment, and for an act why.
func (m *Model) idleHere(e keymap.Entry) (why engine.Text, idle bool) {
	if e.Writes && m.scene.Snap != nil && !m.guard.can[writers[e.Action]] {
		return m.refusalOf(e).Why, true
	}
	return engine.Text{}, m.idle(e.Action)
}

// loading reports whether the screen waits for data that a person asked for.
func (m *Model) loading() bool {
	switch s := m.sheet(); {
	case m.mode == modeDialog:
		return m.dialog.Waits()
	case m.mode == modePage:
		return m.text().Waits()
	case s != nil:
		return !s.IsLoaded() && s.Err().IsZero()
	case m.screen == screenRun:
		return m.run.Run() == nil && !m.run.Gone()
	}
	return m.scene.Snap == nil || !m.scene.Snap.Complete
}

// lookAhead asks when the opened run completes, while it is on the screen.
func (m *Model) lookAhead() tea.Cmd {
	if m.screen != screenRun || m.mode != modeBrowse || m.sheet() != nil {
		return nil
	}
	return m.run.Forecast()
}
