package ui

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// page is text over the whole screen: help, or an answer of the source.
type page struct {
	title engine.Text
	// question is what was asked; zero for help. Answers to another question
	// are dropped.
	question engine.Question
	waiting  bool
	lines    []pageLine
	top      int
	left     int // columns that are scrolled out on the left
}

// pageLine is a line of a page: a key and its help, two of them side by side,
// or just words.
type pageLine struct {
	k    theme.Style
	key  string
	text engine.Text
	// key2 and text2 stand in the right half.
	key2  string
	text2 engine.Text
}

// pageRows is how many lines of a page are on screen.
func (m *Model) pageRows() int { return max(1, m.look.h-headRows-footRows-1) }

func (m *Model) onPageKey(a keymap.Action) tea.Cmd {
	p, h := &m.page, m.pageRows()
	if d, ok := a.Distance(h, len(p.lines)); ok {
		p.top = max(0, min(p.top+d, len(p.lines)-h))
		return nil
	}
	switch a {
	case keymap.Left:
		p.left = max(0, p.left-pageStep)
	case keymap.Right:
		p.left = m.pageRight()
	case keymap.Copy:
		return m.copyPage()
	case keymap.Back, keymap.Quit, keymap.Help:
		m.mode = modeBrowse
	case keymap.Suspend:
		return tea.Suspend
	default:
	}
	return nil
}

func (m *Model) pageView(out []string) []string {
	th, w, p := m.look.th, m.look.w, &m.page
	r := cell.NewRow(th, w, theme.Plain).Fill(theme.Faint, th.Glyph.Rule, 2).To(3).Put(theme.Name|theme.Bold, cell.Text(th, p.title)).Put(theme.Text, " ")
	h := m.pageRows()
	if n := len(p.lines); n > h {
		r.Put(theme.Sub, strconv.Itoa(min(n, p.top+h))+"/"+strconv.Itoa(n)+" ")
	}
	out = append(out, r.Fill(theme.Faint, th.Glyph.Rule, w).String())
	if p.waiting {
		return append(out, cell.NewRow(th, w, theme.Plain).To(3).Put(theme.Sub, "loading"+th.Glyph.Ellipsis).String())
	}
	for i := max(0, min(p.top, len(p.lines)-h)); i < min(len(p.lines), p.top+h); i++ {
		l := p.lines[i]
		r := cell.NewRow(th, w, theme.Plain).To(1)
		if l.key != "" {
			n := 12
			if cell.Width(l.key) > n {
				n = 15
			}
			r.Col(theme.Key|theme.Bold, l.key, n)
		}
		if p.left > 0 {
			r.Put(l.k, cutLeft(cell.Text(th, l.text), p.left))
		} else {
			r.Text(l.k, l.text)
		}
		if l.key2 != "" && r.At() < pageHalf {
			r.To(pageHalf).Col(theme.Key|theme.Bold, l.key2, 12).Text(l.k, l.text2)
		}
		out = append(out, r.String())
	}
	return out
}

// pageHalf is the column at which the right half of a page starts.
const pageHalf = 40

// askYAML asks for the object under the cursor as the hub stores it.
func (m *Model) askYAML() tea.Cmd { return m.yamlOf(m.target()) }

// yamlOf asks for an object as the hub stores it.
func (m *Model) yamlOf(id engine.ID) tea.Cmd {
	if id.IsZero() {
		return nil
	}
	q := engine.Question{Kind: engine.QuestionYAML, About: id}
	m.mode = modePage
	m.page = page{title: engine.Textf("YAML of %s %s", id.Kind().Short(), id.Title()), question: q, waiting: true}
	ctx, src := m.ctx, m.src
	return func() tea.Msg {
		a := src.Ask(ctx, q)
		if ctx.Err() != nil {
			return nil
		}
		return answeredMsg{answer: a}
	}
}

func (m *Model) onAnswered(msg answeredMsg) {
	p, a := &m.page, msg.answer
	if a.Question != p.question || !p.waiting {
		return
	}
	p.waiting = false
	if !a.Err.IsZero() {
		p.lines = []pageLine{{k: theme.Bad, text: a.Err}, {k: theme.Text, text: a.Hint}}
		return
	}
	for _, l := range a.Lines {
		p.lines = append(p.lines, pageLine{k: theme.Text, text: l})
	}
}

// openHelp shows every key of the keymap, the words and the marks.
func (m *Model) openHelp() {
	m.mode = modePage
	m.page = page{title: engine.Lit("help"), lines: m.helpLines()}
}

func (m *Model) helpLines() []pageLine {
	var out []pageLine
	head := func(s string) {
		if len(out) > 0 {
			out = append(out, pageLine{})
		}
		out = append(out, pageLine{k: theme.Name | theme.Bold, text: engine.Clean(strings.ToUpper(s))})
	}
	seen := map[keymap.Action]bool{}
	first := []keymap.Scope{keymap.ScopeRuns, keymap.ScopeRun}
	if m.screen == screenRun {
		first[0], first[1] = first[1], first[0]
	}
	for _, s := range append(first, keymap.ScopeSheet, keymap.ScopePage, keymap.ScopeFilter, keymap.ScopeDialog, keymap.ScopePick, keymap.ScopeCommand) {
		headed, left := false, -1
		for _, e := range m.keys.In(s) {
			if seen[e.Action] {
				continue
			}
			if seen[e.Action] = true; !headed {
				head(s.String())
				headed = true
			}
			h := e.Key.Help()
			key, desc := cell.Text(m.look.th, engine.Clean(m.look.th.KeyName(h.Key))), engine.Clean(h.Desc)
			if m.look.w >= 2*pageHalf-4 && left >= 0 && cell.Width(cell.Text(m.look.th, desc)) < 26 {
				out[left].key2, out[left].text2, left = key, desc, -1
				continue
			}
			out = append(out, pageLine{k: theme.Text, key: key, text: desc})
			if left = -1; cell.Width(cell.Text(m.look.th, desc)) < 26 {
				left = len(out) - 1
			}
		}
	}
	head("words")
	for w := engine.WordDeleting; w <= engine.WordUnreadable; w++ {
		out = append(out, pageLine{k: theme.Text, key: fmt.Sprintf("%s %-13s", m.look.th.Glyph.Words[w], w.String()), text: wordHelp[w]})
	}
	head("marks on the stage line of a run")
	g := &m.look.th.Glyph
	for _, l := range []struct {
		mark string
		text engine.Text
	}{
		{g.LineDone, engine.Lit("clusters that are done")},
		{g.LineRest, engine.Lit("pending clusters")},
		{g.GateOpen, engine.Lit("approval: pending, or bright when requested")},
		{g.GatePassed, engine.Lit("approved and accepted")},
		{g.GateBad, engine.Lit("approved, but not accepted")},
		{g.WaitComing, engine.Lit("timed wait pending")},
		{g.WaitRunning, engine.Lit("timed wait running")},
	} {
		out = append(out, pageLine{k: theme.Text, key: l.mark, text: l.text})
	}
	return out
}

// wordHelp explains the states of a run.
var wordHelp = [...]engine.Text{
	engine.WordDeleting:    engine.Lit("the run is being deleted"),
	engine.WordInitFailed:  engine.Lit("initialization failed; the run never starts"),
	engine.WordPreempted:   engine.Lit("another run of the placement preempted this run"),
	engine.WordFailed:      engine.Lit("the run failed permanently"),
	engine.WordDone:        engine.Lit("all stages are done"),
	engine.WordNotObserved: engine.Lit("the controller has not reacted to the newest change for 10 s"),
	engine.WordPending:     engine.Lit("created, not initialized yet"),
	engine.WordNotAccepted: engine.Lit("an approval has the wrong observedGeneration; A approves again"),
	engine.WordStuck:       engine.Lit("a cluster is past the stuck threshold; the run can still recover"),
	engine.WordStopping:    engine.Lit("stop requested; updating clusters finish"),
	engine.WordStopped:     engine.Lit("stopped; R resumes"),
	engine.WordApproval:    engine.Lit("waits for an approval; A approves it"),
	engine.WordWaiting:     engine.Lit("in a timed wait; the time left is shown"),
	engine.WordReady:       engine.Lit("initialized, not started; R runs it"),
	engine.WordRunning:     engine.Lit("clusters are updating; SENT: an approval is not accepted yet, LATE: for 10 s"),
	engine.WordNoRun:       engine.Lit("an External placement that no run rolls out"),
	engine.WordUnreadable:  engine.Lit("the object could not be read; its row says why"),
}
