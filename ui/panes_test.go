package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/panes"
)

// settled lets the cursor rest on what it is on.
func settled(m *Model, f *fakeSource) {
	f.reply = samplePage
	_, cmd := m.Update(restMsg{step: m.panes.Steps()})
	told(m, cmd)
}

// lastWanted is what the source was last told to be on the screen.
func lastWanted(f *fakeSource) engine.Focus {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.wanted[len(f.wanted)-1]
}

// paneText is what stands in one pane of the screen.
func paneText(m *Model, p panes.Pane) string {
	l := m.layout()
	var out []string
	for y, line := range strings.Split(seen(m), "\n") {
		from, to := 0, m.look.w
		for x := range m.look.w {
			if at, _, _ := l.Hit(x, y); at < p {
				from = x + 1
			} else if at == p {
				to = x + 1
			}
		}
		out = append(out, ansi.Cut(line, from, to))
	}
	return strings.Join(out, "\n")
}

func TestTheRunPaneFollowsTheCursor(t *testing.T) {
	m, f := start(t, 160, 50, sample())
	for _, name := range []string{"example-run", "nginx-r12", "cert-mgr-r9"} {
		m.runs.Pick(id("", name))
		m.Update(nil)
		if got := paneText(m, panes.Run); !strings.Contains(got, name) || !strings.Contains(got, "WHY") {
			t.Errorf("the run pane does not show %s:\n%s", name, got)
		}
		if w := lastWanted(f); !w.Run.IsZero() {
			t.Errorf("%s is read before the cursor rests: %v", name, w.Run.Title())
		}
	}
	settled(m, f)
	if w := lastWanted(f); w.Run != id("", "cert-mgr-r9") {
		t.Errorf("the source is told %v", w.Run.Title())
	}
	step := m.panes.Steps()
	press(m, "k")
	if m.Update(restMsg{step: step}); !lastWanted(f).Run.IsZero() {
		t.Error("a rest that was over is counted")
	}
}

// The same pane stays beside the list when its run is opened and left: the stage that was
// chosen is still chosen.
func TestTabMovesBetweenPanes(t *testing.T) {
	m, f := start(t, 160, 50, sample())
	settled(m, f)
	withDetail(m, sample())
	beside := m.panes.Run()
	press(m, "tab")
	if m.screen != screenRun || m.run != beside {
		t.Fatal("tab does not lead into the run pane")
	}
	if got := paneText(m, panes.List); !strings.Contains(got, "nginx-r12") {
		t.Errorf("the list has gone:\n%s", got)
	}
	stage := m.run.Stage()
	press(m, "l")
	if m.run.Stage() == stage {
		t.Fatal("l does not act on the run pane")
	}
	press(m, "S")
	if m.mode != modeDialog || m.dialog.Status().Intent.Target != id("", "example-run") {
		t.Error("S in the run pane is about another run")
	}
	press(m, "esc", "tab")
	if m.screen != screenRuns || m.panes.Run() != beside || m.panes.Run().Stage() == stage {
		t.Error("tab does not lead back to the list, with the pane as it was")
	}
	press(m, "shift+tab")
	if m.screen != screenRun {
		t.Error("shift-tab does not lead into the run pane")
	}
	press(m, "esc", "j", "tab")
	if m.run.ID() != m.runs.Selected() {
		t.Errorf("opened %v, the cursor is on %v", m.run.ID().Title(), m.runs.Selected().Title())
	}
}

func TestTheDiagnosisPaneFollowsTheCursor(t *testing.T) {
	m, f := start(t, 210, 50, sample())
	var asked []enginepage.Question
	answer := samplePage
	f.reply = func(q enginepage.Question) enginepage.Answer { asked = append(asked, q); return answer(q) }
	_, cmd := m.Update(restMsg{step: m.panes.Steps()})
	if w := lastWanted(f); w.Run != id("", "example-run") {
		t.Errorf("the source is told %v", w.Run.Title())
	}
	m.Update(cmd())
	want := enginepage.DiagnosisQuestion{Run: id("", "example-run")}
	if len(asked) != 1 || asked[0] != want {
		t.Fatalf("asked %v", asked)
	}
	if got := paneText(m, panes.Diagnosis); !strings.Contains(got, "owner now") {
		t.Errorf("the answer is not shown:\n%s", got)
	}
	if got := paneText(m, panes.Run); strings.Contains(got, "RECOVERY") {
		t.Errorf("the reasons stand in two panes:\n%s", got)
	}
	why := m.panes.Why()
	press(m, "shift+tab")
	if m.sheet() != why {
		t.Error("shift-tab from the list does not lead into the diagnosis")
	}
	press(m, "tab")
	if len(m.stack) != 0 {
		t.Error("tab from the diagnosis does not lead to the list")
	}
	press(m, "tab", "tab")
	if m.sheet() != why || m.screen != screenRun {
		t.Error("two tabs do not lead through the run into its diagnosis")
	}
	press(m, "esc")
	if m.sheet() != nil || m.screen != screenRun {
		t.Error("esc does not return to the run")
	}
	press(m, "esc", "j")
	if got := paneText(m, panes.Diagnosis); strings.Contains(got, "owner now") {
		t.Errorf("the diagnosis of another run stays:\n%s", got)
	}
	// The answer about a run that the cursor has left is dropped.
	if m.Update(cmd()); strings.Contains(paneText(m, panes.Diagnosis), "owner now") {
		t.Error("a late answer is shown for another run")
	}
}

// TestTheDiagnosisIsReadAgainAfterItWasCovered: the frame says when it was read until then, also
// when the answer came while a text covered it.
func TestTheDiagnosisIsReadAgainAfterItWasCovered(t *testing.T) {
	m, f := start(t, 210, 50, sample())
	f.reply = samplePage
	rest := func() tea.Cmd {
		_, cmd := m.Update(restMsg{step: m.panes.Steps()})
		return cmd
	}
	told(m, rest())
	frame := func() string { return strings.Split(ansi.Strip(m.View().Content), "\n")[3] }
	if !strings.Contains(frame(), "Diagnosis") || strings.Contains(frame(), "as of") {
		t.Fatalf("a diagnosis that was just read: %q", frame())
	}
	late := m.ask(m.panes.Why())
	press(m, "?")
	told(m, late)
	press(m, "esc")
	if !strings.Contains(frame(), "as of") {
		t.Errorf("back on it, not read again yet: %q", frame())
	}
	if told(m, rest()); strings.Contains(frame(), "as of") {
		t.Errorf("read again: %q", frame())
	}
}

// A diagnosis that stays on the screen when its terminal becomes too narrow for panes is not old.
func TestADiagnosisOutlivesItsPane(t *testing.T) {
	m, f := start(t, 210, 50, sample())
	settled(m, f)
	told(m, press(m, "d"))
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 40})
	if place := strings.Split(ansi.Strip(m.View().Content), "\n")[1]; !strings.Contains(place, "diagnosis") || strings.Contains(place, "as of") {
		t.Errorf("after the resize: %q", place)
	}
}

// TestTheDiagnosisFollowsTheClusters asks again when the clusters of the run arrive: what was
// answered before does not know them.
func TestTheDiagnosisFollowsTheClusters(t *testing.T) {
	for _, keys := range [][]string{nil, {"d"}} {
		m, f := start(t, 210, 50, sample())
		asked := 0
		f.reply = func(q enginepage.Question) enginepage.Answer { asked++; return samplePage(q) }
		told(m, press(m, keys...))
		_, cmd := m.Update(restMsg{step: m.panes.Steps()})
		told(m, cmd)
		for i, state := range []engine.CoverState{engine.CoverLoading, engine.CoverComplete, engine.CoverComplete} {
			was := asked
			s := *sample()
			s.Detail = detail(&s, s.Runs[0])
			s.Detail.Bindings.State = state
			_, cmd := m.Update(nextMsg{snap: &s})
			f.snaps <- &s // the command that waits for the next one returns
			told(m, cmd)
			if again := asked > was; again != (i == 1) {
				t.Errorf("keys %q, snapshot %d: asked again %v", keys, i, again)
			}
		}
	}
}

// TestConditionsThatAreNotReadAreUnknown checks that the clusters of a run whose bindings are not
// read do not look as if they had none.
func TestConditionsThatAreNotReadAreUnknown(t *testing.T) {
	for state, want := range map[engine.CoverState]string{engine.CoverNotAsked: "…", engine.CoverLoading: "…", engine.CoverComplete: "·"} {
		m, _ := start(t, 120, 40, sample())
		press(m, "enter")
		s := *sample()
		s.Detail = detail(&s, s.Find(m.run.ID()))
		s.Detail.Bindings.State = state
		for _, stage := range s.Detail.Clusters {
			for i := range stage {
				stage[i].Bound = false
			}
		}
		m.Update(nextMsg{snap: &s})
		for line := range strings.Lines(seen(m)) {
			if strings.Contains(line, "member2") && (strings.Count(line, want) != 5 || strings.Count(line, "…")+strings.Count(line, "·") != 5) {
				t.Errorf("bindings %v: want five times %s in %q", state, want, line)
			}
		}
	}
}

func TestPanesGrow(t *testing.T) {
	m, _ := start(t, 160, 50, sample())
	width := func() int { l := m.layout(); w, _ := l.Inner(panes.List); return w }
	was := width()
	if press(m, "+"); width() <= was {
		t.Errorf("+ makes %d of %d columns", width(), was)
	}
	press(m, "+")
	if l := m.layout(); l.On() {
		t.Error("+ twice does not give the pane the whole screen")
	}
	shows(t, m, "WHY", "example-run")
	press(m, "enter")
	if l := m.layout(); l.On() || m.screen != screenRun {
		t.Error("the opened run does not fill the screen")
	}
	press(m, "esc", "_", "_")
	if width() != was {
		t.Errorf("_ twice leaves %d columns, want %d", width(), was)
	}
	m, _ = start(t, 139, 50, sample())
	press(m, "+", "tab")
	shows(t, m, "No panes here: from 140 columns")
}

// TestTheConfigurationLimitsThePanes: a change of the configuration applies to an open screen.
func TestTheConfigurationLimitsThePanes(t *testing.T) {
	m, _ := start(t, 210, 50, sample())
	for most, want := range []int{3, 0, 2, 3} {
		m.Update(changedMsg{Change{MostPanes: most}})
		got := 0
		for l := m.layout(); got < want+1 && l.Has(panes.Pane(got)); {
			got++
		}
		if got != want {
			t.Errorf("at most %d panes: %d, want %d", most, got, want)
		}
		if press(m, "tab"); most == 1 {
			shows(t, m, "No panes here: the configuration has layout: one.")
		}
		press(m, "esc", "esc")
	}
}

func TestResizingKeepsTheFocus(t *testing.T) {
	m, f := start(t, 210, 50, sample())
	settled(m, f)
	press(m, "j", "tab")
	withDetail(m, sample())
	press(m, "j")
	run, cluster := m.run, selected(m)
	for _, w := range []int{160, 120, 80, 139, 140, 190, 300} {
		m.Update(tea.WindowSizeMsg{Width: w, Height: 50})
		if m.screen != screenRun || m.run != run || selected(m) != cluster {
			t.Errorf("%d columns: on %s, want %s", w, selected(m), cluster)
		}
		shows(t, m, cluster)
	}
}

// TestTheWheelScrollsThePaneUnderIt turns the wheel over each pane while each has the focus: the pane under it
// scrolls, no other does, and the focus stays.
func TestTheWheelScrollsThePaneUnderIt(t *testing.T) {
	all := []panes.Pane{panes.List, panes.Run, panes.Diagnosis}
	for tabs, focus := range all {
		for _, over := range all {
			m, f := withMouse(t, 210, 28, sample())
			settled(m, f)
			detailed := *sample()
			detailed.Detail = detail(&detailed, detailed.Runs[0])
			m.Update(nextMsg{snap: &detailed})
			for range tabs {
				told(m, press(m, "tab"))
			}
			l, x := m.layout(), 0
			if m.focused() != focus || !l.On() {
				t.Fatalf("the focus is on %d, want %d", m.focused(), focus)
			}
			for p, _, _ := l.Hit(x, 5); p != over; p, _, _ = l.Hit(x, 5) {
				x++
			}
			text := func(p panes.Pane) string {
				lines := strings.Split(paneText(m, p), "\n")
				return strings.Join(lines[headRows:len(lines)-2], "\n") // without header and keys
			}
			var before []string
			for _, p := range all {
				before = append(before, text(p))
			}
			m.Update(tea.MouseWheelMsg{X: x + 4, Y: 12, Button: tea.MouseWheelDown})
			for i, p := range all {
				// Another run in the list is another run in the panes beside it.
				if moved := text(p) != before[i]; moved != (p == over) && (over != panes.List || p == over) {
					t.Errorf("focus on pane %d: the wheel over pane %d scrolls pane %d: %v\n%s", focus, over, p, moved, text(p))
				}
			}
			if m.focused() != focus {
				t.Errorf("the wheel over pane %d moves the focus to %d", over, m.focused())
			}
		}
	}
}

func TestTheMouseFindsItsPane(t *testing.T) {
	m, f := withMouse(t, 210, 50, sample())
	settled(m, f)
	withDetail(m, sample())
	clickOn(t, m, "cert-mgr-r9")
	if m.runs.Selected() != id("", "cert-mgr-r9") || m.screen != screenRuns {
		t.Fatalf("selected %v", m.runs.Selected().Title())
	}
	m.runs.Pick(id("", "example-run"))
	m.Update(nil)
	withDetail(m, sample())
	clickOn(t, m, "1 staging")
	if m.screen != screenRun || m.run.Stage() != 0 {
		t.Error("a click on a stage does not choose it in the run pane")
	}
	settled(m, f)
	clickOn(t, m, "owner now")
	if m.sheet() == nil {
		t.Error("a click into the diagnosis does not lead there")
	}
	clickOn(t, m, "cert-mgr-r9")
	if m.runs.Selected() != id("", "cert-mgr-r9") || len(m.stack) != 0 {
		t.Error("a click on the list does not lead there")
	}
	at, _ := m.runs.At()
	x, y := place(t, m, "nginx-r12")
	m.Update(tea.MouseWheelMsg{X: x, Y: y, Button: tea.MouseWheelDown})
	if now, _ := m.runs.At(); now == at {
		t.Error("the wheel over the list does not scroll it")
	}
}
