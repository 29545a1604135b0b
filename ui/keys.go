package ui

import (
	"cmp"
	"slices"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/runref"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/choices"
	"github.com/stagewatch/stagewatch/ui/dialog"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// scope is where keys are looked up at the moment.
func (m *Model) scope() keymap.Scope { return m.scopeIn(m.mode) }

func (m *Model) scopeIn(in mode) keymap.Scope {
	switch in {
	case modeCommand:
		return keymap.ScopeCommand
	case modeFilter:
		return keymap.ScopeFilter
	case modeDialog:
		return m.dialog.Scope()
	case modePage:
		return keymap.ScopePage
	case modeBrowse:
		if m.sheet() != nil {
			return keymap.ScopeSheet
		}
	}
	if m.screen == screenRun {
		return keymap.ScopeRun
	}
	return keymap.ScopeRuns
}

// onKey gives a key to what it is meant for.
func (m *Model) onKey(k tea.KeyPressMsg) tea.Cmd {
	if then, ok := m.escThen(k); ok {
		return m.onEscThen(then)
	}
	act := m.keys.Match(m.scope(), k)
	switch {
	case act == keymap.Abort && m.abort && m.mode != modeCommand:
		return tea.Quit
	case act == keymap.Abort:
		return m.onAbort()
	case act != keymap.Quit && act != keymap.Command && m.mode != modeCommand:
		m.abort = false
	}
	if act == keymap.None && (m.mode == modeBrowse || m.mode == modePage) {
		return m.scene.Unbound(k.String())
	}
	if act == keymap.NthView && m.mode == modeBrowse && m.runs.UseDigit(k.String()) {
		return nil
	}
	switch m.mode {
	case modeFilter:
		m.onFilterKey(k, act)
		return nil
	case modeDialog:
		return m.toDialog(dialog.KeyMsg{Press: k, Action: act})
	case modeCommand:
		return m.onCommandKey(k, act)
	case modePage, modeBrowse:
	}
	return m.do(act)
}

// do does what a key, a command or a click means on the screen as it is.
func (m *Model) do(a keymap.Action) tea.Cmd {
	switch {
	case a == keymap.Command:
		m.startCommand()
		return nil
	case a == keymap.Mouse:
		m.toggleMouse()
		return nil
	case a == keymap.Suspend:
		return tea.Suspend
	case a == keymap.Await && m.mode == modeBrowse && m.scene.Snap != nil:
		m.notify.Toggle(m.subject().Run)
		return nil
	case a == keymap.Forget && m.mode == modeBrowse:
		return m.forgetContext()
	case (m.readsText() || m.sheet() != nil) && slices.Contains(onPages, a) && m.idle(a):
		return m.scene.Idle(m.scene.Theme.Key(a.Name()))
	case m.mode == modePage:
		return m.onPageKey(a)
	case a >= keymap.NextPane && a <= keymap.SmallerPane:
		m.scene.Quiet()
		return m.onPaneKey(a)
	case m.sheet() != nil:
		m.scene.Quiet()
		return m.onSheetKey(a)
	}
	return m.onBrowseKey(a)
}

// byWords are the keys that move and delete by words in a text that is typed, with alt.
var byWords = []rune{'b', 'd', 'f', tea.KeyLeft, tea.KeyRight}

// escThen returns what came right behind esc, when a terminal sends both together, as over a slow line or from tmux: it reads as
// that key with alt. What is bound stays as it is, as does what edits a text that is typed.
func (m *Model) escThen(k tea.KeyPressMsg) (then tea.KeyPressMsg, ok bool) {
	then = tea.KeyPressMsg{Code: k.Code, Mod: k.Mod & tea.ModCtrl}
	switch k.Code {
	case tea.KeyEscape, tea.KeyEnter, tea.KeyUp, tea.KeyDown, tea.KeyLeft, tea.KeyRight, tea.KeyHome, tea.KeyEnd, tea.KeyPgUp, tea.KeyPgDown:
		ok = k.Mod == tea.ModAlt
	default:
		if then.Text = string(k.Code); k.Mod == tea.ModAlt|tea.ModShift {
			then.Text = string(cmp.Or(k.ShiftedCode, unicode.ToUpper(k.Code)))
		} else if then.Mod == tea.ModCtrl {
			then.Text = ""
		}
		ok = (k.Mod&^tea.ModShift == tea.ModAlt || k.Mod == tea.ModAlt|tea.ModCtrl && k.Text == "") && k.Code > ' ' && k.Code < tea.KeyBackspace
	}
	edits := m.mode != modeBrowse && m.mode != modePage && k.Mod == tea.ModAlt && slices.Contains(byWords, k.Code)
	return then, ok && !edits && m.keys.Match(m.scope(), k) == keymap.None
}

// onEscThen does what esc does, and then what the key behind it does, unless that may write or is for a dialog: nobody has seen
// the screen that it is for.
func (m *Model) onEscThen(then tea.KeyPressMsg) tea.Cmd {
	cmd := m.onKey(tea.KeyPressMsg{Code: tea.KeyEscape})
	if m.mode == modeDialog || m.keys.Match(m.scope(), then).Writes() {
		m.scene.Say(theme.Wait, engine.Textf("%s was ignored: it came together with another key. Press it again.", engine.Clean(then.String())))
		return cmd
	}
	return tea.Batch(cmd, m.onKey(then))
}

// onAbort cancels what is open; once more quits.
func (m *Model) onAbort() tea.Cmd {
	var cmd tea.Cmd
	m.abort = true
	switch m.mode {
	case modeFilter:
		m.dropFilter()
	case modeDialog:
		cmd = m.closeDialog()
	case modePage:
		m.closeText()
	case modeCommand:
		m.mode = m.over
	case modeBrowse:
		cmd = m.dropSheets()
	}
	m.scene.Say(theme.Text, engine.Lit("Press {cancel} once more to quit."))
	return cmd
}

// quit ends the screen. While the outcome of a write is awaited, it asks to press key first.
func (m *Model) quit(key engine.Text, asked bool) tea.Cmd {
	if !m.dialog.Awaits() || asked {
		return tea.Quit
	}
	m.abort = true
	m.scene.Say(theme.Wait, engine.Textf("A write was sent and its outcome is not known yet. Press %s once more to quit.", key))
	return nil
}

// onBrowseKey handles keys on the list and on the opened run.
func (m *Model) onBrowseKey(a keymap.Action) tea.Cmd {
	if a != keymap.None {
		m.scene.Quiet()
	}
	if m.scene.Snap == nil && a != keymap.Quit && a != keymap.Help {
		return nil
	}
	if a.OfRun() && m.target().IsZero() && (!a.Writes() || len(m.runs.Marked()) == 0) {
		m.scene.Say(theme.Sub, engine.Lit("No run is selected."))
		return nil
	}
	if a == keymap.Back && !m.pending.IsZero() {
		m.pending = runref.Ref{}
		return nil
	}
	if a == keymap.Back && m.choosing() {
		return m.endChoice()
	}
	if m.screen == screenRun && m.run.Update(a) || m.screen == screenRuns && m.runs.Update(a) {
		return nil
	}
	switch a {
	case keymap.Open:
		return m.onOpen()
	case keymap.Filter:
		m.startFilter()
	case keymap.Sort:
		m.choose(a)
	case keymap.Taker:
		m.jump()
	case keymap.Copy:
		return m.copyName()
	case keymap.YAML:
		return m.yamlOf(m.target())
	case keymap.Help:
		m.openHelp()
	case keymap.Back:
		return m.pop()
	case keymap.Quit:
		switch {
		case m.screen == screenRuns:
			return m.quit(engine.Lit("{leave}"), m.abort)
		case !m.run.Update(keymap.Back):
			return m.pop()
		}
	case keymap.AllNamespaces:
		return m.chosen(keymap.Entry{Action: keymap.Namespace}, choices.AllNamespaces)
	case keymap.Approve, keymap.Run, keymap.Stop, keymap.Clone, keymap.Delete:
		return m.openDialog(writers[a])
	default:
		return m.openSheet(a)
	}
	return nil
}

func (m *Model) onOpen() tea.Cmd {
	if m.screen == screenRun {
		if c := m.run.Cluster(); c != nil && c.PreemptedBy.IsZero() {
			return m.openSheet(keymap.Cluster)
		}
		m.jump()
		return nil
	}
	switch v := m.runs.Current(); {
	case v == nil:
	case v.Word == engine.WordNoRun:
		return m.openSheet(keymap.Placement)
	default:
		m.open(v.ID)
	}
	return nil
}
