package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/palette"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// startCommand opens the command line. What a command does is what its key does, guard
// and dialog included.
func (m *Model) startCommand() {
	m.scene.Quiet()
	m.over, m.mode = m.mode, modeCommand
	m.command = palette.New(palette.Commands(m.keys, m.scopeIn(m.over)), m.choices)
}

// commandView lists what the command line may mean.
func (m *Model) commandView() string {
	about := engine.Text{}
	if v := m.scene.Named(m.target()); v != nil {
		about = column.Title(v)
	}
	return strings.Join(m.command.View(m.scene.Theme, m.look.w, m.bodyHeight(), about, m.refusalOf), "\n")
}

// commandTop is the row of the body in which the list of commands begins.
func (m *Model) commandTop() int { return m.bodyHeight() - m.command.Rows(m.bodyHeight()) }

func (m *Model) onCommandKey(k tea.KeyPressMsg, a keymap.Action) tea.Cmd {
	c := &m.command
	switch {
	case a == keymap.CommandRun:
		return m.runCommand()
	case a == keymap.CommandDrop, k.String() == "backspace" && c.Value() == "":
		m.abort, m.mode = false, m.over
	default:
		c.Update(a, k)
	}
	return nil
}

// runCommand does the chosen command as its key would.
func (m *Model) runCommand() tea.Cmd {
	c, asked := m.command, m.abort
	m.abort, m.mode = false, m.over
	arg := c.Take()
	if strings.TrimSpace(c.Value()) == "" && c.At() == 0 {
		return nil
	}
	e, ok := c.Command()
	if !ok {
		m.scene.Say(theme.Wait, c.Unknown(m.keys, m.scope()))
		return nil
	}
	switch e.Action {
	case keymap.Exit:
		return m.quit(engine.Lit("{cancel}"), asked)
	case keymap.Runs:
		m.mode = modeBrowse
		m.clearStack()
	case keymap.OpenRun:
		m.openNamed(arg)
	case keymap.Sort, keymap.View, keymap.Theme, keymap.Context, keymap.Namespace:
		return m.chosen(e, arg)
	case keymap.LogIn:
		return m.logIn()
	case keymap.Write:
		return m.write(arg)
	case keymap.Filter, keymap.Search:
		if arg == "" {
			return m.do(e.Action)
		}
		m.filtered().SetFilter(arg)
	default:
		return m.do(e.Action)
	}
	return nil
}
