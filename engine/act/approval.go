package act

import (
	"slices"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// ApproveEffect says what the hub does when it accepts the approval.
func ApproveEffect(v *engine.RunView, g *engine.GateView, now time.Time) []engine.Text {
	if v.Why.Fails {
		return nothingStarts()
	}
	return slices.Concat(approval(v, g, now), reportsOnly(v), getStuck(v))
}

// approval says what comes after an approval in a run that does not fail.
func approval(v *engine.RunView, g *engine.GateView, now time.Time) []engine.Text {
	out := deferred(v)
	s := v.Current()
	if g.Before {
		return append(out, starting(s))
	}
	waits := waiting(s, now)
	if len(waits) == 0 {
		waits = []engine.Text{engine.Textf("%s ends.", engine.Capital(engine.StageName(s)))}
	}
	return slices.Concat(out, waits, enter(v, v.At+1, now))
}

// ApproveBrief is ApproveEffect in a clause: what an approval does not start comes before what
// it starts.
func ApproveBrief(v *engine.RunView, g *engine.GateView, now time.Time) engine.Text {
	switch state := v.State.String(); {
	case v.Why.Fails:
		return engine.Lit("nothing: the run will fail")
	case state == string(placement.StateStop):
		return engine.Lit("nothing until the run is resumed")
	case state == string(placement.StateInitialize) && !v.Started.IsZero():
		return engine.Lit("nothing until the run is started, except with a controller before v0.2")
	case state == string(placement.StateInitialize):
		return engine.Lit("nothing until the run is started")
	}
	effect := approval(v, g, now)
	last := effect[len(effect)-1].Clause()
	if waits := waiting(v.Current(), now); !g.Before && len(waits) > 0 && len(effect) > len(waits) {
		return engine.Textf("%s; then %s", waits[0].Clause(), engine.Uncapital(last))
	}
	return last
}

// waiting says when a stage ends whose timed wait is not over, although it is approved.
func waiting(s *engine.StageView, now time.Time) (out []engine.Text) {
	for i := range s.After {
		o := &s.After[i]
		switch {
		case !o.Timed || o.State == engine.GatePassed || o.State == engine.GateSkipped:
		case o.Until.IsZero():
			out = append(out, engine.Textf("%s ends after its timed wait of %s.", engine.Capital(engine.StageName(s)), engine.Span(o.Wait)))
		case o.Until.After(now):
			out = append(out, engine.Textf("%s ends after its timed wait, at %s.", engine.Capital(engine.StageName(s)), engine.Clock(o.Until, now)))
		}
	}
	return out
}

// deferred says that an approval has no effect while spec.state is not Run.
func deferred(v *engine.RunView) []engine.Text {
	switch v.State.String() {
	case string(placement.StateStop):
		return []engine.Text{engine.Lit("Nothing until the run is resumed: it is stopped. Then:")}
	case string(placement.StateInitialize):
		if !v.Started.IsZero() { // the diagnosis says the same of it
			return []engine.Text{engine.Lit("A controller of v0.2 or later does nothing until the run is started: its state is Initialize. One before v0.2 continues immediately. Then:")}
		}
		return []engine.Text{engine.Lit("Nothing until the run is started: its state is Initialize. Then:")}
	}
	return nil
}

// ApproveWarnings lists what a person should know before the approval.
func ApproveWarnings(s *engine.Snapshot, v *engine.RunView) []engine.Text {
	return slices.Concat(inVain(v), v.Why.Warnings, RunsBeside(s, v))
}

// RunsBeside lists what other runs of the placement mean for a run that is to continue.
func RunsBeside(s *engine.Snapshot, v *engine.RunView) []engine.Text {
	out := append(superseded(s, v), replacedWarnings(v)...)
	out = append(out, competingRuns(s, v, v.Placement, v.Index)...)
	for o := range unfinishedRuns(s, v, v.Placement) {
		switch {
		case !untouched(o):
		case o.Word == engine.WordReady && o.Index != v.Index:
			out = append(out, engine.Textf("Run %s (%s, snapshot %s) of this placement competes when it is started.", o.ID.Title(), o.Word, engine.OrUnknown(o.Index)))
		default: // overrides and apply strategy are not compared before the start
			out = append(out, engine.Textf("Run %s (%s) of this placement may compete when it is started.", o.ID.Title(), o.Word))
		}
	}
	return out
}
