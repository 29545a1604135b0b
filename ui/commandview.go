package ui

import (
	"strconv"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
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
	r := newRow(th, w, theme.Plain).fill(theme.Faint, th.Glyph.Rule, 2).to(3).put(theme.Sub, "commands ")
	if v := m.named(m.target()); v != nil {
		// What is covered by the list may be what the command is about.
		r.put(theme.Sub, "on ").put(theme.Name|theme.Bold, cutMiddle(th, cellText(th, runTitle(v)), max(12, w/3))).gap(1)
	}
	if len(c.found) > n {
		r.put(theme.Faint, strconv.Itoa(from+n)+"/"+strconv.Itoa(len(c.found))+" ")
	}
	rows[0] = r.fill(theme.Faint, th.Glyph.Rule, w).String()
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
	r := newRow(th, w, g)
	if i == m.command.at {
		r.put(theme.Key, th.Glyph.Cursor)
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
	r.to(3).col(k, cellText(th, engine.Clean(name)), 18).gap(1).col(theme.Sub, cellText(th, engine.Clean(shown)), 7).gap(1)
	r.put(theme.Sub, cutEnd(th, cellText(th, help), max(0, w-r.at()-1)))
	return r.String()
}

// commandLine is what is typed, and at its end what could be behind it.
func (m *Model) commandLine(r *row) {
	th, c := m.look.th, &m.command
	r.put(theme.Key|theme.Bold, ":").text(theme.Name, engine.Clean(c.text)).put(theme.Key, th.Glyph.Cursor)
	if len(c.found) == 0 {
		r.put(theme.Faint, "  nothing is called that here")
		return
	}
	e := c.found[c.at]
	typed := strings.TrimLeft(c.text, " ")
	if _, _, behind := strings.Cut(typed, " "); !behind && typed != "" && strings.HasPrefix(e.Name, typed) {
		r.put(theme.Faint, e.Name[len(typed):])
		if e.Takes != "" {
			r.put(theme.Faint, " "+e.Takes)
		}
	}
}
