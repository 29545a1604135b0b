package ui

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/field"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// commandRows is how many commands are listed above the command line.
const commandRows = 9

// command is the command line: a name of the keymap, and for some what comes
// behind it. What it does is what the key does, guard and dialog included.
type command struct {
	over mode // what the command line lies over
	line field.Field
	// found are the commands that match what is typed, the best first.
	found []keymap.Entry
	at    int // the one that enter does
}

func (m *Model) startCommand() {
	m.say(theme.Text, engine.Text{})
	m.command = command{over: m.mode}
	m.mode = modeCommand
	m.typeCommand("")
}

// typeCommand replaces what is typed.
func (m *Model) typeCommand(s string) {
	m.command.line.Set(s)
	m.findCommands()
}

// findCommands finds what the typed text may mean.
func (m *Model) findCommands() {
	c := &m.command
	c.at = 0
	name, _, behind := strings.Cut(strings.TrimLeft(c.line.Value(), " "), " ")
	c.found = c.found[:0:0]
	type hit struct {
		e    keymap.Entry
		rank int
	}
	var hits []hit
	for _, e := range m.commands() {
		if rank, ok := matches(e, name, behind); ok {
			hits = append(hits, hit{e, rank})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(a.rank, b.rank) })
	for _, h := range hits {
		c.found = append(c.found, h.e)
	}
}

// commands lists what the command line knows at the moment: all that has a name
// where it was opened, and what is possible everywhere.
func (m *Model) commands() []keymap.Entry {
	var acts, moves, others []keymap.Entry
	for _, e := range m.keys.In(m.scopeIn(m.command.over)) {
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

// The ranks of a match, the best first.
const (
	matchWhole = iota
	matchBegin
	matchWord
	matchWithin
	matchLetters
)

// matches tells how well what is typed fits a command. A name that something is
// typed behind has to be whole, and to take something.
func matches(e keymap.Entry, typed string, behind bool) (rank int, ok bool) {
	typed = strings.ToLower(typed)
	best := -1
	for _, n := range append([]string{e.Name}, e.Also...) {
		r := -1
		switch {
		case n == typed:
			r = matchWhole
		case behind:
		case strings.HasPrefix(n, typed):
			r = matchBegin
		case strings.Contains(n, "-"+typed):
			r = matchWord
		case len(typed) > 1 && strings.Contains(n, typed):
			r = matchWithin
		case len(typed) > 1 && inOrder(n, typed):
			r = matchLetters
		}
		if r >= 0 && (best < 0 || r < best) {
			best = r
		}
	}
	if behind && e.Takes == "" {
		return 0, false
	}
	return best, best >= 0
}

// inOrder reports whether all letters of typed come in n in their order.
func inOrder(n, typed string) bool {
	for _, c := range typed {
		i := strings.IndexRune(n, c)
		if i < 0 {
			return false
		}
		n = n[i+1:]
	}
	return true
}

func (m *Model) onCommandKey(k tea.KeyPressMsg, a keymap.Action) tea.Cmd {
	c := &m.command
	switch a {
	case keymap.CommandDrop:
		m.mode = c.over
	case keymap.CommandNext:
		c.at = min(c.at+1, max(0, len(c.found)-1))
	case keymap.CommandPrev:
		c.at = max(0, c.at-1)
	case keymap.CommandComplete:
		m.completeCommand()
	case keymap.CommandRun:
		return m.runCommand()
	default:
		if k.String() == "backspace" && c.line.Value() == "" {
			m.mode = c.over
			return nil
		}
		if c.line.Update(k) {
			m.findCommands()
		}
	}
	return nil
}

// completeCommand types the rest of the chosen command, or of what it takes.
func (m *Model) completeCommand() {
	c := &m.command
	if len(c.found) == 0 {
		return
	}
	e := c.found[c.at]
	if _, arg, behind := strings.Cut(strings.TrimLeft(c.line.Value(), " "), " "); behind {
		if e.Action == keymap.OpenRun {
			if names := m.runsNamed(arg); len(names) > 0 {
				m.typeCommand(e.Name + " " + common(names))
			}
		}
		return
	}
	s := e.Name
	if e.Takes != "" {
		s += " "
	}
	m.typeCommand(s)
}

// runsNamed lists what :open takes: the forms of runs that begin with s, else
// those that contain it.
func (m *Model) runsNamed(s string) []string {
	var begin, within []string
	if m.snap == nil {
		return nil
	}
	var ids []engine.ID
	for _, v := range m.snap.Runs {
		if v.Word != engine.WordNoRun {
			ids = append(ids, v.ID)
		}
	}
	forms := m.opt.Scope.Forms(ids)
	for _, id := range ids {
		all := forms.All(id)
		has := func(test func(s, part string) bool) string {
			for _, form := range all {
				if test(form.String(), s) {
					return form.String()
				}
			}
			return ""
		}
		if form := has(strings.HasPrefix); form != "" {
			begin = append(begin, form)
		} else if form := has(strings.Contains); form != "" {
			within = append(within, form)
		}
	}
	if len(begin) > 0 {
		return begin
	}
	return within
}

// common is what all names begin with; of names that have nothing in common,
// the first.
func common(names []string) string {
	s := names[0]
	for _, n := range names[1:] {
		for !strings.HasPrefix(n, s) {
			s = s[:len(s)-1]
		}
	}
	if s == "" {
		return names[0]
	}
	return s
}

// runCommand does the chosen command as its key would.
func (m *Model) runCommand() tea.Cmd {
	c := m.command
	m.mode = c.over
	_, arg, _ := strings.Cut(strings.TrimSpace(c.line.Value()), " ")
	arg = strings.TrimSpace(arg)
	if strings.TrimSpace(c.line.Value()) == "" && c.at == 0 {
		return nil
	}
	if len(c.found) == 0 {
		m.say(theme.Wait, m.unknownCommand(c.line.Value()))
		return nil
	}
	switch e := c.found[c.at]; e.Action {
	case keymap.Exit:
		return tea.Quit
	case keymap.Runs:
		m.mode = modeBrowse
		m.clearStack()
	case keymap.OpenRun:
		m.openNamed(arg)
	case keymap.Write:
		return m.write(arg)
	case keymap.Filter:
		if arg == "" {
			return m.do(e.Action)
		}
		m.setFilter(arg)
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
	return engine.Textf("Unknown command %s; : lists all commands.", engine.Clean(name))
}

// openNamed opens the run that an argument of :open selects.
func (m *Model) openNamed(arg string) {
	if m.snap == nil {
		return
	}
	ref, no := m.opt.Scope.Parse(arg)
	if no.Refused() {
		m.say(theme.Wait, engine.Textf("%s; %s.", engine.Capital(no.Why), no.Hint))
		return
	}
	m.openFound(ref.In(m.snap, m.opt.Scope), m.open)
}
