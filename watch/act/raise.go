package act

import (
	"sync/atomic"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
)

// lifted is the time until which writes are permitted that the configuration
// blocks. Do sets it, Restrict ends it; any goroutine may read it.
type lifted struct{ until atomic.Pointer[time.Time] }

// set lifts for d from now on; a d of zero ends it. It returns until when.
func (l *lifted) set(now time.Time, d time.Duration) time.Time {
	if d <= 0 {
		l.until.Store(nil)
		return time.Time{}
	}
	until := now.Add(d)
	l.until.Store(&until)
	return until
}

// holds reports whether it is lifted. Of the two clocks the one that is ahead
// counts: the steady one stands still while a laptop sleeps, the other may be
// set back.
func (l *lifted) holds(now time.Time) bool {
	until := l.until.Load()
	return until != nil && now.Before(*until) && now.Round(0).Before(until.Round(0))
}

// settings are the ones that count now.
func (x *Executor) settings(now time.Time) engine.Settings {
	if x.lifted.holds(now) {
		return x.Restriction().Raised()
	}
	return x.Restriction()
}

// Restriction returns the settings without what a person has permitted for a while.
func (x *Executor) Restriction() engine.Settings {
	if set := x.restriction.Load(); set != nil {
		return *set
	}
	return x.Configured
}

// Restrict replaces the settings by stricter ones, and ends what is lifted. Any goroutine may
// call it.
func (x *Executor) Restrict(set engine.Settings) {
	x.restriction.Store(&set)
	x.Raised(x.lifted.set(time.Now(), 0))
}

// raise carries an ActRaise out: no request, but confirmed, recorded and judged
// like one.
func (x *Executor) raise(i act.Intent) verdict {
	if v := x.raisable(i); !v.what.IsZero() {
		return v
	}
	confirmed := x.restriction.Load()
	return x.recorded(i, func(p *pending) verdict {
		if !p.sends() {
			return refused(engine.Clean(errAbandoned.Error()), engine.Text{})
		}
		until := x.lifted.set(time.Now(), i.Raise())
		if x.restriction.Load() != confirmed { // what was confirmed is another restriction
			x.Raised(x.lifted.set(time.Now(), 0))
			return refused(engine.Lit("the configuration was changed meanwhile"), engine.Lit("try it again"))
		}
		x.Raised(until)
		context := engine.Clean(x.Context)
		if until.IsZero() {
			return verdict{result: act.ResultApplied, what: engine.Textf("writes to %s are blocked again", context)}
		}
		return verdict{
			result: act.ResultApplied,
			what:   engine.Textf("lifted for %s until %s, %s from now", context, engine.Clock(until.Add(x.Hub.Offset()), x.Hub.Now()), engine.Span(i.Raise())),
		}
	})
}

// raisable refuses what the guard would; the zero verdict refuses nothing.
func (x *Executor) raisable(i act.Intent) verdict {
	set, d := x.Restriction(), i.Raise()
	switch {
	case !set.ReadOnly.IsZero() && !set.Raisable:
		return refused(set.ReadOnly, engine.Text{})
	case d != 0 && (d < engine.RaiseLeast || d > engine.RaiseMost):
		return refused(engine.Lit("invalid time"), engine.Text{})
	}
	return verdict{}
}

// blockedAs names for the audit what is held back now.
func (x *Executor) blockedAs() string {
	switch set := x.settings(time.Now()); {
	case x.lifted.holds(time.Now()):
		return "lifted"
	case !set.ReadOnly.IsZero():
		return "read-only"
	}
	return "protected"
}
