package ui

import (
	"strings"
	"testing"
	"time"

	"charm.land/bubbles/v2/spinner"

	enginepage "github.com/stagewatch/stagewatch/engine/page"
)

// A spinner turns while a page loads for longer than a moment, and only then: no
// message is left once it is there.
func TestASpinnerTurnsOnlyWhileSomethingLoads(t *testing.T) {
	m, f := start(t, 100, 30, sample())
	f.reply = func(q enginepage.Question) enginepage.Answer { return samplePage(q) }
	cmd := press(m, "o")
	frames := m.scene.Theme.Glyph.Spinner
	if strings.ContainsAny(seen(m), strings.Join(frames, "")) {
		t.Fatal("turns at once")
	}
	m.Update(tickedMsg{now: t0.Add(time.Second)}) // a tick that falls into a short load
	if m.scene.Spinner != "" {
		t.Fatal("turns at the tick of the clock")
	}
	m.Update(tickedMsg{now: t0.Add(2 * time.Second)})
	shows(t, m, "loading… "+frames[0])
	if m.spinner.Tick(true, frames) != nil {
		t.Error("a second spinner turns")
	}
	_, next := m.Update(spinner.TickMsg{})
	shows(t, m, "loading… "+frames[1])
	if next == nil {
		t.Error("it turns once")
	}
	told(m, cmd)
	if _, next := m.Update(spinner.TickMsg{}); next != nil || m.scene.Spinner != "" {
		t.Error("it turns on when all is loaded")
	}
	for range 3 { // short loads, each at a tick
		m.Update(tickedMsg{now: t0.Add(3 * time.Second)})
		press(m, "esc")
		cmd = press(m, "o")
		if m.Update(tickedMsg{now: t0.Add(4 * time.Second)}); m.scene.Spinner != "" {
			t.Fatal("the tick of an ended load starts the spinner of the next one")
		}
		told(m, cmd)
	}
}

// A page that was read while runs were loading is read again as soon as they are there.
func TestAPageOfRunsThatWereLoadingIsReadAgain(t *testing.T) {
	half := sample()
	half.Complete = false
	m, f := start(t, 100, 30, half)
	answer := func(q enginepage.Question) enginepage.Answer {
		a := samplePage(q)
		a.Question, a.Partial = q, !m.scene.Snap.Complete
		return a
	}
	f.reply = answer
	told(m, press(m, "a"))
	for _, next := range []struct{ complete, asks bool }{{false, false}, {true, true}, {true, false}} {
		s := sample()
		s.Complete = next.complete
		m.Update(nextMsg{snap: s})
		if asks := m.sheet().IsAsking(); asks != next.asks {
			t.Errorf("complete %v: asks %v, want %v", next.complete, asks, next.asks)
		}
		m.onPage(pageMsg{n: m.sheet().Number(), answer: answer(m.sheet().Question())})
	}
}
