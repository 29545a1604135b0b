// Package help makes the help page from the keymap: first what works where it was
// opened, in groups, then the other keys, the states of a run and the marks of its line.
package help

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
	"github.com/stagewatch/stagewatch/ui/viewer"
)

// Page is what the help page is made from.
type Page struct {
	Theme *theme.Theme
	Width int
	Keys  keymap.Map
	// Here is the scope that help was opened in.
	Here keymap.Scope
	// Idle reports whether a key does nothing at the moment, and why, if there is more
	// to say.
	Idle func(keymap.Entry) (why engine.Text, idle bool)

	lines []viewer.Line
	left  int // line whose right half is free, else -1
}

// short is the width up to which two keys share a line.
const short = 26

// Lines returns the page.
func (p *Page) Lines() []viewer.Line {
	seen := map[key.Help]bool{} // what a key does may differ from scope to scope
	var now, idle []keymap.Entry
	for _, e := range p.Keys.In(p.Here) {
		if seen[e.Key.Help()] {
			continue
		}
		seen[e.Key.Help()] = true
		if _, no := p.Idle(e); no {
			idle = append(idle, e)
		} else {
			now = append(now, e)
		}
	}
	for _, g := range keymap.Groups() {
		p.group(g.String(), now, func(e keymap.Entry) bool { return e.Action.Group() == g })
	}
	p.group("not available now", idle, func(keymap.Entry) bool { return true })
	for _, s := range keymap.Scopes() {
		p.group(s.String(), p.Keys.In(s), func(e keymap.Entry) bool {
			was := seen[e.Key.Help()]
			seen[e.Key.Help()] = true
			return !was
		})
	}
	p.states()
	p.marks()
	return p.columns()
}

// columnLeast is the width that a column of the page needs to be read in full.
const columnLeast = 78

// columns puts the groups into as many columns as the page has room for, in their order: a
// group stays whole, and the columns are about equally high.
func (p *Page) columns() []viewer.Line {
	n := p.Width / columnLeast
	if n < 2 {
		return p.lines
	}
	var columns [][]viewer.Line
	for rest := p.lines; len(rest) > 0; {
		end := len(rest)
		if left := n - len(columns); left > 1 {
			end = groupEnd(rest, (len(rest)+left-1)/left)
		}
		columns, rest = append(columns, rest[:end]), rest[end:]
		if len(rest) > 0 {
			rest = rest[1:] // the blank between two groups
		}
	}
	var out []viewer.Line
	height := 0
	for _, c := range columns {
		height = max(height, len(c))
	}
	for y := range height {
		parts := make([]viewer.Line, len(columns))
		for i, c := range columns {
			if y < len(c) {
				parts[i] = c[y]
			}
		}
		line := parts[0]
		line.Beside, line.Column = parts[1:], (p.Width-1)/n
		out = append(out, line)
	}
	return out
}

// groupEnd is the end of the group that is nearest to a line.
func groupEnd(lines []viewer.Line, at int) int {
	best := len(lines)
	for i := range lines {
		if lines[i].Key == "" && lines[i].Text.IsZero() && max(i-at, at-i) < max(best-at, at-best) {
			best = i
		}
	}
	return best
}

func (p *Page) head(s string) {
	if len(p.lines) > 0 {
		p.lines = append(p.lines, viewer.Line{})
	}
	p.lines = append(p.lines, viewer.Line{Style: theme.Name | theme.Bold, Text: engine.Clean(strings.ToUpper(s))})
	p.left = -1
}

// group writes the entries that belong to it below its head, or nothing.
func (p *Page) group(head string, entries []keymap.Entry, belongs func(keymap.Entry) bool) {
	headed := false
	for _, e := range entries {
		if !belongs(e) {
			continue
		}
		if !headed {
			p.head(head)
			headed = true
		}
		p.entry(e)
	}
}

// entry writes a key, beside another one where both are short.
func (p *Page) entry(e keymap.Entry) {
	h := e.Key.Help()
	shown, text := cell.Text(p.Theme, engine.Clean(p.Theme.KeyName(h.Key))), engine.Clean(h.Desc)
	if why, idle := p.Idle(e); idle && !why.IsZero() && e.In&p.Here != 0 {
		text = engine.Textf("%s: %s", text, why)
	}
	fits := p.Width >= 2*viewer.Half-4 && cell.Width(cell.Text(p.Theme, text)) < short && cell.Width(shown) < viewer.KeyColumn
	if fits && p.left >= 0 {
		p.lines[p.left].Key2, p.lines[p.left].Text2, p.left = shown, text, -1
		return
	}
	p.lines = append(p.lines, viewer.Line{Style: theme.Text, Key: shown, Text: text})
	if p.left = -1; fits {
		p.left = len(p.lines) - 1
	}
}

func (p *Page) states() {
	p.head("states")
	for w := engine.WordDeleting; w <= engine.WordUnreadable; w++ {
		p.lines = append(p.lines, viewer.Line{Style: theme.Text, Key: fmt.Sprintf("%s %-13s", p.Theme.Glyph.Words[w], w.String()), Text: engine.Clean(cell.Text(p.Theme, states[w]))})
	}
}

func (p *Page) marks() {
	p.head("marks on the stage line of a run")
	g := &p.Theme.Glyph
	for _, l := range []struct {
		mark string
		text engine.Text
	}{
		{g.LineDone, engine.Lit("clusters that are done")},
		{g.LineRest, engine.Lit("pending clusters")},
		{g.GateOpen, engine.Lit("approval: pending, or bright when open")},
		{g.GatePassed, engine.Lit("approved and accepted")},
		{g.GateBad, engine.Lit("approved, but not accepted")},
		{g.WaitComing, engine.Lit("timed wait pending")},
		{g.WaitRunning, engine.Lit("timed wait running")},
	} {
		p.lines = append(p.lines, viewer.Line{Style: theme.Text, Key: l.mark, Text: l.text})
	}
}

// states explains the states of a run.
var states = [...]engine.Text{
	engine.WordDeleting:    engine.Lit("the run is being deleted"),
	engine.WordInitFailed:  engine.Lit("initialization failed; the run never starts"),
	engine.WordPreempted:   engine.Lit("another run or a person changed a cluster in progress"),
	engine.WordFailed:      engine.Lit("the run failed permanently"),
	engine.WordDone:        engine.Lit("all stages are done"),
	engine.WordNotObserved: engine.Lit("the controller has not reacted to the newest change for 10 s"),
	engine.WordPending:     engine.Lit("created, not initialized yet"),
	engine.WordNotAccepted: engine.Lit("an approval has the wrong observedGeneration; {approve} approves again"),
	engine.WordStuck:       engine.Lit("a cluster is past the stuck threshold; the run may recover"),
	engine.WordStopping:    engine.Lit("stop requested; updating clusters finish"),
	engine.WordStopped:     engine.Lit("stopped; {run} resumes"),
	engine.WordApproval:    engine.Lit("waits for an approval; {approve} approves it"),
	engine.WordWaiting:     engine.Lit("in a timed wait; the time left is shown"),
	engine.WordReady:       engine.Lit("initialized, not started; {run} starts it"),
	engine.WordRunning:     engine.Lit("updating; SENT: an approval is not accepted yet, LATE: for 10 s"),
	engine.WordNoRun:       engine.Lit("an External placement that no run rolls out"),
	engine.WordUnreadable:  engine.Lit("the object could not be read; its row says why"),
}
