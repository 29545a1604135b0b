package plan

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/message"
)

// refusalsShown is how many reasons for which a run fails Checks lists.
const refusalsShown = 20

// Checks returns what matters before a planned run is created: why it fails,
// what is unknown, what it starts with, and what may delay it.
func (p *Plan) Checks() []engine.Check {
	var out []engine.Check
	shown := 0
	for n := range p.Refusals {
		r := &p.Refusals[n]
		if n > 0 && !r.Hint.IsZero() && r.Hint == p.Refusals[n-1].Hint {
			continue // counted with the first
		}
		if shown++; shown > refusalsShown {
			out = append(out, engine.Check{State: engine.CheckFailed, What: engine.Textf("and %d more reasons", len(p.Refusals)-n)})
			break
		}
		lead := p.fails(r)
		switch all := len(p.Refusals); {
		case n > 0:
			lead = engine.Textf("%d of %d", n+1, all)
		case all > 1:
			lead = engine.Textf("%s, 1 of %d", lead, all)
		}
		out = append(out, engine.Check{State: engine.CheckFailed, What: engine.Textf("%s: %s (%s)", lead, message.Core(r.Message.String()), r.Fate())})
		if r.Hint.IsZero() {
			continue
		}
		if alike := p.alike(n); alike > 0 {
			out = append(out, engine.Check{State: engine.CheckFailed, What: engine.Textf("and %s like it", engine.Count(alike, "more reason"))})
		}
		out = append(out, engine.Check{State: engine.CheckWarning, What: r.Hint})
	}
	for _, u := range p.Unknown {
		out = append(out, engine.Check{State: engine.CheckUnknown, What: engine.Textf("%s not read, so failing checks may be missing: %s", u.What, u.Why)})
		break
	}
	if len(out) == 0 {
		out = append(out, engine.Check{State: engine.CheckPassed, What: p.Promise()})
		if begins := p.Begins(); !begins.IsZero() {
			out = append(out, engine.Check{State: engine.CheckPassed, What: begins})
		}
	}
	return append(out, p.warnings()...)
}

// alike counts the refusals right after the nth that have its hint.
func (p *Plan) alike(n int) int {
	more := 0
	for n+more+1 < len(p.Refusals) && p.Refusals[n+more+1].Hint == p.Refusals[n].Hint {
		more++
	}
	return more
}

// RunChecks are the checks of an existing run that is started, resumed or approved: for
// what it will fail, what it deletes, what may delay it. A run for which nothing speaks
// has none.
func (p *Plan) RunChecks() []engine.Check {
	if len(p.Refusals) > 0 {
		return p.Checks()
	}
	return p.warnings()
}

// Effect is what an act does to a run that the controller fails or holds, instead of
// what it does otherwise; empty for a run that continues.
func (p *Plan) Effect() engine.Text {
	if len(p.Refusals) == 0 {
		return engine.Text{}
	}
	switch r := &p.Refusals[0]; {
	case p.Initialized && r.Final:
		return engine.Lit("The run fails at the controller's next check: no cluster is started.")
	case p.Initialized:
		return engine.Lit("The run does not continue until the failed check passes: no cluster is started.")
	case r.Final:
		return engine.Lit("The run fails initialization: no cluster is started.")
	}
	return engine.Lit("The controller retries initialization until the failed check passes: no cluster is started.")
}

// Fails reports whether the controller fails the run at its next check.
func (p *Plan) Fails() bool { return len(p.Refusals) > 0 && p.Refusals[0].Final }

// fails says what a refusal does to the run.
func (p *Plan) fails(r *Refusal) engine.Text {
	switch {
	case p.Initialized && r.Final:
		return engine.Lit("the run fails")
	case p.Initialized:
		return engine.Lit("the run does not continue")
	case r.Final:
		return engine.Lit("the run fails initialization")
	}
	return engine.Lit("the controller retries initialization")
}

// warnings are what may delay the run, what it deletes, and which runs compete.
func (p *Plan) warnings() []engine.Check {
	var out []engine.Check
	for _, w := range p.Warnings {
		out = append(out, engine.Check{State: engine.CheckWarning, What: w})
	}
	if n := len(p.Deletions); n > 0 {
		out = append(out, engine.Check{State: engine.CheckWarning, What: engine.Uncapital(engine.Deletes(n, p.Deletions))})
	}
	for n := range p.CompetingRuns {
		if w := p.CompetingRuns[n].Threat(); !w.IsZero() {
			out = append(out, engine.Check{State: engine.CheckWarning, What: w})
		}
	}
	return out
}
