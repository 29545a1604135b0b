package engine

// refusalsShown is how many reasons for which a run fails Checks lists.
const refusalsShown = 20

// Checks returns what matters before a planned run is created: why it fails,
// what is unknown, what it starts with, and what may delay it.
func (p *Plan) Checks() []Check {
	var out []Check
	for n := range p.Refusals {
		if n == refusalsShown {
			out = append(out, Check{State: CheckFailed, What: Textf("and %d more reasons", len(p.Refusals)-n)})
			break
		}
		r := &p.Refusals[n]
		lead := Lit("the run fails initialization")
		if !r.Final {
			lead = Lit("the controller retries initialization")
		}
		switch all := len(p.Refusals); {
		case n > 0:
			lead = Textf("%d of %d", n+1, all)
		case all > 1:
			lead = Textf("%s, 1 of %d", lead, all)
		}
		out = append(out, Check{State: CheckFailed, What: Textf("%s: %s (%s)", lead, Core(r.Message.s), r.Fate())})
		if !r.Hint.IsZero() {
			out = append(out, Check{State: CheckWarning, What: r.Hint})
		}
	}
	for _, u := range p.Unknown {
		out = append(out, Check{State: CheckUnknown, What: Textf("%s not read, so reasons to fail may be missing: %s", u.What, u.Why)})
		break
	}
	if len(out) == 0 {
		out = append(out, Check{State: CheckPassed, What: p.Promise()})
		if begins := p.Begins(); !begins.IsZero() {
			out = append(out, Check{State: CheckPassed, What: begins})
		}
	}
	for _, w := range p.Warnings {
		out = append(out, Check{State: CheckWarning, What: w})
	}
	for n := range p.Rivals {
		if w := p.Rivals[n].Threat(); !w.IsZero() {
			out = append(out, Check{State: CheckWarning, What: w})
		}
	}
	return out
}
