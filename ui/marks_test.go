package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/dialog"
)

// onMarked returns a model whose dialog asks about several runs.
func onMarked(t *testing.T, key string, runs ...string) (*Model, *fakeSource) {
	t.Helper()
	m, f := start(t, 120, 40, sample())
	for _, v := range m.scene.Snap.Runs {
		for _, name := range runs {
			if v.ID.Title().String() == name {
				m.runs.Pick(v.ID)
				press(m, "space")
			}
		}
	}
	press(m, key)
	return m, f
}

// answerAll lets the hub take every target.
func answerAll(m *Model) {
	for i := range m.dialog.Status().Targets {
		m.Update(dialog.CheckedMsg{Dialog: m.dialog.Status().Number, Answer: took(m.dialog.Status().Targets[i].Check.Question)})
	}
	rest(m)
}

func TestMarkedRowsAreListedAndSentOneByOne(t *testing.T) {
	m, f := onMarked(t, "S", "example-run", "pay-api-r41", "edge-r1")
	if m.mode != modeDialog || len(m.dialog.Status().Targets) != 3 {
		t.Fatalf("targets %d", len(m.dialog.Status().Targets))
	}
	answerAll(m)
	shows(t, m, "Stop 2 of 3 marked runs", "ClusterStagedUpdateRun example-run", "ClusterStagedUpdateRun pay-api-r41", "edge-r1 is left out")
	golden(t, "dialog-marked-120x40", m)
	if got := copied(t, press(m, "ctrl+y")); strings.Count(got, "kubectl ") != 2 {
		t.Error("the commands of both are not copied")
	}
	cmd := press(m, "y")
	for range 2 {
		if m.dialog.Status().Step != dialog.StepSend || cmd == nil {
			t.Fatal("not sent")
		}
		if again := press(m, "y"); again != nil {
			t.Error("y while sending gave a command")
		}
		_, cmd = m.Update(cmd())
	}
	if len(f.sent) != 2 || f.sent[0].Run == f.sent[1].Run || f.sent[0].Act != engine.ActStop || m.dialog.Status().Step != dialog.StepDone || len(m.runs.Marked()) != 0 {
		t.Fatalf("sent %v", f.sent)
	}
	shows(t, m, "example-run: applied", "pay-api-r41: applied", "edge-r1 is left out")
	golden(t, "dialog-marked-done-120x40", m)
}

func TestMarkedDeletionIsTyped(t *testing.T) {
	m, f := onMarked(t, "X", "example-run", "edge-r1")
	answerAll(m)
	press(m, "y", "enter")
	if m.dialog.Status().Step != dialog.StepAsk {
		t.Fatal("y confirmed a deletion")
	}
	press(m, "ctrl+u")
	cmd := press(m, append(strings.Split("delete 2", ""), "enter")...)
	if m.dialog.Status().Step != dialog.StepSend {
		t.Fatalf("not confirmed by %q, want %q", m.dialog.Status().Word, m.dialog.Status().Intent.Confirm)
	}
	// The dialog is left after the first: the second stays unsent.
	press(m, "esc")
	m.Update(cmd())
	if len(f.sent) != 1 {
		t.Errorf("sent %v", f.sent)
	}
	shows(t, m, "1 not sent")
}

func TestMarkedTargetsThatChange(t *testing.T) {
	m, f := onMarked(t, "X", "example-run", "edge-r1")
	answerAll(m)
	press(m, strings.Split("delete 2", "")...)
	s := sample()
	for i, v := range s.Runs {
		if v.ID.Name().String() == "edge-r1" {
			again := *v
			again.ID = engine.NewID(v.ID.Kind(), "", "edge-r1", "another")
			s.Runs[i] = &again
		}
	}
	m.Update(nextMsg{snap: s})
	shows(t, m, "Delete 1 of 2 marked runs", "edge-r1 is left out", "changed")
	if m.dialog.Status().Word != "" || m.dialog.Status().Armed {
		t.Error("what was typed for two runs stands for one")
	}
	answerAll(m)
	m.Update(tea.PasteMsg{Content: "delete 1\n"})
	cmd := press(m, append(strings.Split("delete 1", ""), "enter")...)
	m.Update(cmd())
	if len(f.sent) != 1 || f.sent[0].Run.Name().String() != "example-run" {
		t.Errorf("sent %v", f.sent)
	}
}

func TestMarkedTargetsTheHubRefuses(t *testing.T) {
	m, f := onMarked(t, "S", "example-run", "pay-api-r41")
	q := m.dialog.Status().Targets[1].Check.Question
	m.Update(dialog.CheckedMsg{Dialog: m.dialog.Status().Number, Answer: took(m.dialog.Status().Targets[0].Check.Question)})
	rest(m)
	press(m, "y")
	if m.dialog.Status().Step != dialog.StepAsk {
		t.Fatal("sent before the hub was asked about all")
	}
	m.Update(dialog.CheckedMsg{Dialog: m.dialog.Status().Number, Answer: enginepage.Answer{Question: q, Err: txt("frozen")}})
	shows(t, m, "Stop 1 of 2 marked runs", "left out: frozen")
	cmd := press(m, "y")
	m.Update(cmd())
	if len(f.sent) != 1 || m.dialog.Status().Step != dialog.StepDone {
		t.Errorf("sent %v", f.sent)
	}
}

func TestMarks(t *testing.T) {
	m, _ := start(t, 100, 40, sample())
	press(m, "space", "space")
	shows(t, m, "2 runs marked")
	press(m, "C")
	shows(t, m, "Cannot clone more than one run")
	press(m, "esc")
	if len(m.runs.Marked()) != 0 || m.mode != modeBrowse {
		t.Error("esc left the marks")
	}
	// The reason comes first: the end of the line may be cut off.
	press(m, "g", "space", "j", "space", "R")
	shows(t, m, "Cannot run: its state is already Run. Not possible for any of the marked runs")
	press(m, "esc")
	press(m, "g", "space", "k", "space")
	if len(m.runs.Marked()) != 0 {
		t.Error("a second space left the mark")
	}
	m.openTargets(engine.ActStop, make([]dialog.Target, 41))
	shows(t, m, "41 are marked, the limit is 40")
	if m.mode == modeDialog {
		t.Error("opened nevertheless")
	}
}
