package ui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// commandView lists what the command line may mean, over the last rows of the
// screen.
func (m *Model) commandView(out []string) {
	th, w, c := m.look.th, m.look.w, &m.command
	n := min(commandRows, len(c.found), len(out)-headRows-1)
	if n <= 0 {
		return
	}
	from := max(0, min(c.at-n/2, len(c.found)-n))
	rows := out[len(out)-n-1:]
	r := cell.NewRow(th, w, theme.Plain).Fill(theme.Faint, th.Glyph.Rule, 2).To(3).Put(theme.Sub, "commands ")
	if v := m.named(m.target()); v != nil {
		// What is covered by the list may be what the command is about.
		r.Put(theme.Sub, "on ").Put(theme.Name|theme.Bold, cell.CutMiddle(th, cell.Text(th, runTitle(v)), max(12, w/3))).Gap(1)
	}
	if len(c.found) > n {
		r.Put(theme.Faint, strconv.Itoa(from+n)+"/"+strconv.Itoa(len(c.found))+" ")
	}
	rows[0] = r.Fill(theme.Faint, th.Glyph.Rule, w).String()
	for i := range n {
		m.note(spot{y: len(out) - n + i, to: w, kind: spotCommand, n: from + i})
		rows[i+1] = m.commandRow(from + i)
	}
}

// commandRow is one command: its name, its key, and what it does or why it
// cannot.
func (m *Model) commandRow(i int) string {
	th, w, e := m.look.th, m.look.w, m.command.found[i]
	g := theme.Plain
	if i == m.command.at {
		g = theme.Cursor
	}
	r := cell.NewRow(th, w, g)
	if i == m.command.at {
		r.Put(theme.Key, th.Glyph.Cursor)
	}
	name, k, help := e.Name, theme.Text, engine.Clean(e.Key.Help().Desc)
	if e.Takes != "" {
		name += " " + e.Takes
	}
	shown := th.KeyName(e.Key.Help().Key)
	if len(e.Key.Keys()) == 0 {
		shown = ""
	}
	if e.Writes {
		k = theme.Key | theme.Bold
		if no := m.refusalOf(e); no.Refused() {
			k, help = theme.Faint, no.Why
		}
	}
	r.To(3).Col(k, cell.Text(th, engine.Clean(name)), 18).Gap(1).Col(theme.Sub, cell.Text(th, engine.Clean(shown)), 7).Gap(1)
	r.Put(theme.Sub, cell.Cut(th, cell.Text(th, help), max(0, w-r.At()-1)))
	return r.String()
}

// commandLine is what is typed, and at its end what could be behind it.
func (m *Model) commandLine(r *cell.Row) {
	th, c := m.look.th, &m.command
	r.Put(theme.Key|theme.Bold, ":")
	m.cursor = tea.NewCursor(c.line.Write(r, th, theme.Name, r.Left()), m.look.h-footRows)
	if c.line.AtEnd() {
		r.Gap(1)
	}
	if len(c.found) == 0 {
		r.Put(theme.Faint, "  unknown command")
		return
	}
	e := c.found[c.at]
	typed := strings.TrimLeft(c.line.Value(), " ")
	if _, _, behind := strings.Cut(typed, " "); !behind && c.line.AtEnd() && typed != "" && strings.HasPrefix(e.Name, typed) {
		r.Put(theme.Faint, e.Name[len(typed):])
		if e.Takes != "" {
			r.Put(theme.Faint, " "+e.Takes)
		}
	}
}
