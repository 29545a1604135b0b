package ui

import (
	"slices"
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
	m.command = palette.New(m.commands(), m.choices)
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

// commands lists what the command line knows at the moment: all that has a name
// where it was opened, and what is possible everywhere.
func (m *Model) commands() []keymap.Entry { return m.commandsIn(m.over) }

func (m *Model) commandsIn(in mode) []keymap.Entry {
	var acts, moves, others []keymap.Entry
	for _, e := range m.keys.In(m.scopeIn(in)) {
		switch {
		case e.Name == "" || e.Action == keymap.Quit:
		case e.Action.Move():
			moves = append(moves, e)
		case e.Writes:
			acts = append(acts, e)
		default:
			others = append(others, e)
		}
	}
	for _, e := range m.keys.In(keymap.ScopeCommand) {
		if e.Name != "" {
			others = append(others, e)
		}
	}
	return slices.Concat(acts, others, moves)
}

func (m *Model) onCommandKey(k tea.KeyPressMsg, a keymap.Action) tea.Cmd {
	c := &m.command
	switch a {
	case keymap.CommandDrop:
		m.mode = m.over
	case keymap.CommandNext:
		c.Choose(c.At() + 1)
	case keymap.CommandPrev:
		c.Choose(c.At() - 1)
	case keymap.CommandComplete:
		m.completeCommand()
	case keymap.CommandRun:
		return m.runCommand()
	default:
		if k.String() == "backspace" && c.Value() == "" {
			m.mode = m.over
			return nil
		}
		c.Update(k)
	}
	return nil
}

// completeCommand types the rest of the chosen command, or of what it takes.
func (m *Model) completeCommand() {
	c := &m.command
	e, ok := c.Chosen()
	if !ok {
		return
	}
	if _, ok := c.Argument(); ok {
		if value, ok := c.Complete(); ok {
			c.Set(e.Name + " " + value)
		}
		return
	}
	s := e.Name
	if e.Takes != "" {
		s += " "
	}
	c.Set(s)
}

// runCommand does the chosen command as its key would.
func (m *Model) runCommand() tea.Cmd {
	c := m.command
	m.mode = m.over
	arg := c.Take()
	if strings.TrimSpace(c.Value()) == "" && c.At() == 0 {
		return nil
	}
	e, ok := c.Command()
	if !ok {
		m.scene.Say(theme.Wait, m.unknownCommand(c.Value()))
		return nil
	}
	switch e.Action {
	case keymap.Exit:
		return tea.Quit
	case keymap.Runs:
		m.mode = modeBrowse
		m.clearStack()
	case keymap.OpenRun:
		m.openNamed(arg)
	case keymap.Sort, keymap.Theme, keymap.Context, keymap.Namespace:
		return m.chosen(e, arg)
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

// unknownCommand says why what was typed means nothing here.
func (m *Model) unknownCommand(s string) engine.Text {
	name, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	for _, scope := range keymap.Scopes() {
		for _, e := range m.keys.In(scope) {
			if e.Name == "" || e.Name != name && !slices.Contains(e.Also, name) {
				continue
			}
			if e.Takes == "" && name != strings.TrimSpace(s) {
				return engine.Textf("Command %s takes no argument: it acts on the selection.", engine.Clean(name))
			}
			return engine.Textf("Command %s is not available here, only on: %s.", engine.Clean(name), engine.Clean(scope.String()))
		}
	}
	var names []string
	for _, e := range m.commands() {
		names = append(names, e.Name)
	}
	nearest := engine.Similar(name, names)
	return engine.Textf("%s: unknown command. Nearest: %s.", engine.Clean(name), engine.Join(nearest[:min(3, len(nearest))], ", "))
}

// openNamed opens the run that an argument of :open selects.
func (m *Model) openNamed(arg string) {
	if m.scene.Snap == nil {
		return
	}
	ref, no := m.opt.Scope.Parse(arg)
	if no.Refused() {
		m.scene.Say(theme.Wait, engine.Textf("%s; %s.", engine.Capital(no.Why), no.Hint))
		return
	}
	m.openFound(ref, m.open)
}
