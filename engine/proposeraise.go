package engine

import "time"

// ProposeRaise decides whether what the configuration holds back may be lifted
// for d, counted from when it is confirmed; a d of zero ends it at once. It is an
// act like others: shown, confirmed and recorded. It writes nothing to the hub.
func ProposeRaise(s *Snapshot, d time.Duration) (Intent, Refusal) {
	if s == nil {
		return Intent{}, Refusal{Why: Lit("nothing is loaded yet"), Hint: Lit("wait a moment")}
	}
	context := s.Hub.Context
	i := Intent{Act: ActRaise, raise: d, Object: Textf("context %s", context), Confirm: context}
	switch {
	case s.Held == HeldForGood:
		return Intent{}, Refusal{Why: s.WritesOff, Hint: Lit("that holds until the program ends: start it again without")}
	case s.Held == HeldNot:
		return Intent{}, Refusal{Why: Textf("nothing is held back: the configuration makes context %s neither read-only nor protected", context)}
	case d == 0 && s.Raised.IsZero():
		return Intent{}, Refusal{Why: Lit("nothing is lifted")}
	case d == 0:
		i.Title = Textf("Hold writes to %s back again", context)
		return i, Refusal{}
	case d < RaiseLeast || d > RaiseMost:
		return Intent{}, Refusal{
			Why:  Textf("it can be lifted for %s at least and %s at most", Span(RaiseLeast), Span(RaiseMost)),
			Hint: Lit("write it like :write 15m"),
		}
	case context.IsZero():
		return Intent{}, Refusal{Why: Lit("this context has no name that could be typed")}
	}
	i.Title = Textf("Write to %s for %s", context, Span(d))
	what := Textf("Its protection is lifted for %s from now: what can be taken back is confirmed with y, other acts with the name of the stage or run.", Span(d))
	if s.Held == HeldReadOnly {
		what = Textf("It is not read-only for %s from now. Every write still asks in a dialog of its own.", Span(d))
		if s.Hub.Protected {
			i.Warn = append(i.Warn, Lit("It stays protected: every write asks for its name."))
		}
	}
	i.Effect = []Text{what, Lit("Then it drops by itself. It holds for this session alone, and nothing is sent to the hub.")}
	if !s.Raised.IsZero() {
		i.Warn = append(i.Warn, Lit("It is lifted already; this sets the time anew."))
	}
	i.Undo = Lit(":write off drops it at once.")
	return i, Refusal{}
}
