package engine

import "time"

// Gated names the gates that hold the stage where it is: those before it until they are
// passed, and those after it once all its clusters are done. A wait that has ended and an
// approval that the controller accepts at its next check hold nothing.
func (s *StageView) Gated(now time.Time) []Text {
	switch {
	case s.Total == 0 || s.State == StageDone || s.State == StageSkipped:
		return nil
	case s.Done == s.Total:
		return named(s.After, now)
	}
	return named(s.Before, now)
}

// named names the gates that are not passed.
func named(gates []GateView, now time.Time) []Text {
	var out []Text
	for i := range gates {
		switch g := &gates[i]; {
		case g.State == GatePassed || g.State == GateSkipped || g.State == GateSent:
		case !g.Timed && g.Name.IsZero():
			out = append(out, Lit("an approval"))
		case !g.Timed:
			out = append(out, Textf("approval %s", g.Name))
		case g.Until.IsZero():
			out = append(out, Textf("a timed wait of %s", Span(g.Wait)))
		case g.Until.After(now):
			out = append(out, Textf("the timed wait until %s", Clock(g.Until, now)))
		}
	}
	return out
}
