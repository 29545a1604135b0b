package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
)

// TestPodsAreTheEndOfWhy walks a screen through what a member says: asked by
// itself where that was agreed to, kept for the list, and dropped with age.
func TestPodsAreTheEndOfWhy(t *testing.T) {
	m, f := atRun(t, 160, "example-run")
	withDetail(m, sample())
	member := m.run.heldUp().Member
	said, asked := txt("3 of 3 pods InvalidImageName"), []engine.Question{}
	f.reply = func(q engine.Question) engine.Answer {
		asked = append(asked, q)
		return engine.Answer{Question: q, At: m.hubNow(), Pods: said, PodsContext: txt("aks-2")}
	}
	shows := func() bool {
		m.arrange()
		return strings.Contains(strings.Join(strings.Fields(ansi.Strip(m.View().Content)), " "), "On "+member.Name().String()+": 3 of 3 pods InvalidImageName (context aks-2, ")
	}
	if shows() {
		t.Fatal("says what nobody asked")
	}
	told(m, m.lookAtPods())
	if len(asked) != 1 || !asked[0].Quiet || asked[0].Member != member || asked[0].About != m.run.view.Placement || asked[0].Run != m.run.view.ID {
		t.Fatalf("asked %+v", asked)
	}
	if !shows() {
		t.Errorf("the run does not say it:\n%s", ansi.Strip(m.View().Content))
	}
	if m.lookAtPods() != nil {
		t.Error("asks again at once")
	}
	m.now = m.now.Add(podsEvery)
	cmd := m.lookAtPods()
	if cmd == nil {
		t.Fatal("does not ask again")
	}
	if m.lookAtPods() != nil {
		t.Error("asks twice at once")
	}
	told(m, cmd)
	press(m, "esc")
	if m.screen != screenRuns || !shows() {
		t.Error("the list does not say it")
	}
	if m.lookAtPods() != nil {
		t.Error("asks from the list")
	}
	m.now = m.now.Add(podsOld + time.Second)
	if shows() {
		t.Error("says it when it is old")
	}

	// The page of the member tells the same, and all is well one day.
	press(m, "enter")
	withDetail(m, sample())
	told(m, press(m, "m"))
	press(m, "esc")
	if !shows() {
		t.Error("forgets what the page said")
	}
	said = engine.Text{}
	m.now = m.now.Add(podsEvery)
	told(m, m.lookAtPods())
	if shows() {
		t.Error("says what is over")
	}
}

func TestHealthyRunsAskNoMember(t *testing.T) {
	m, _ := atRun(t, 160, "cert-mgr-r9")
	withDetail(m, sample())
	if m.lookAtPods() != nil {
		t.Error("asks a member of a run that is well")
	}
}
