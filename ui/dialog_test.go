package ui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/ui/dialog"
)

// onApproval returns a model whose approve dialog is open on pay-api-r41.
func onApproval(t *testing.T) (*Model, *fakeSource) {
	m, f := start(t, 100, 40, sample())
	press(m, "j", "j", "j", "j", "j", "A")
	if m.mode != modeDialog {
		t.Fatal("no dialog")
	}
	return m, f
}

func shows(t *testing.T, m *Model, want ...string) {
	t.Helper()
	got := ansi.Strip(m.View().Content)
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("screen lacks %q:\n%s", w, got)
		}
	}
}

func TestDialogNamesHubUserAndObject(t *testing.T) {
	m, _ := onApproval(t)
	shows(t, m, "hub-prod-weu", "https://hub-prod-weu.hcp.westeurope.azmk8s.io:443", "oncall@contoso.com",
		"ClusterApprovalRequest pay-api-r41-after-canary, generation 1", "Stage canary ends after its timed wait", "An approval cannot be undone", "kubectl --context", "note", "Cancel")
}

func TestWhatConfirms(t *testing.T) {
	word := strings.Split("canary", "")
	for _, tt := range []struct {
		name string
		run  func(m *Model) tea.Cmd
		sent bool
	}{
		{"enter on Cancel", func(m *Model) tea.Cmd { return press(m, "enter") }, false},
		{"y where it cannot be taken back", func(m *Model) tea.Cmd { return press(m, "y", "enter") }, false},
		{"the opening key", func(m *Model) tea.Cmd { return press(m, "A", "enter") }, false},
		{"half of the word", func(m *Model) tea.Cmd { return press(m, "c", "a", "n", "enter") }, false},
		{"more than the word", func(m *Model) tea.Cmd { return press(m, append(word, "y", "enter")...) }, false},
		{"the word in the note", func(m *Model) tea.Cmd { return press(m, append(append([]string{"tab"}, word...), "enter", "enter")...) }, false},
		{"a paste of the word", func(m *Model) tea.Cmd {
			m.Update(tea.PasteMsg{Content: "canary\n"})
			return press(m, "tab", "tab", "enter")
		}, false},
		{"a paste into the word", func(m *Model) tea.Cmd {
			press(m, "tab", "tab")
			m.Update(tea.PasteMsg{Content: "canary"})
			return press(m, "enter")
		}, false},
		{"the word and esc", func(m *Model) tea.Cmd { return press(m, append(word, "esc")...) }, false},
		{"the word, then Cancel", func(m *Model) tea.Cmd { return press(m, append(word, "tab", "enter")...) }, false},
		{"the word and enter", func(m *Model) tea.Cmd { return press(m, append(word, "enter")...) }, true},
		{"a note, the word and enter", func(m *Model) tea.Cmd {
			return press(m, append(append([]string{"tab", "o", "k", "enter"}, word...), "enter")...)
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, f := onApproval(t)
			quiet(m)
			cmd := tt.run(m)
			if got := m.mode == modeDialog && m.dialog.Status().Step == dialog.StepSend; got != tt.sent {
				t.Fatalf("sent = %v, want %v", got, tt.sent)
			}
			if !tt.sent {
				return
			}
			// More keys while waiting for the answer send nothing more.
			for _, k := range []string{"enter", "y", "enter"} {
				if again := press(m, k); again != nil {
					t.Errorf("%s while sending gave a command", k)
				}
			}
			m.Update(cmd())
			if len(f.sent) != 1 || f.sent[0].Target != m.dialog.Status().Intent.Target {
				t.Fatalf("sent %v", f.sent)
			}
			if strings.Contains(tt.name, "note") && f.sent[0].Message.String() != "ok" {
				t.Errorf("message is %q", f.sent[0].Message)
			}
			shows(t, m, "applied", "the watch has not returned the change yet")
		})
	}
}

// The note of an act that a key confirms is a field of its own: there y is a
// letter, enter goes back to Cancel, and a paste confirms nothing.
func TestNoteWhereYConfirms(t *testing.T) {
	m, f := start(t, 80, 24, sample())
	press(m, "S")
	quiet(m)
	shows(t, m, "reason, recorded in the audit log", "tab note")
	press(m, "tab")
	if cmd := press(m, "y"); m.dialog.Status().Step != dialog.StepAsk || cmd != nil && m.dialog.Status().Note != "y" {
		t.Fatal("y in the note confirmed")
	}
	m.Update(tea.PasteMsg{Content: strings.Repeat("y\n", 100)})
	if m.dialog.Status().Step != dialog.StepAsk || m.dialog.Status().Ready {
		t.Fatal("a paste confirmed")
	}
	shows(t, m, "  stop   tab leaves the note")
	if strings.Contains(ansi.Strip(m.View().Content), "y stop") {
		t.Error("y is offered where it is typed")
	}
	press(m, "ctrl+u", "o", "k")
	press(m, "enter")
	shows(t, m, "y stop   tab note")
	if m.mode != modeDialog || m.dialog.Status().Focus != dialog.Cancel || !m.dialog.Status().Ready {
		t.Fatal("enter does not go back to Cancel")
	}
	cmd := press(m, "y")
	if m.dialog.Status().Step != dialog.StepSend {
		t.Fatal("y did not confirm")
	}
	m.Update(cmd())
	if len(f.sent) != 1 || f.sent[0].Message.String() != "ok" {
		t.Fatalf("sent %v", f.sent)
	}
}

func TestReversibleActsTakeY(t *testing.T) {
	m, f := start(t, 100, 40, sample())
	press(m, "S")
	for _, k := range []string{"y", "enter", "y", "y"} {
		press(m, k)
	}
	if m.mode != modeDialog || m.dialog.Status().Step != dialog.StepAsk {
		t.Fatal("a deaf dialog listened")
	}
	quiet(m)
	press(m, "S", "A", "x")
	if m.dialog.Status().Step != dialog.StepAsk {
		t.Fatal("another key confirmed")
	}
	cmd := press(m, "y")
	if m.dialog.Status().Step != dialog.StepSend {
		t.Fatal("y did not confirm")
	}
	m.Update(cmd())
	if len(f.sent) != 1 || f.sent[0].Act != engine.ActStop {
		t.Fatalf("sent %v", f.sent)
	}
	press(m, "enter")
	if m.mode != modeBrowse {
		t.Error("enter does not close")
	}
}

// A key that is held repeats every 30 ms: the dialog stays deaf until it is
// let go, and 400 ms more.
func TestDialogIsDeafUntilKeysRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, _ := start(t, 100, 40, sample())
		begin := time.Now()
		var timers []tea.Cmd
		timers = append(timers, press(m, "S"))
		for range 50 {
			time.Sleep(30 * time.Millisecond)
			timers = append(timers, press(m, "S"))
		}
		if m.dialog.Status().Armed {
			t.Fatal("listens while a key is held")
		}
		for _, c := range timers {
			for c != nil {
				_, c = m.Update(c())
			}
		}
		if took := time.Since(begin); !m.dialog.Status().Armed || took < 1500*time.Millisecond+400*time.Millisecond {
			t.Errorf("armed = %v after %v", m.dialog.Status().Armed, took)
		}
	})
}

// While the program stands still, the keys that a person types or holds wait to be read.
// The timer that has expired meanwhile does not make the dialog take them for an answer.
func TestDialogIsDeafAfterAStandstill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, f := start(t, 100, 40, sample())
		press(m, "S")
		m.Update(dialog.CheckedMsg{Dialog: m.dialog.Status().Number, Answer: took(m.dialog.Status().Check.Question)})
		timer := press(m, "S") // held
		time.Sleep(10 * time.Second)
		_, next := m.Update(timer())
		press(m, "y", "y", "y", "y")
		if m.dialog.Status().Step != dialog.StepAsk || len(f.sent) != 0 {
			t.Fatalf("confirmed by keys from before: %v", f.sent)
		}
		for next != nil {
			_, next = m.Update(next())
		}
		if m.dialog.Status().Armed {
			t.Error("listens although keys came since the timer was started")
		}
	})
}

func TestALateTimerDoesNotArmAnotherDialog(t *testing.T) {
	m, _ := start(t, 100, 40, sample())
	press(m, "S")
	old := dialog.QuietMsg{Dialog: m.dialog.Status().Number, Key: m.dialog.Status().Key}
	press(m, "esc", "S")
	if m.Update(old); m.dialog.Status().Armed {
		t.Error("armed by the timer of a closed dialog")
	}
}

func TestDialogFollowsItsTarget(t *testing.T) {
	for _, tt := range []struct {
		name  string
		edit  func(*engine.Snapshot)
		wants string
	}{
		{"run gone", func(s *engine.Snapshot) { s.Runs = nil }, "pay-api-r41 was deleted"},
		{"made anew under its name", func(s *engine.Snapshot) {
			v := *find(s, "pay-api-r41")
			v.ID = engine.NewID(v.ID.Kind(), "", "pay-api-r41", "another")
			s.Runs = []*engine.RunView{&v}
		}, "pay-api-r41 was deleted and created again"},
		{"request made anew", func(s *engine.Snapshot) {
			v := *find(s, "pay-api-r41")
			v.Stages = append([]engine.StageView(nil), v.Stages...)
			g := v.Stages[1].After[0]
			g.Request = engine.NewID(g.Request.Kind(), "", "pay-api-r41-after-canary", "another")
			v.Stages[1].After = []engine.GateView{g}
			s.Runs = []*engine.RunView{&v}
		}, "object of this dialog was deleted"},
		{"approved by someone else", func(s *engine.Snapshot) {
			v := *find(s, "pay-api-r41")
			v.Word, v.Stages = engine.WordWaiting, append([]engine.StageView(nil), v.Stages...)
			v.Stages[1].After = append([]engine.GateView(nil), v.Stages[1].After...)
			v.Stages[1].After[0].State = engine.GatePassed
			s.Runs = []*engine.RunView{&v}
		}, "stage canary is in a timed wait"},
		{"link lost", func(s *engine.Snapshot) { s.WritesOff = txt("the hub is not reachable") }, "the hub is not reachable"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, f := onApproval(t)
			quiet(m)
			press(m, strings.Split("canary", "")...)
			s := sample()
			tt.edit(s)
			m.Update(nextMsg{snap: s})
			shows(t, m, "blocked", tt.wants)
			press(m, "enter")
			press(m, strings.Split("canary", "")...)
			press(m, "enter")
			if m.mode == modeDialog && m.dialog.Status().Step != dialog.StepAsk || len(f.sent) > 0 {
				t.Error("sent nevertheless")
			}
		})
	}
}

func TestWordsThatChangeMustBeReadAgain(t *testing.T) {
	m, _ := onApproval(t)
	quiet(m)
	press(m, strings.Split("canary", "")...)
	m.rules.Propose = func(s *engine.Snapshot, a engine.Act, run engine.ID, now time.Time) (act.Intent, engine.Refusal) {
		i, no := act.Propose(s, a, run, now)
		i.Effect = []engine.Text{txt("Stage prod starts: 80 clusters at once.")}
		return i, no
	}
	cmd := press(m, "enter")
	if m.dialog.Status().Step != dialog.StepAsk || m.dialog.Status().Word != "" || cmd == nil {
		t.Fatal("confirmed on words that were not on screen")
	}
	shows(t, m, "80 clusters at once", "changed")
	quiet(m)
	press(m, append(strings.Split("canary", ""), "enter")...)
	if m.dialog.Status().Step != dialog.StepSend {
		t.Error("cannot be confirmed after reading again")
	}
}

func TestOutcomeOfAClosedDialogIsTold(t *testing.T) {
	m, _ := start(t, 100, 40, sample())
	press(m, "S")
	quiet(m)
	cmd := press(m, "y")
	press(m, "esc")
	shows(t, m, "waiting for the answer")
	m.Update(cmd())
	shows(t, m, "Stop example-run: applied: The hub took it.")
	m.Update(dialog.OutcomeMsg{Outcome: act.Outcome{Intent: m.dialog.Status().Intent, Result: act.ResultNotApplied, What: txt("no answer in time"), Hint: txt("check the current state before you repeat it.")}})
	shows(t, m, "Stop example-run: not applied: no answer in time; check the current state before you repeat it.")
	if got := seen(m); strings.Contains(got, "..") {
		t.Errorf("a sentence ends twice:\n%s", got)
	}
}

func TestOutcomes(t *testing.T) {
	for _, r := range []act.Result{act.ResultApplied, act.ResultRefused, act.ResultNotApplied, act.ResultUnknown} {
		m, _ := start(t, 100, 40, sample())
		press(m, "S")
		quiet(m)
		press(m, "y")
		m.Update(dialog.OutcomeMsg{Dialog: m.dialog.Status().Number, Outcome: act.Outcome{Intent: m.dialog.Status().Intent, Result: r, What: txt("what the hub said"), Hint: txt("what to do")}})
		shows(t, m, r.String(), "what the hub said", "what to do")
	}
}

func TestNoDialogWithoutPermission(t *testing.T) {
	s := sample()
	s.WritesOff = txt("started with --read-only")
	m, f := start(t, 100, 40, s)
	for _, k := range []string{"A", "R", "S"} {
		press(m, k, "y", "enter", "esc", "esc")
		if m.mode == modeDialog || len(f.sent) > 0 {
			t.Fatalf("%s opened a dialog", k)
		}
	}
	press(m, "S")
	shows(t, m, "Cannot stop: started with --read-only")
}

// TestARefusalNamesTheHub says, in a list of several hubs, on which of them an act is not possible.
func TestARefusalNamesTheHub(t *testing.T) {
	s := onTwoHubs()
	for i, h := range s.Hubs {
		off := *h
		off.WritesOff = txt("the connection to the hub is broken")
		s.Hubs[i] = &off
	}
	m, _ := start(t, 160, 50, s)
	press(m, "S")
	shows(t, m, m.subject().Run.Hub().Text().String()+": Cannot stop: the connection to the hub is broken")
}

// TestAnUnseenDialogConfirmsNothing opens a dialog in a terminal that is too small to
// draw it.
func TestAnUnseenDialogConfirmsNothing(t *testing.T) {
	m, f := start(t, 30, 8, sample())
	press(m, "S")
	if m.mode != modeDialog {
		t.Fatal("no dialog")
	}
	quiet(m)
	press(m, "y")
	if m.dialog.Status().Step != dialog.StepAsk || len(f.sent) > 0 {
		t.Fatalf("y confirmed a dialog that was not drawn; sent %v", f.sent)
	}
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	press(m, "y")
	if m.dialog.Status().Step != dialog.StepSend {
		t.Error("y does not confirm the drawn dialog")
	}
}
