package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
)

// Before the bindings are there nobody knows who took a cluster; that somebody
// did is known.
func TestFollowSaysWhatIsNotKnown(t *testing.T) {
	m, _ := start(t, 120, 40, sample())
	v := *m.scene.Snap.Runs[0]
	v.PreemptedBy = engine.ID{}
	for _, tt := range []struct {
		word engine.Word
		want string
	}{
		{engine.WordPreempted, "run that preempted this one is unknown"},
		{engine.WordStuck, "No run preempted this one."},
	} {
		v.Word = tt.word
		snap := *m.scene.Snap
		one := v
		snap.Runs = []*engine.RunView{&one}
		m.Update(nextMsg{snap: &snap})
		press(m, "g", "f")
		shows(t, m, tt.want)
	}
}

// The dialog stays open and tells how the approval comes on, and when it does not.
func TestTheDialogFollowsAnApproval(t *testing.T) {
	m, _ := onApproval(t)
	quiet(m)
	typeIn(m, "canary")
	m.Update(press(m, "enter")())
	shows(t, m, "applied", "the watch has not returned the change yet")
	show := func(state engine.GateState, late bool) {
		s := sample()
		v := find(s, "pay-api-r41")
		v.Word, v.Sent, v.Late = engine.WordRunning, state == engine.GateSent, late
		v.Current().After[0].State = state
		s.At, s.Link.Heard = m.scene.Now, m.scene.Now
		m.Update(nextMsg{snap: s})
	}
	show(engine.GateSent, false)
	shows(t, m, "written; the controller has not accepted it yet", "RUNNING SENT")
	m.Update(tickedMsg{now: t0.Add(11 * time.Second)})
	show(engine.GateSent, true)
	shows(t, m, "RUNNING LATE", "No reaction for 11s. Check that the hub agent is running")
	show(engine.GatePassed, false)
	shows(t, m, "accepted by the controller")
	if s := ansi.Strip(m.View().Content); strings.Contains(s, "No reaction") {
		t.Errorf("still no reaction:\n%s", s)
	}
	// A run that is late is a problem of the list.
	show(engine.GateSent, true)
	press(m, "esc", "z")
	shows(t, m, "RUNNING LATE")
}

// Each of several targets is followed, and silence is told once.
func TestTheDialogFollowsEachTarget(t *testing.T) {
	m, _ := onMarked(t, "X", "example-run", "edge-r1")
	answerAll(m)
	typeIn(m, "delete 2")
	_, cmd := m.Update(press(m, "enter")())
	m.Update(cmd())
	shows(t, m, "the watch has not returned the change yet; now STUCK", "the watch has not returned the change yet; now FAILED")
	m.Update(tickedMsg{now: t0.Add(12 * time.Second)})
	shows(t, m, "No reaction for 12s")
	s := sample()
	s.Runs = s.Runs[1:]
	m.Update(nextMsg{snap: s})
	shows(t, m, "it is deleted", "now FAILED")
}
