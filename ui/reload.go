package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/notify"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// Change is what the screen uses of a configuration.
type Change struct {
	// Theme is one of stagewatch or of Themes; empty is the default.
	Theme  string
	Themes []OwnTheme
	// Mouse handles clicks and the wheel. The terminal selects no text then.
	Mouse bool
	// MostPanes is how many panes stand side by side at most; 0 for as many as have room.
	MostPanes int
	// Notify is how notifications reach a person.
	Notify notify.Means
	// Views are those of :view and the digits.
	Views []View
	// Columns are those of the list; none for those that fit.
	Columns []column.Column
	// ContextColour returns the colour of a context, one of the theme's, or none; nil for none.
	ContextColour func(context string) string
	// Keys are the keys of the screen; the zero Map is the default one.
	Keys keymap.Map
	// Reopens are changed keys that need other connections, or permit more: the screen ends for
	// another one. Err says why a changed file is not used.
	Reopens []engine.Text
	Err     engine.Text
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

// keptChange says why a change is not applied yet.
var keptChange = engine.Lit("The configuration was changed: it applies when this dialog is closed.")

// onChange applies a change; while a dialog, the command line or a filter is open, once it is
// closed: no key may get another meaning, and no choice another place, under a finger.
func (m *Model) onChange(c Change) tea.Cmd {
	m.scene.Note.Stand(engine.Text{})
	switch {
	case !c.Err.IsZero():
		m.kept = nil
		m.scene.Note.Stand(engine.Textf("Configuration not applied: %s", c.Err))
	case m.mode == modeBrowse || m.mode == modePage:
		m.apply(c)
	default:
		m.kept = &c
		m.scene.Say(theme.Sub, keptChange)
	}
	return m.waitChange()
}

// applyKept applies the change that was kept, without a note where another one must be read.
func (m *Model) applyKept() {
	if m.kept == nil || m.mode != modeBrowse && m.mode != modePage {
		return
	}
	c, said := *m.kept, m.scene.Note
	m.kept = nil
	m.apply(c)
	if x := said.Text(); !x.IsZero() && x != keptChange {
		m.scene.Note = said
	}
}

// apply uses a change. What a person has chosen on the screen stays, unless its key was changed.
func (m *Model) apply(c Change) {
	was := m.opt.Change
	m.opt.Change, m.scene.Colour = c, c.ContextColour
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
	if m.reopens = c.Reopens; len(c.Reopens) > 0 {
		m.scene.Say(theme.Wait, engine.Textf("Close pages and dialogs, clear marks and filter to apply: %s.", engine.Enumerate(c.Reopens, 5)))
	}
	m.warnOfTheme()
}

// reopen ends the screen for another one with the changed configuration, as soon as nothing is
// open that a person would lose, as a view is not; nil while there is nothing to do.
func (m *Model) reopen() tea.Cmd {
	if len(m.reopens) == 0 || m.mode != modeBrowse || m.sheet() != nil || m.scene.Snap == nil || len(m.runs.Marked()) > 0 || m.runs.Filter() != "" && m.runs.Used() == "" || m.dialog.Awaits() {
		return nil
	}
	keys := m.reopens
	m.reopens = nil
	cmd, why := m.switchTo(Switch{Reopen: true, Run: m.openRun()})
	if !why.IsZero() {
		m.scene.Say(theme.Wait, engine.Textf("Configuration reloaded, except %s: %s.", engine.Enumerate(keys, 5), why))
	}
	return cmd
}

// openRun names the run whose screen is open, for the next screen; empty for none.
func (m *Model) openRun() string {
	if m.screen != screenRun || m.scene.Snap == nil || len(m.scene.Snap.Hubs) > 0 {
		return ""
	}
	return m.opt.Scope.FormsIn(m.scene.Snap).Of(m.run.ID()).String()
}

// rebind changes the keys, also of a help page that is open. Another key quits from now on.
func (m *Model) rebind(keys keymap.Map) {
	m.keys, m.abort = keys, false
	m.restyle()
	if m.mode == modePage && m.helping {
		m.showHelp()
	}
}
