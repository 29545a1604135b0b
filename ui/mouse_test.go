package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/dialog"
)

// withMouse returns the model with the mouse on.
func withMouse(t *testing.T, w, h int, s *engine.Snapshot) (*Model, *fakeSource) {
	t.Helper()
	m, f := start(t, w, h, s)
	press(m, "%")
	return m, f
}

func click(m *Model, x, y int) tea.Cmd {
	_, cmd := m.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	return cmd
}

func wheel(m *Model, b tea.MouseButton) {
	m.Update(tea.MouseWheelMsg{X: 5, Y: 5, Button: b})
}

// place finds a text on the screen as it is drawn.
func place(t *testing.T, m *Model, text string) (x, y int) {
	t.Helper()
	for y, l := range strings.Split(ansi.Strip(m.View().Content), "\n") {
		if before, _, ok := strings.Cut(l, text); ok {
			return ansi.StringWidth(before), y
		}
	}
	t.Fatalf("no %q on the screen:\n%s", text, ansi.Strip(m.View().Content))
	return 0, 0
}

func clickOn(t *testing.T, m *Model, text string) tea.Cmd {
	t.Helper()
	x, y := place(t, m, text)
	return click(m, x, y)
}

func TestTheMouseIsOffAtFirst(t *testing.T) {
	m, _ := start(t, 100, 30, sample())
	if m.View().MouseMode != tea.MouseModeNone {
		t.Error("the terminal cannot select text")
	}
	clickOn(t, m, "cert-mgr-r9")
	wheel(m, tea.MouseWheelDown)
	if got := selected(m); got != "example-run" {
		t.Errorf("a click selected %s", got)
	}
	press(m, "%")
	if m.View().MouseMode != tea.MouseModeCellMotion {
		t.Error("% does not turn it on")
	}
	shows(t, m, "The mouse is on")
	press(m, "%")
	if m.View().MouseMode != tea.MouseModeNone {
		t.Error("% does not turn it off")
	}
	on := New(t.Context(), newFake(), Options{Now: t0, Change: Change{Mouse: true}})
	if on.View().MouseMode != tea.MouseModeCellMotion {
		t.Error("the option does not turn it on")
	}
}

func TestAClickSelectsAndOpens(t *testing.T) {
	m, _ := withMouse(t, 120, 40, sample())
	clickOn(t, m, "cert-mgr-r9")
	if got := selected(m); got != "cert-mgr-r9" || m.screen != screenRuns {
		t.Fatalf("selected %s", got)
	}
	// Rows that were sorted anew and are not laid out yet: what was drawn counts.
	x, y := place(t, m, "example-run ")
	m.onNext(nextMsg{snap: func() *engine.Snapshot {
		s := sample()
		s.Runs = append(s.Runs[5:], s.Runs[:5]...)
		return s
	}()})
	click(m, x, y)
	if got := selected(m); got != "example-run" {
		t.Errorf("selected %s, clicked on example-run", got)
	}
	clickOn(t, m, "example-run ")
	if m.screen != screenRun || m.run.ID() != id("", "example-run") {
		t.Fatal("a second click does not open")
	}
	withDetail(m, sample())
	clickOn(t, m, "2 canary")
	if m.run.Stage() != 1 {
		t.Errorf("stage %d", m.run.Stage())
	}
	clickOn(t, m, "1 staging")
	clickOn(t, m, "member3 ")
	if got := selected(m); got != "member3" {
		t.Errorf("selected %s", got)
	}
	clickOn(t, m, "member3 ")
	s := m.sheet()
	if s == nil {
		t.Fatal("no page")
	}
	if _, ok := s.Question().(enginepage.ClusterQuestion); !ok {
		t.Error("a second click does not open the cluster")
	}
}

func TestAClickOnAPage(t *testing.T) {
	for _, w := range []int{100, 160} {
		m, f := withMouse(t, w, 40, sample())
		f.reply = samplePage
		press(m, "enter")
		withDetail(m, sample())
		told(m, press(m, "c"))
		clickOn(t, m, "and-what-changed")
		if r := m.sheet().Row(); r == nil || r.Key.String() != "work and-what-changed" {
			t.Fatalf("at %d columns: row %v", w, r)
		}
		n := len(m.stack.Sheets())
		clickOn(t, m, "and-what-changed")
		if len(m.stack.Sheets()) != n+1 {
			t.Error("a second click does not follow")
		}
	}
}

func TestTheWheelScrolls(t *testing.T) {
	m, _ := withMouse(t, 100, 20, sample())
	wheel(m, tea.MouseWheelDown)
	if at, _ := m.runs.At(); at != 3 {
		t.Errorf("at row %d", at)
	}
	wheel(m, tea.MouseWheelUp)
	wheel(m, tea.MouseWheelUp)
	if at, _ := m.runs.At(); at != 0 {
		t.Errorf("at row %d", at)
	}
	press(m, "?")
	wheel(m, tea.MouseWheelDown)
	if from, _, _ := m.text().Window(); from != 3 {
		t.Errorf("text at %d", from)
	}
	for range 100 {
		wheel(m, tea.MouseWheelDown)
	}
	if from, to, of := m.text().Window(); to != of || to-from != m.bodyHeight()-1 {
		t.Errorf("text at %d to %d of %d", from, to, of)
	}
}

// Keys at the foot can be clicked: they do what the key does, guard included.
func TestAClickOnAKey(t *testing.T) {
	m, _ := withMouse(t, 120, 40, sample())
	clickOn(t, m, "S stop  C clone")
	if m.mode != modeDialog || m.dialog.Status().Act != engine.ActStop {
		t.Fatal("no dialog")
	}
	press(m, "esc")
	clickOn(t, m, "R run  S stop")
	shows(t, m, "Cannot run: its state is already Run.")
	if m.mode == modeDialog {
		t.Error("a dialog opened")
	}
	clickOn(t, m, "/ filter")
	typeIn(m, "r9")
	clickOn(t, m, "esc cancel")
	if m.mode != modeBrowse || (m.runs.Filter() != "") {
		t.Error("the filter stays")
	}
	press(m, ":")
	clickOn(t, m, "stop")
	if e, _ := m.command.Chosen(); m.mode != modeCommand || e.Name != "stop" {
		t.Error("no command chosen")
	}
	clickOn(t, m, "stop               ")
	if m.mode != modeDialog || m.dialog.Status().Act != engine.ActStop {
		t.Error("the chosen command is not done")
	}
}

// TestClicksConfirmNothing clicks on every cell of dialogs of each tier, in each
// of their steps and with the word typed: nothing is ever sent.
func TestClicksConfirmNothing(t *testing.T) {
	inOneGoroutine(t)
	for _, key := range []string{"S", "C", "X"} {
		for _, word := range []string{"", "example-run", "example-run-2"} {
			m, f := withMouse(t, 90, 36, sample())
			open := func() {
				press(m, key)
				quiet(m)
				typeIn(m, word)
			}
			open()
			for y := range 36 {
				for x := range 90 {
					if m.mode != modeDialog {
						open()
					}
					for range 2 {
						if cmd := click(m, x, y); cmd != nil && m.dialog.Status().Step != dialog.StepAsk {
							t.Fatalf("%s, %q: a click at %d,%d sends", key, word, x, y)
						}
					}
				}
			}
			if len(f.sent) > 0 {
				t.Fatalf("%s, %q: sent %v", key, word, f.sent)
			}
		}
	}
}

func TestAClickInADialog(t *testing.T) {
	m, _ := withMouse(t, 100, 40, sample())
	press(m, "S")
	// A dialog is deaf to clicks, too, and a click keeps it so.
	seq := m.dialog.Status().Key
	clickOn(t, m, "Cancel")
	if m.mode != modeDialog || m.dialog.Status().Key == seq {
		t.Fatal("a deaf dialog listened")
	}
	m.Update(dialog.QuietMsg{Dialog: m.dialog.Status().Number, Key: seq})
	if m.dialog.Status().Armed {
		t.Fatal("the click did not count")
	}
	quiet(m)
	clickOn(t, m, "y stop")
	shows(t, m, "The mouse cannot confirm: press y.")
	clickOn(t, m, "Cancel")
	if m.mode != modeBrowse {
		t.Error("Cancel does not cancel")
	}
	press(m, "C")
	quiet(m)
	clickOn(t, m, "note ")
	if m.dialog.Status().Focus != dialog.Note {
		t.Errorf("focus on %v", m.dialog.Status().Focus)
	}
	clickOn(t, m, "enter clone")
	shows(t, m, "The mouse cannot confirm: type example-run-2")
	clickOn(t, m, "new name")
	if m.dialog.Status().Focus != dialog.Name {
		t.Errorf("focus on %v", m.dialog.Status().Focus)
	}
	press(m, "esc", "S")
	quiet(m)
	m.Update(press(m, "y")())
	clickOn(t, m, "esc or enter closes")
	if m.mode != modeBrowse {
		t.Error("a click on closes does not close")
	}
}
