package plan

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/message"
)

// refusalsShown is how many reasons for which a run fails Checks lists.
const refusalsShown = 20

// Checks returns what matters before a planned run is created: why it fails,
// what is unknown, what it starts with, and what may delay it.
func (p *Plan) Checks() []engine.Check {
	var out []engine.Check
	add := func(state engine.CheckState, what engine.Text) {
		out = append(out, engine.Check{State: state, What: what})
	}
	shown, all := 0, len(p.Refusals)
	for n := range p.Refusals {
		r := &p.Refusals[n]
		if n > 0 && !r.Hint.IsZero() && r.Hint == p.Refusals[n-1].Hint {
			continue // counted with the first
		}
		if shown++; shown > refusalsShown {
			add(engine.CheckFailed, engine.Textf("and %d more reasons", all-n))
			break
		}
		lead, _ := p.fate(r)
		switch {
		case n > 0:
			lead = engine.Textf("%d of %d", n+1, all)
		case all > 1:
			lead = engine.Textf("%s, 1 of %d", lead, all)
		}
		add(engine.CheckFailed, engine.Textf("%s: %s (%s)", lead, message.Core(r.Message.String()), r.Fate()))
		if r.Hint.IsZero() {
			continue
		}
		if alike := p.alike(n); alike > 0 {
			add(engine.CheckFailed, engine.Textf("and %s like it", engine.Count(alike, "more reason")))
		}
		add(engine.CheckWarning, r.Hint)
	}
	if len(p.Unknown) > 0 {
		add(engine.CheckUnknown, engine.Textf("%s not read, so failing checks may be missing: %s", p.Unknown[0].What, p.Unknown[0].Why))
	}
	if len(out) == 0 && p.Doom().IsZero() {
		add(engine.CheckPassed, p.Promise())
		if begins := p.Begins(); !begins.IsZero() {
			add(engine.CheckPassed, begins)
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
	if !p.WillFail.IsZero() {
		return append([]engine.Check{{State: engine.CheckFailed, What: engine.Textf("the run fails: %s", p.Doom())}}, p.warnings()...)
	}
	return p.warnings()
}

// Effect is what an act does to a run that the controller fails or holds, instead of
// what it does otherwise; empty for a run that continues.
func (p *Plan) Effect() engine.Text {
	if len(p.Refusals) == 0 && !p.WillFail.IsZero() {
		return engine.Lit("The run fails at the controller's next check: no cluster is started.")
	}
	if len(p.Refusals) == 0 {
		return engine.Text{}
	}
	_, when := p.fate(&p.Refusals[0])
	return engine.Textf("%s: no cluster is started.", when)
}

// Fails reports whether the controller fails the run at its next check.
func (p *Plan) Fails() bool { return len(p.Refusals) > 0 && p.Refusals[0].Final }

// fate says what a refusal does to the run, and when.
func (p *Plan) fate(r *Refusal) (what, when engine.Text) {
	switch {
	case p.Initialized && r.Final:
		return engine.Lit("the run fails"), engine.Lit("The run fails at the controller's next check")
	case p.Initialized:
		return engine.Lit("the run does not continue"), engine.Lit("The run does not continue until the failed check passes")
	case r.Final:
		return engine.Lit("the run fails initialization"), engine.Lit("The run fails initialization")
	}
	return engine.Lit("the controller retries initialization"), engine.Lit("The controller retries initialization until the failed check passes")
}

// warnings are what may delay the run, what it deletes, and which runs compete.
func (p *Plan) warnings() (out []engine.Check) {
	texts := slices.Clone(p.Warnings)
	if n := len(p.Deletions); n > p.Deleted {
		texts = append(texts, engine.Uncapital(engine.Deletes(n-p.Deleted, p.Deletions[p.Deleted:])))
	}
	for n := range p.CompetingRuns {
		if threat := p.CompetingRuns[n].Threat(); !threat.IsZero() {
			texts = append(texts, threat)
		}
	}
	for _, w := range texts {
		out = append(out, engine.Check{State: engine.CheckWarning, What: w})
	}
	return out
}
