package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/cell"
)

// ahead is what the opened run waits for next, as far as it was foretold. It is
// a plan asked for besides what is shown: seldom, since that reads much.
type ahead struct {
	run   engine.ID
	told  engine.Foretold
	again time.Time // when it may be asked anew
	busy  bool
}

// The least and the most time between two askings; between them a quarter of
// what is left until the moment that was foretold.
const (
	aheadLeast = 10 * time.Second
	aheadMost  = 2 * time.Minute
)

// foretoldMsg is the answer about the opened run.
type foretoldMsg struct{ answer enginepage.Answer }

// lookAhead asks when the opened run will be done, when that is worth asking.
func (m *Model) lookAhead() tea.Cmd {
	v := m.run.view
	if m.screen != screenRun || m.mode != modeBrowse || m.sheet() != nil || v == nil || m.run.gone || !moves(v) ||
		m.scene.Snap == nil || m.scene.Snap.Link.State != engine.LinkLive {
		return nil
	}
	if m.run.ahead.run != v.ID {
		m.run.ahead = ahead{run: v.ID}
	}
	a := &m.run.ahead
	if a.busy || m.scene.Now.Before(a.again) {
		return nil
	}
	a.busy = true
	ctx, src, q := m.ctx, m.src, enginepage.Question{Kind: enginepage.QuestionPlan, About: v.ID, Run: v.ID}
	return func() tea.Msg {
		answer := src.Ask(ctx, q)
		if ctx.Err() != nil {
			return nil
		}
		return foretoldMsg{answer}
	}
}

// moves reports whether a run goes on without anybody: only then is there an
// estimate.
func moves(v *engine.RunView) bool {
	return (v.Word == engine.WordRunning || v.Word == engine.WordWaiting) && !v.NeedsAttention()
}

func (m *Model) onForetold(msg foretoldMsg) {
	a := &m.run.ahead
	if !a.busy || msg.answer.Question.About != a.run {
		return
	}
	a.busy, a.told = false, msg.answer.Foretold
	left := aheadMost
	if !a.told.When.IsZero() {
		left = a.told.When.Likely.Sub(m.scene.HubNow()) / 4
	}
	a.again = m.scene.Now.Add(min(max(left, aheadLeast), aheadMost))
}

// foretold is what the opened run waits for next, in words; empty when it is
// not known, or should have been by now.
func (m *Model) foretold(wide bool) string {
	v, a := m.run.view, &m.run.ahead
	e := a.told.When
	if v == nil || a.run != v.ID || !moves(v) || e.IsZero() || m.scene.HubNow().After(e.Latest.Add(aheadLeast)) {
		return ""
	}
	what, from, to := cell.Text(m.scene.Theme, a.told.What), cell.Clock(e.Earliest, m.scene.HubNow()), cell.Clock(e.Latest, m.scene.HubNow())
	if wide {
		return what + " between " + from + " and " + to
	}
	return what + " " + from + " to " + to
}
