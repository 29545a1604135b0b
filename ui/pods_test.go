package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
)

// TestPodsAreReadOfTheOpenedRun: the member of the cluster that holds the opened
// run up is read automatically, again and again, and not from the list or beside
// its own page.
func TestPodsAreReadOfTheOpenedRun(t *testing.T) {
	m, f := atRun(t, 160, "example-run")
	withDetail(m, sample())
	member := m.run.HeldUp().Member
	asked := []enginepage.Question{}
	f.reply = func(q enginepage.Question) enginepage.Answer {
		asked = append(asked, q)
		return enginepage.Answer{Question: q, At: m.scene.HubNow()}
	}
	told(m, m.lookAtPods())
	want := enginepage.PodsQuestion{Placement: m.run.Run().Placement, Member: member, Run: m.run.Run().ID}
	if len(asked) != 1 || asked[0] != want {
		t.Fatalf("asked %+v", asked)
	}
	if m.lookAtPods() != nil {
		t.Error("asks again at once")
	}
	m.scene.Now = m.scene.Now.Add(podsEvery)
	cmd := m.lookAtPods()
	if cmd == nil {
		t.Fatal("does not ask again")
	}
	if m.lookAtPods() != nil {
		t.Error("asks twice at once")
	}
	told(m, cmd)
	m.scene.Now = m.scene.Now.Add(podsEvery)
	told(m, press(m, "d"))
	if m.lookAtPods() == nil {
		t.Error("does not ask while the diagnosis is open")
	}
	press(m, "esc")
	m.pods.busy = false
	told(m, press(m, "m"))
	if m.lookAtPods() != nil {
		t.Error("asks beside the member's page")
	}
	press(m, "esc")
	press(m, "esc")
	if m.screen != screenRuns || m.lookAtPods() != nil {
		t.Error("asks from the list")
	}
}

func TestHealthyRunsAskNoMember(t *testing.T) {
	m, _ := atRun(t, 160, "cert-mgr-r9")
	withDetail(m, sample())
	if m.lookAtPods() != nil {
		t.Error("asks a member of a run that is well")
	}
}

// TestForgetContext: u on a member's page forgets the chosen context, and the
// page is read again without it.
func TestForgetContext(t *testing.T) {
	m, f := atRun(t, 160, "example-run")
	withDetail(m, sample())
	asked := []enginepage.Question{}
	f.reply = func(q enginepage.Question) enginepage.Answer {
		asked = append(asked, q)
		return enginepage.Answer{Question: q, At: m.scene.HubNow(), Lines: []engine.Text{txt("Forgot context aks-2.")}}
	}
	press(m, "u")
	if len(asked) != 0 {
		t.Errorf("asks from the run: %+v", asked)
	}
	told(m, press(m, "m"))
	_, q := m.memberSheet()
	q.Context = txt("aks-2")
	m.sheet().Reask(q)
	asked = nil
	cmd := press(m, "u")
	msg, is := cmd().(forgottenMsg)
	if !is {
		t.Fatal("forgets nothing")
	}
	if len(asked) != 1 || asked[0] != (enginepage.ForgetContextQuestion{Member: q.Member}) {
		t.Fatalf("asked %+v", asked)
	}
	told(m, m.onForgotten(msg))
	if q.Context = (engine.Text{}); len(asked) != 2 || asked[1] != q {
		t.Fatalf("asked %+v", asked)
	}
	if got := ansi.Strip(m.View().Content); !strings.Contains(got, "Forgot context aks-2.") {
		t.Errorf("says nothing:\n%s", got)
	}
}

// TestAnotherContextOfTheMember: choosing a context reads the page again, and esc still
// returns to where the page was opened.
func TestAnotherContextOfTheMember(t *testing.T) {
	m, f := atRun(t, 160, "example-run")
	withDetail(m, sample())
	f.reply = func(q enginepage.Question) enginepage.Answer {
		return enginepage.Answer{Question: q, At: m.scene.HubNow()}
	}
	told(m, press(m, "m"))
	_, q := m.memberSheet()
	for _, context := range []string{"aks-1", "aks-2"} {
		q.Context = txt(context)
		told(m, m.pushSheet(q, m.sheet().Subject()))
		if _, now := m.memberSheet(); now != q || len(m.stack.Sheets()) != 1 {
			t.Fatalf("%d pages, asks through %q, want %q", len(m.stack.Sheets()), now.Context, context)
		}
	}
	press(m, "esc")
	if m.sheet() != nil || m.screen != screenRun {
		t.Error("esc does not return to the run")
	}
}
