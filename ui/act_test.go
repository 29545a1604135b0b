package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/dialog"
)

// rest makes the dialog listen without an answer of the hub.
func rest(m *Model) {
	m.Update(dialog.QuietMsg{Dialog: m.dialog.Status().Number, Key: m.dialog.Status().Key})
}

func TestTheHubIsAskedFirst(t *testing.T) {
	m, f := start(t, 100, 40, sample())
	press(m, "S")
	rest(m)
	shows(t, m, "server dry run in progress")
	press(m, "y")
	shows(t, m, "server dry run has not finished")
	if m.dialog.Status().Step != dialog.StepAsk {
		t.Fatal("sent before the hub was asked")
	}
	q := m.dialog.Status().Check.Question
	if q.Intent == nil || q.Intent.Act != engine.ActStop || q.Intent.Target != m.dialog.Status().Intent.Target {
		t.Fatalf("asked %+v", q)
	}
	// An answer to another question is none.
	other := q
	other.Intent = &act.Intent{}
	m.Update(dialog.CheckedMsg{Dialog: m.dialog.Status().Number, Answer: took(other)})
	m.Update(dialog.CheckedMsg{Dialog: m.dialog.Status().Number - 1, Answer: took(q)})
	if m.dialog.Status().Check.Answered {
		t.Fatal("an answer to something else was taken")
	}
	m.Update(dialog.CheckedMsg{Dialog: m.dialog.Status().Number, Answer: enginepage.Answer{Question: q, Err: txt("the quota is used up"), Hint: txt("ask for more")}})
	press(m, "y")
	shows(t, m, "blocked", "the quota is used up", "ask for more")
	if m.dialog.Status().Step != dialog.StepAsk || len(f.sent) > 0 {
		t.Fatal("sent although the hub would refuse")
	}
	m.Update(dialog.CheckedMsg{Dialog: m.dialog.Status().Number, Answer: took(q)})
	press(m, "y")
	if m.dialog.Status().Step != dialog.StepSend {
		t.Error("not sent although the hub would take it")
	}
}

func TestCloneNames(t *testing.T) {
	m, f := start(t, 100, 40, sample())
	press(m, "C")
	quiet(m)
	press(m, "tab", "ctrl+u")
	shows(t, m, "needs a name")
	press(m, strings.Split("pay-api-r41", "")...)
	shows(t, m, "run pay-api-r41 already exists")
	quiet(m)
	press(m, "shift+tab", "shift+tab")
	press(m, append(strings.Split("pay-api-r41", ""), "enter")...)
	if m.dialog.Status().Step != dialog.StepAsk || len(f.sent) > 0 {
		t.Error("sent with a name that is taken")
	}
}

func TestXIsATypedLetterBeforeSending(t *testing.T) {
	m, _ := start(t, 100, 40, sample())
	press(m, "C")
	quiet(m)
	press(m, "X")
	if m.dialog.Status().Act != engine.ActClone || m.dialog.Status().Word != "X" {
		t.Errorf("X opened %v, word %q", m.dialog.Status().Act, m.dialog.Status().Word)
	}
}

func TestProtectedContextsAreTyped(t *testing.T) {
	s := sample()
	s.Hub.Protected = true
	m, f := start(t, 100, 40, s)
	m.rules.Propose = func(s *engine.Snapshot, a engine.Act, run engine.ID, now time.Time) (act.Intent, engine.Refusal) {
		i, no := act.Propose(s, a, run, now)
		i.Protected, i.Confirm = true, s.Hub.Context
		return i, no
	}
	press(m, "S")
	quiet(m)
	shows(t, m, "PROTECTED", "hub-prod-weu (protected context) to stop")
	press(m, "y", "enter")
	if m.dialog.Status().Step != dialog.StepAsk {
		t.Fatal("y confirmed in a protected context")
	}
	press(m, "ctrl+u")
	press(m, append(strings.Split("example-run", ""), "enter")...)
	if m.dialog.Status().Step != dialog.StepAsk {
		t.Fatal("the run's name confirmed in a protected context")
	}
	press(m, "ctrl+u")
	cmd := press(m, append(strings.Split("hub-prod-weu", ""), "enter")...)
	if m.dialog.Status().Step != dialog.StepSend {
		t.Fatal("the context's name did not confirm")
	}
	m.Update(cmd())
	if len(f.sent) != 1 {
		t.Errorf("sent %v", f.sent)
	}
}

// TestPasteConfirmsNothing pastes what would confirm, a hundred times, into
// every dialog and every field of it.
func TestPasteConfirmsNothing(t *testing.T) {
	for _, key := range []string{"S", "C", "X"} {
		for fields := range 8 {
			m, f := start(t, 100, 40, sample())
			press(m, key)
			quiet(m)
			for range fields {
				press(m, "tab")
			}
			choice := m.dialog.Status().Choice
			for _, text := range []string{"y\n", "example-run\n", "example-run-2\n"} {
				m.Update(tea.PasteMsg{Content: strings.Repeat(text, 100)})
			}
			if len(f.sent) > 0 || m.mode == modeDialog && m.dialog.Status().Step != dialog.StepAsk {
				t.Fatalf("%s, field %d: a paste confirmed", key, fields)
			}
			if m.dialog.Status().Word != "" || key == "C" && m.dialog.Status().Choice != choice {
				t.Errorf("%s, field %d: a paste typed %q, %q", key, fields, m.dialog.Status().Word, m.dialog.Status().Choice.Name)
			}
		}
	}
}
