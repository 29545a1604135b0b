package engine

import "time"

// ProposeRaise decides whether what the configuration holds back may be lifted
// for d, counted from when it is confirmed; a d of zero ends it at once. It is an
// act like others: shown, confirmed and recorded. It writes nothing to the hub.
func ProposeRaise(s *Snapshot, d time.Duration) (Intent, Refusal) {
	if s == nil {
		return Intent{}, Refusal{Why: Lit("not loaded yet"), Hint: Lit("wait until it is loaded")}
	}
	context := s.Hub.Context
	i := Intent{Act: ActRaise, raise: d, Object: Textf("context %s", context), Confirm: context}
	switch {
	case s.Held == HeldForGood:
		return Intent{}, Refusal{Why: s.WritesOff, Hint: Lit("it applies until the program ends: restart without it")}
	case s.Held == HeldNot:
		return Intent{}, Refusal{Why: Textf("nothing to lift: context %s is neither read-only nor protected", context)}
	case d == 0 && s.Raised.IsZero():
		return Intent{}, Refusal{Why: Lit("nothing is lifted")}
	case d == 0:
		i.Title = Textf("Block writes to %s again", context)
		return i, Refusal{}
	case d < RaiseLeast || d > RaiseMost:
		return Intent{}, Refusal{
			Why:  Textf("it can be lifted for %s at least and %s at most", Span(RaiseLeast), Span(RaiseMost)),
			Hint: Lit("write it like :write 15m"),
		}
	case context.IsZero():
		return Intent{}, Refusal{Why: Lit("the context has no name to confirm with")}
	}
	i.Title = Textf("Write to %s for %s", context, Span(d))
	what := Textf("Its protection is lifted for %s from now: reversible acts are confirmed with y, others by name.", Span(d))
	if s.Held == HeldReadOnly {
		what = Textf("It is not read-only for %s from now. Every write still asks in a dialog of its own.", Span(d))
		if s.Hub.Protected {
			i.Warn = append(i.Warn, Lit("It stays protected: every write is confirmed by its name."))
		}
	}
	i.Effect = []Text{what, Lit("It ends automatically. It applies to this session only; nothing is sent to the hub.")}
	if !s.Raised.IsZero() {
		i.Warn = append(i.Warn, Lit("It is already lifted; this sets a new time."))
	}
	i.Undo = Lit(":write off ends it immediately.")
	return i, Refusal{}
}
