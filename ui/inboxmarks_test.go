package ui

import (
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/dialog"
)

// waitingRuns returns the sample with two more runs that wait for an approval.
func waitingRuns() *engine.Snapshot {
	s := sample()
	one := find(s, "pay-api-r41")
	for _, name := range []string{"pay-api-r42", "pay-api-r43"} {
		v := *one
		v.ID = id("", name)
		v.Stages = append([]engine.StageView(nil), one.Stages...)
		at := v.Current()
		at.After = append([]engine.GateView(nil), at.After...)
		at.After[0].Request = engine.NewID(engine.KindClusterApprovalRequest, "", name+"-after-canary", "u-"+name)
		at.After[0].Name = at.After[0].Request.Name()
		s.Runs = append(s.Runs, &v)
	}
	at := one.Current()
	at.After[0].Request = engine.NewID(engine.KindClusterApprovalRequest, "", "pay-api-r41-after-canary", "u-1")
	at.After[0].Name = at.After[0].Request.Name()
	return s
}

// inboxOf is the page of approvals of a snapshot, with one that is to come.
func inboxOf(s *engine.Snapshot) func(enginepage.Question) enginepage.Answer {
	return func(q enginepage.Question) enginepage.Answer {
		open := enginepage.Section{Title: txt("open")}
		for _, v := range s.Runs {
			if v.Word != engine.WordApproval {
				continue
			}
			g := v.Current().After[0]
			open.Rows = append(open.Rows, enginepage.Row{Key: g.Name, Run: v.ID, Object: g.Request, Cells: []enginepage.Cell{{Text: v.ID.Title()}, {Text: g.Name}}})
		}
		later := enginepage.Row{Key: txt("later"), Run: find(s, "pay-api-r41").ID, Cells: []enginepage.Cell{{Text: txt("pay-api-r41")}, {Text: txt("before prod")}}}
		return enginepage.Answer{Question: q, At: t0, Sections: []enginepage.Section{open, {Title: txt("pending"), Rows: []enginepage.Row{later}}}}
	}
}

func onInbox(t *testing.T) (*Model, *fakeSource, *engine.Snapshot) {
	t.Helper()
	s := waitingRuns()
	m, f := start(t, 120, 40, s)
	f.reply = inboxOf(s)
	told(m, press(m, "a"))
	return m, f, s
}

func TestMarkedApprovalsAreGivenInOneDialog(t *testing.T) {
	m, f, _ := onInbox(t)
	press(m, "space", "space", "space")
	shows(t, m, "3 approvals marked", "*")
	press(m, "k", "k", "space") // the second no longer
	shows(t, m, "2 approvals marked")
	golden(t, "inbox-marked-120x40", m)
	press(m, "A")
	if m.mode != modeDialog || len(m.dialog.Status().Targets) != 2 {
		t.Fatalf("mode %v, %d targets", m.mode, len(m.dialog.Status().Targets))
	}
	answerAll(m)
	shows(t, m, "Approve 2 of 2 marked approvals", "ClusterApprovalRequest pay-api-r41-after-canary", "ClusterApprovalRequest pay-api-r43-after-canary", "approve 2")
	press(m, "y", "enter")
	if m.dialog.Status().Step != dialog.StepAsk {
		t.Fatal("y gave approvals")
	}
	press(m, "ctrl+u")
	typeIn(m, "approve 2")
	cmd := press(m, "enter")
	for range 2 {
		if m.dialog.Status().Step != dialog.StepSend || cmd == nil {
			t.Fatalf("not sent: %+v", m.dialog.Status().Blocked)
		}
		_, cmd = m.Update(cmd())
	}
	if len(f.sent) != 2 || f.sent[0].Target.Name().String() != "pay-api-r41-after-canary" || f.sent[1].Target.Name().String() != "pay-api-r43-after-canary" {
		t.Fatalf("sent %v", f.sent)
	}
	shows(t, m, "pay-api-r41-after-canary: applied", "pay-api-r43-after-canary: applied")
	press(m, "esc")
	if m.sheet().IsMarked() {
		t.Error("the marks stay")
	}
}

// What was marked is what is given: not another approval of the run, and not
// the request that took the place of the one that was seen.
func TestMarkedApprovalsThatChange(t *testing.T) {
	m, f, s := onInbox(t)
	press(m, "space", "space")
	again := *s
	again.Runs = append([]*engine.RunView(nil), s.Runs...)
	for i, v := range again.Runs {
		if v.ID.Name().String() == "pay-api-r41" {
			v2 := *v
			v2.Stages = append([]engine.StageView(nil), v.Stages...)
			at := v2.Current()
			at.After = append([]engine.GateView(nil), at.After...)
			at.After[0].Request = engine.NewID(engine.KindClusterApprovalRequest, "", "pay-api-r41-after-canary", "made anew")
			again.Runs[i] = &v2
		}
	}
	m.Update(nextMsg{snap: &again})
	press(m, "A")
	answerAll(m)
	shows(t, m, "Approve 1 of 2 marked approvals", "pay-api-r41-after-canary is left out: its run waits for another")
	typeIn(m, "approve 1")
	cmd := press(m, "enter")
	m.Update(cmd())
	if len(f.sent) != 1 || f.sent[0].Run.Name().String() != "pay-api-r42" {
		t.Errorf("sent %v", f.sent)
	}
}

func TestMarksOnTheInbox(t *testing.T) {
	m, f, _ := onInbox(t)
	press(m, "space", "S")
	shows(t, m, "marks on this page are for A")
	press(m, "esc")
	if m.sheet() == nil || m.sheet().IsMarked() {
		t.Error("esc did not take the marks away, and nothing else")
	}
	press(m, "j", "j", "j", "space")
	shows(t, m, "not requested yet")
	// A on what is to come does not give what is asked for now.
	press(m, "A")
	shows(t, m, "Cannot approve: its run waits for another approval now, pay-api-r41-after-canary")
	if m.mode == modeDialog {
		t.Error("a dialog opened")
	}
	press(m, "g", "A")
	if m.mode != modeDialog || m.dialog.Status().Intent.Target.Name().String() != "pay-api-r41-after-canary" || len(m.dialog.Status().Targets) > 0 {
		t.Error("A on what is asked for opened nothing")
	}
	press(m, "esc", "esc")
	if m.sheet() != nil || len(f.sent) > 0 {
		t.Error("the page stays")
	}
	// Elsewhere space turns the page.
	f.reply = samplePage
	m.Update(keyMsg("o"))
	told(m, m.ask(m.sheet()))
	press(m, "space")
	if m.sheet() == nil || m.sheet().IsMarked() {
		t.Error("a row of another page is marked")
	}
	if strings.Contains(strings.Join(m.lines(), ""), "marked") {
		t.Error("it says so")
	}
}
