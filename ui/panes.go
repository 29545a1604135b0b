package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/page"
	"github.com/stagewatch/stagewatch/ui/panes"
	"github.com/stagewatch/stagewatch/ui/run"
	"github.com/stagewatch/stagewatch/ui/sheets"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// layout is where the panes stand; none where one thing fills the screen.
func (m *Model) layout() panes.Layout {
	if m.scene.Snap == nil || len(m.scene.Snap.Runs) == 0 || m.mode == modePage || m.readsText() {
		return panes.Layout{}
	}
	if s := m.sheet(); s != nil {
		_, why := s.Question().(enginepage.DiagnosisQuestion)
		if !why || m.paneCount() < 3 || len(m.stack.Sheets()) > 1 {
			return panes.Layout{}
		}
	}
	return m.panes.Layout(m.paneCount(), m.look.w, m.bodyHeight(), m.focused())
}

// paneCount is how many panes the terminal has room for, and the configuration permits.
func (m *Model) paneCount() int {
	n := panes.Count(m.look.w, m.bodyHeight())
	if most := m.opt.MostPanes; most > 0 {
		n = min(n, most)
	}
	return n
}

// focused is the pane that keys are about.
func (m *Model) focused() panes.Pane {
	switch {
	case m.sheet() != nil:
		return panes.Diagnosis
	case m.screen == screenRun:
		return panes.Run
	}
	return panes.List
}

// shownRun is the opened run, else the one under the cursor of the list.
func (m *Model) shownRun() *run.Pane {
	if m.screen == screenRun {
		return m.run
	}
	return m.panes.Run()
}

// newRun returns a pane of a run.
func (m *Model) newRun(id engine.ID) *run.Pane { return run.New(m.ctx, m.scene, m.src, id, m.hints) }

// arrangePanes fits the panes beside the list to data and size.
func (m *Model) arrangePanes(l *panes.Layout) {
	if m.screen != screenRun {
		var id engine.ID
		if v := m.runs.Current(); v != nil {
			id = v.ID
		}
		m.panes.Follow(id)
	}
	shown := m.shownRun()
	w, h := l.Inner(panes.Run)
	if !l.Has(panes.Diagnosis) {
		shown.Arrange(w, h, run.Beside)
		return
	}
	shown.Arrange(w, h, run.Between)
	s := m.sheet()
	if s == nil {
		a := m.about()
		if q, _ := sheets.For(keymap.Diagnose).Ask(a); q != nil {
			s = m.panes.WhyOf(enginepage.TitleOf(q), q, a.Subject)
		}
	}
	if m.panes.Diagnose(s); s != nil {
		w, h = l.Inner(panes.Diagnosis)
		m.arrangeSheet(s, w, h)
	}
}

// restMsg says that the panes may have shown the same for a while.
type restMsg struct{ step int }

// settle starts the time after which what the panes show is read from the hub.
func (m *Model) settle() tea.Cmd {
	var id engine.ID
	l := m.layout()
	if l.On() {
		id = m.shownRun().ID()
	}
	step, changed := m.panes.Settle(id, l.Has(panes.Diagnosis), m.sheet())
	if !changed {
		return nil
	}
	return m.after(panes.RestAfter, func(time.Time) tea.Msg { return restMsg{step: step} })
}

// onRest asks for the diagnosis that the cursor has come to rest on.
func (m *Model) onRest(msg restMsg) tea.Cmd {
	if s := m.panes.Rest(msg.step); s != nil {
		return m.ask(s)
	}
	return nil
}

// onDetail asks for the shown diagnosis again with the first snapshot that has the clusters of
// its run: what was answered before does not know them.
func (m *Model) onDetail(before *engine.Snapshot) tea.Cmd {
	s := m.sheet()
	if s == nil {
		s = m.panes.Shown()
	}
	if s == nil {
		return nil
	}
	q, ok := s.Question().(enginepage.DiagnosisQuestion)
	if !ok || !m.scene.Snap.HasClusters(q.Run) || before.HasClusters(q.Run) {
		return nil
	}
	return m.ask(s)
}

// pageOf returns the page on the screen whose latest question has a number; nil for none.
func (m *Model) pageOf(number int) *page.Page {
	if s := m.sheet(); s != nil && s.Number() == number {
		return s
	}
	if s := m.changes.Asked(number); s != nil {
		return s
	}
	return m.panes.Asked(number)
}

// panesView draws the panes.
func (m *Model) panesView(l *panes.Layout) string {
	shown := m.shownRun()
	all := []panes.Framed{
		{Title: panes.Name("Runs"), Note: m.runs.Position(), Lines: strings.Split(m.runs.View(), "\n")},
		{Title: shown.Place, Lines: m.withChanges(strings.Split(shown.View(), "\n"), true)},
	}
	if l.Has(panes.Diagnosis) {
		why := panes.Framed{Title: panes.Name("Diagnosis"), Note: m.panes.WhyAsOf(m.scene)}
		if s := m.panes.Why(); s != nil {
			why.Lines = s.View()
		}
		all = append(all, why)
	}
	return l.View(m.scene.Theme, all)
}

// hasPanes reports whether the keys of panes do something here.
func (m *Model) hasPanes() bool {
	l := m.layout()
	return l.On() || m.panes.IsWhole() && m.paneCount() > 1 || m.sheet().HasMore()
}

// onPaneKey moves the focus between panes, or makes its pane larger or smaller.
func (m *Model) onPaneKey(a keymap.Action) tea.Cmd {
	n := panes.Pane(m.paneCount())
	switch {
	case m.sheet().HasMore():
		m.sheet().Focus()
	case !m.hasPanes() && m.opt.MostPanes == 1:
		m.scene.Say(theme.Sub, engine.Lit("No panes here: the configuration has layout: one."))
	case !m.hasPanes():
		m.scene.Say(theme.Sub, engine.Textf("No panes here: from %d columns, the list of runs and the run stand side by side.", panes.TwoFrom))
	case a == keymap.LargerPane:
		m.panes.Larger()
	case a == keymap.SmallerPane:
		m.panes.Smaller()
	case a == keymap.NextPane:
		return m.focusOn((m.focused() + 1) % n)
	case a == keymap.PrevPane:
		return m.focusOn((m.focused() + n - 1) % n)
	}
	return nil
}

// focusOn makes keys be about another pane.
func (m *Model) focusOn(p panes.Pane) tea.Cmd {
	switch {
	case p == panes.List:
		m.clearStack()
	case p == panes.Diagnosis:
		return m.openSheet(keymap.Diagnose)
	case m.sheet() != nil && len(m.stack) > 1:
		return m.pop()
	default:
		cmd := m.pop()
		return tea.Batch(cmd, m.onOpen())
	}
	return nil
}
