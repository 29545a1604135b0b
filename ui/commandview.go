package ui

import (
	"strconv"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
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
	r := newRow(th, w, groundNone).fill(inkFaint, th.glyph.rule, 2).to(3).put(inkSub, "commands ")
	if v := m.named(m.target()); v != nil {
		// What is covered by the list may be what the command is about.
		r.put(inkSub, "on ").put(inkName|bold, th.cutMiddle(th.cells(runTitle(v)), max(12, w/3))).gap(1)
	}
	if len(c.found) > n {
		r.put(inkFaint, strconv.Itoa(from+n)+"/"+strconv.Itoa(len(c.found))+" ")
	}
	rows[0] = r.fill(inkFaint, th.glyph.rule, w).String()
	for i := range n {
		m.note(spot{y: len(out) - n + i, to: w, kind: spotCommand, n: from + i})
		rows[i+1] = m.commandRow(from + i)
	}
}

// commandRow is one command: its name, its key, and what it does or why it
// cannot.
func (m *Model) commandRow(i int) string {
	th, w, e := m.look.th, m.look.w, m.command.found[i]
	g := groundNone
	if i == m.command.at {
		g = groundCursor
	}
	r := newRow(th, w, g)
	if i == m.command.at {
		r.put(inkKey, th.glyph.cursor)
	}
	name, k, help := e.Name, inkText, engine.Clean(e.Key.Help().Desc)
	if e.Takes != "" {
		name += " " + e.Takes
	}
	shown := th.keyName(e.Key.Help().Key)
	if len(e.Key.Keys()) == 0 {
		shown = ""
	}
	if e.Writes {
		k = inkKey | bold
		if no := m.refusalOf(e); no.Refused() {
			k, help = inkFaint, no.Why
		}
	}
	r.to(3).col(k, th.cells(engine.Clean(name)), 18).gap(1).col(inkSub, th.cells(engine.Clean(shown)), 7).gap(1)
	r.put(inkSub, th.cut(th.cells(help), max(0, w-r.at()-1)))
	return r.String()
}

// commandLine is what is typed, and at its end what could be behind it.
func (m *Model) commandLine(r *row) {
	th, c := m.look.th, &m.command
	r.put(inkKey|bold, ":").text(inkName, engine.Clean(c.text)).put(inkKey, th.glyph.cursor)
	if len(c.found) == 0 {
		r.put(inkFaint, "  nothing is called that here")
		return
	}
	e := c.found[c.at]
	typed := strings.TrimLeft(c.text, " ")
	if _, _, behind := strings.Cut(typed, " "); !behind && typed != "" && strings.HasPrefix(e.Name, typed) {
		r.put(inkFaint, e.Name[len(typed):])
		if e.Takes != "" {
			r.put(inkFaint, " "+e.Takes)
		}
	}
}
