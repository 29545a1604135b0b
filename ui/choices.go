package ui

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/choices"
	"github.com/stagewatch/stagewatch/ui/keybar"
	"github.com/stagewatch/stagewatch/ui/palette"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// choices lists what a command of the command line can take.
func (m *Model) choices(e keymap.Entry) []palette.Choice {
	switch e.Action {
	case keymap.OpenRun:
		return choices.Runs(m.scene.Snap, m.opt.Scope, m.target())
	case keymap.Sort:
		by, desc := m.runs.Sorted()
		return choices.Orders(by, desc, m.scene.Snap != nil && len(m.scene.Snap.Hubs) > 0, m.opt.Columns)
	case keymap.View:
		return choices.Views(m.runs.Views, m.runs.Used())
	case keymap.Theme:
		return choices.Themes(m.theme, m.opt.Themes)
	case keymap.Context:
		return choices.Contexts(m.opt.Contexts, m.scene.Snap)
	case keymap.Namespace:
		return choices.Namespaces(m.scene.Snap, m.opt.Scope.Namespace, m.opt.Namespaces)
	case keymap.Write:
		return []palette.Choice{{Value: "15m"}, {Value: "1h"}, {Value: "off", About: engine.Lit("block writes at once")}}
	}
	return nil
}

// choose opens the command line on a command that takes one of several choices.
func (m *Model) choose(a keymap.Action) {
	for _, e := range palette.Commands(m.keys, m.scope()) {
		if e.Action == a {
			m.startCommand()
			m.command.Set(e.Name + " ")
			return
		}
	}
}

// chosen does a command with the choice that was taken, or lists the choices.
func (m *Model) chosen(e keymap.Entry, arg string) tea.Cmd {
	switch {
	case arg == "":
		m.choose(e.Action)
		return nil
	case e.Action == keymap.Sort:
		by, desc, ok := choices.Order(arg, m.opt.Columns)
		if !ok {
			m.scene.Say(theme.Wait, engine.Textf("Cannot sort by %s: {sort} lists the columns.", engine.Clean(arg)))
			return nil
		}
		if desc {
			m.runs.SortBy(by, true)
		} else {
			m.runs.Turn(by)
		}
		return nil
	case e.Action == keymap.View:
		m.runs.Use(arg)
		return nil
	case e.Action == keymap.Theme:
		if m.theme = arg; !slices.Contains(theme.Names(m.opt.Themes...), arg) {
			m.theme = theme.Default
			m.scene.Say(theme.Wait, engine.Textf("Unknown theme %s: {command}theme lists them.", engine.Clean(arg)))
		}
		m.warnOfTheme()
		return nil
	}
	to := Switch{Context: arg}
	if e.Action == keymap.Context {
		if i := slices.IndexFunc(m.opt.Contexts, func(c Choice) bool { return c.Value == arg || slices.Contains(c.Also, arg) }); i >= 0 {
			arg = m.opt.Contexts[i].Value
			to.Context = arg
			now := m.opt.Contexts[i].Now && (m.scene.Snap == nil || len(m.scene.Snap.Hubs) == 0)
			if now && (m.scene.Snap == nil || slices.Contains([]engine.LinkState{engine.LinkLoading, engine.LinkLive}, m.scene.Snap.Link.State)) {
				m.scene.Say(theme.Sub, choices.Present(arg))
				return nil
			} else if now { // the kubeconfig is read again: it may name another server now
				to.Run = m.openRun()
			}
		}
	}
	if e.Action == keymap.Namespace {
		if to = (Switch{Namespace: arg, InNamespace: true}); arg == choices.AllNamespaces {
			to.Namespace = ""
		}
		if to.Namespace == m.opt.Scope.Namespace {
			m.scene.Say(theme.Sub, choices.Present(arg))
			return nil
		}
	}
	cmd, why := m.switchTo(to)
	if !why.IsZero() {
		m.scene.Say(theme.Wait, engine.Textf("Cannot switch to %s: %s.", engine.Clean(cmp.Or(to.Context, to.Namespace, choices.AllNamespaces)), why))
	}
	return cmd
}

// logIn opens the screen again with a new login.
func (m *Model) logIn() tea.Cmd {
	cmd, why := m.switchTo(Switch{Reopen: true, LogIn: true, Run: m.openRun()})
	if !why.IsZero() {
		m.scene.Say(theme.Wait, engine.Textf("Cannot log in again: %s.", why))
	}
	return cmd
}

// switchTo ends this screen for the next one, or returns why it cannot.
func (m *Model) switchTo(to Switch) (tea.Cmd, engine.Text) {
	if m.opt.Switch == nil {
		return nil, engine.Lit("this program shows one hub")
	}
	if m.dialog.Awaits() {
		return nil, engine.Lit("the outcome of a write is awaited")
	}
	if why := m.opt.Switch(to); !why.IsZero() {
		return nil, why
	}
	return tea.Quit, engine.Text{}
}

// hints are the keys for the next step, without acts that are not possible at the moment and
// pages about another cluster than the reasons.
func (m *Model) hints(d *engine.Diagnosis) cell.Spans {
	return keybar.Hints(d.NextActions, m.keys.In(m.scope()), func(l engine.NextAction, e keymap.Entry) bool {
		other := (l == engine.NextMember || l == engine.NextCluster) && (d.Member.IsZero() || m.subject().Member != d.Member)
		return !other && (!e.Writes || m.guard.can[writers[e.Action]]) && (l != engine.NextPreempter || m.canJump())
	})
}

// warnOfTheme says what cannot be read in the chosen theme, if it is one of the configuration.
func (m *Model) warnOfTheme() {
	for i := range m.opt.Themes {
		if o := &m.opt.Themes[i]; o.Name == m.theme {
			if hard := o.Brief(); !hard.IsZero() {
				m.scene.Say(theme.Wait, hard)
			}
		}
	}
}

// previews returns the theme that is selected in the list of themes, if that is open.
func (m *Model) previews() (name string, ok bool) {
	name, ok = m.command.Choosing(keymap.Theme)
	return name, ok && m.mode == modeCommand
}

// preview draws in the theme that is selected in the list of themes, else in the chosen one.
func (m *Model) preview() {
	name, ok := m.previews()
	if !ok {
		name = m.theme
	}
	if name != m.previewed {
		m.previewed = name
		m.restyle()
	}
}

// noteView gives out the name of the present view when it changes.
func (m *Model) noteView() {
	if now := m.runs.Used(); now != m.view && m.opt.Viewed != nil {
		m.view = now
		m.opt.Viewed(now)
	}
}
