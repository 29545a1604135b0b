package ui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
	"github.com/stagewatch/stagewatch/ui/viewer"
)

func (m *Model) onPageKey(a keymap.Action) tea.Cmd {
	switch {
	case m.page.Update(a):
	case a == keymap.Copy:
		return m.copyPage()
	case a == keymap.Back, a == keymap.Quit, a == keymap.Help:
		m.mode = modeBrowse
	case a == keymap.Suspend:
		return tea.Suspend
	}
	return nil
}

// askYAML asks for the object under the cursor as the hub stores it.
func (m *Model) askYAML() tea.Cmd { return m.yamlOf(m.target()) }

// yamlOf asks for an object as the hub stores it.
func (m *Model) yamlOf(id engine.ID) tea.Cmd {
	if id.IsZero() {
		return nil
	}
	return m.readText(engine.Textf("YAML of %s %s", id.Kind().Short(), id.Title()), enginepage.YAMLQuestion{Object: id})
}

// readText asks for a text and shows it over the screen.
func (m *Model) readText(title engine.Text, q enginepage.Question) tea.Cmd {
	m.mode = modePage
	m.page.Wait(title, q)
	m.texts++
	return m.askText(q)
}

func (m *Model) askText(q enginepage.Question) tea.Cmd {
	ctx, src, n := m.ctx, m.src, m.texts
	return func() tea.Msg {
		a := src.Ask(ctx, q)
		if ctx.Err() != nil {
			return nil
		}
		return answeredMsg{n: n, answer: a}
	}
}

// onText takes the answer of a text, and asks again later when its page is one that
// is renewed.
func (m *Model) onText(msg answeredMsg) tea.Cmd {
	if !m.page.Answer(msg.answer) || msg.n != m.texts || sheetKindOf(msg.answer.Question) == nil {
		return nil
	}
	return m.after(pageEvery, func(time.Time) tea.Msg { return textDueMsg{msg.n} })
}

// onTextDue asks again while the text is on the screen.
func (m *Model) onTextDue(msg textDueMsg) tea.Cmd {
	q := m.page.Question()
	if !m.readsText() || msg.n != m.texts || q == nil {
		return nil
	}
	return m.askText(q)
}

// readsText reports whether a text covers the screen.
func (m *Model) readsText() bool {
	return m.mode == modePage || m.mode == modeCommand && m.command.over == modePage
}

// openHelp shows every key of the keymap, the words and the marks.
func (m *Model) openHelp() {
	m.mode = modePage
	m.page.Show(engine.Lit("help"), m.helpLines())
}

func (m *Model) helpLines() []viewer.Line {
	var out []viewer.Line
	head := func(s string) {
		if len(out) > 0 {
			out = append(out, viewer.Line{})
		}
		out = append(out, viewer.Line{Style: theme.Name | theme.Bold, Text: engine.Clean(strings.ToUpper(s))})
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
			key, desc := cell.Text(m.scene.Theme, engine.Clean(m.scene.Theme.KeyName(h.Key))), engine.Clean(h.Desc)
			if m.look.w >= 2*viewer.Half-4 && left >= 0 && cell.Width(cell.Text(m.scene.Theme, desc)) < 26 {
				out[left].Key2, out[left].Text2, left = key, desc, -1
				continue
			}
			out = append(out, viewer.Line{Style: theme.Text, Key: key, Text: desc})
			if left = -1; cell.Width(cell.Text(m.scene.Theme, desc)) < 26 {
				left = len(out) - 1
			}
		}
	}
	head("states")
	for w := engine.WordDeleting; w <= engine.WordUnreadable; w++ {
		out = append(out, viewer.Line{Style: theme.Text, Key: fmt.Sprintf("%s %-13s", m.scene.Theme.Glyph.Words[w], w.String()), Text: wordHelp[w]})
	}
	head("marks on the stage line of a run")
	g := &m.scene.Theme.Glyph
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
		out = append(out, viewer.Line{Style: theme.Text, Key: l.mark, Text: l.text})
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
