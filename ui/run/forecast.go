package run

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/ui/cell"
)

// forecast is when the run completes, or what it waits for next. It comes from a plan,
// which reads much and so is asked for seldom.
type forecast struct {
	run   engine.ID
	next  plan.Moment
	again time.Time // when it may be asked for again
	busy  bool
}

// The shortest and longest time between two questions; between them a quarter of what
// is left until the estimated time.
const (
	forecastLeast = 10 * time.Second
	forecastMost  = 2 * time.Minute
)

// ForecastMsg is the answer about an opened run.
type ForecastMsg struct{ Answer page.Answer }

// Forecast asks when the run completes, when that is worth asking.
func (p *Pane) Forecast() tea.Cmd {
	v := p.view
	if v == nil || p.gone || !moves(v) || p.scene.Snap == nil || p.scene.Of(p.id).Link.State != engine.LinkLive {
		return nil
	}
	if p.forecast.run != v.ID {
		p.forecast = forecast{run: v.ID}
	}
	f := &p.forecast
	if f.busy || p.scene.Now.Before(f.again) {
		return nil
	}
	f.busy = true
	ctx, hub, q := p.ctx, p.hub, page.PlanQuestion{Run: v.ID}
	return func() tea.Msg {
		answer := hub.Ask(ctx, q)
		if ctx.Err() != nil {
			return nil
		}
		return ForecastMsg{answer}
	}
}

// Uncover takes note that the pane is on the screen again: an answer that came in the
// meantime was dropped.
func (p *Pane) Uncover() { p.forecast.busy = false }

// moves reports whether a run continues without a person: only then is there an
// estimate.
func moves(v *engine.RunView) bool {
	return (v.Word == engine.WordRunning || v.Word == engine.WordWaiting) && !v.Stalled()
}

// OnForecast takes the answer to its question.
func (p *Pane) OnForecast(msg ForecastMsg) {
	f := &p.forecast
	if !f.busy || msg.Answer.Question != (page.PlanQuestion{Run: f.run}) {
		return
	}
	f.busy, f.next = false, msg.Answer.Forecast
	left := forecastMost
	if !f.next.When.IsZero() {
		left = f.next.When.Likely.Sub(p.scene.HubNow()) / 4
	}
	f.again = p.scene.Now.Add(min(max(left, forecastLeast), forecastMost))
}

// forecastText is what the run waits for next and when; empty when that is unknown, or
// should have been by now.
func (p *Pane) forecastText(wide bool) string {
	v, f, now := p.view, &p.forecast, p.scene.HubNow()
	e := f.next.When
	if v == nil || f.run != v.ID || !moves(v) || e.IsZero() || now.After(e.Latest.Add(forecastLeast)) {
		return ""
	}
	what, from, to := cell.Text(p.scene.Theme, f.next.What), engine.Time(e.Earliest, now).String(), engine.Time(e.Latest, now).String()
	if wide {
		return what + " between " + from + " and " + to
	}
	return what + " " + from + " to " + to
}
