package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/notify"
	"github.com/stagewatch/stagewatch/ui/palette"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// Change is what the screen uses of a configuration.
type Change struct {
	// Theme is one of stagewatch or of Themes; empty is the default.
	Theme  string
	Themes []OwnTheme
	// Mouse handles clicks and the wheel. The terminal selects no text then.
	Mouse bool
	// Notify is how notifications reach a person.
	Notify notify.Means
	// Views are those of :view and the digits.
	Views []View
	// Columns are those of the list; none for those that fit.
	Columns []column.Column
	// Keys are the keys of the screen; the zero Map is the default one.
	Keys keymap.Map
	// Later are changed keys that apply at the next start; Err says why a changed file is not
	// used.
	Later []engine.Text
	Err   engine.Text
}

// changedMsg is a change of the configuration.
type changedMsg struct{ change Change }

// waitChange waits for the next change; it is given out once at the start and once with each
// change.
func (m *Model) waitChange() tea.Cmd {
	if m.opt.Changes == nil {
		return nil
	}
	ctx, next := m.ctx, m.opt.Changes
	return func() tea.Msg {
		if c, ok := next(ctx); ok {
			return changedMsg{c}
		}
		return nil
	}
}

// onChange applies a change. What a person has chosen on the screen stays, unless its key was
// changed.
func (m *Model) onChange(c Change) tea.Cmd {
	if !c.Err.IsZero() {
		m.scene.Say(theme.Bad, engine.Textf("Configuration not applied: %s", c.Err))
		return m.waitChange()
	}
	was := m.opt.Change
	m.opt.Change = c
	if c.Theme != was.Theme {
		m.theme = c.Theme
	}
	m.rebind(c.Keys.OrDefault())
	if c.Mouse != was.Mouse {
		m.mouse = c.Mouse
	}
	m.notify.Use(c.Notify)
	m.runs.Columns(c.Columns)
	m.runs.SetViews(c.Views)
	m.scene.Say(theme.Sub, engine.Lit("The changed configuration is applied."))
	if len(c.Later) > 0 {
		m.scene.Say(theme.Wait, engine.Textf("The changed configuration is applied, except %s: they apply at the next start.", engine.Enumerate(c.Later, 5)))
	}
	return m.waitChange()
}

// rebind changes the keys, also of a help page or a list of commands that is open.
func (m *Model) rebind(keys keymap.Map) {
	m.keys = keys
	m.restyle()
	switch {
	case m.mode == modePage && m.page.Question() == nil:
		m.showHelp()
	case m.mode == modeCommand:
		typed := m.command.Value()
		m.command = palette.New(palette.Commands(m.keys, m.scopeIn(m.over)), m.choices)
		m.command.Set(typed)
	}
}
