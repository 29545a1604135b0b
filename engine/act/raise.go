package act

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// ProposeRaise decides whether what the configuration holds back may be lifted
// for d, counted from when it is confirmed; a d of zero ends it at once. It is an
// act like others: shown, confirmed and recorded. It writes nothing to the hub.
func ProposeRaise(s *engine.Snapshot, d time.Duration) (Intent, engine.Refusal) {
	if s == nil {
		return Intent{}, engine.Refusal{Why: engine.Lit("not loaded yet"), Hint: engine.Lit("wait until it is loaded")}
	}
	context := s.Hub.Context
	i := Intent{Act: engine.ActRaise, hub: s.Hub.Name, raise: d, Object: engine.Textf("context %s", context), Confirm: context}
	switch {
	case s.Held == engine.BlockedPermanently:
		return Intent{}, engine.Refusal{Why: s.WritesOff, Hint: engine.Lit("it applies until the program ends: restart without it")}
	case s.Held == engine.HeldNot:
		return Intent{}, engine.Refusal{Why: engine.Textf("writes are not blocked: context %s is neither read-only nor protected", context)}
	case d == 0 && s.Raised.IsZero():
		return Intent{}, engine.Refusal{Why: engine.Lit("nothing is lifted")}
	case d == 0:
		i.Title = engine.Textf("Block writes to %s again", context)
		return i, engine.Refusal{}
	case d < engine.RaiseLeast || d > engine.RaiseMost:
		return Intent{}, engine.Refusal{
			Why:  engine.Textf("it can be lifted for %s at least and %s at most", engine.Span(engine.RaiseLeast), engine.Span(engine.RaiseMost)),
			Hint: engine.Lit("write it like {command}write 15m"),
		}
	case context.IsZero():
		return Intent{}, engine.Refusal{Why: engine.Lit("the context has no name to confirm with")}
	}
	i.Title = engine.Textf("Write to %s for %s", context, engine.Span(d))
	what := engine.Textf("Its protection is lifted for %s from now: reversible acts are confirmed with y, others by name.", engine.Span(d))
	if s.Held == engine.HeldReadOnly {
		what = engine.Textf("It is not read-only for %s from now. Every write still needs confirmation in its own dialog.", engine.Span(d))
		if s.Hub.Protected {
			i.Warn = append(i.Warn, engine.Lit("It stays protected: every write is confirmed by its name."))
		}
	}
	i.Effect = []engine.Text{what, engine.Lit("It ends automatically. It applies to this session only; nothing is sent to the hub.")}
	if !s.Raised.IsZero() {
		i.Warn = append(i.Warn, engine.Lit("It is already lifted; this sets a new time."))
	}
	i.Undo = engine.Lit("{command}write off ends it immediately.")
	return i, engine.Refusal{}
}
