package plan

import (
	"slices"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// Forecast is the estimated completion of a run if nothing changes except what
// it waits for: the controller's rules executed forward from the present. It is
// immutable.
type Forecast struct {
	// At is the present it starts from, by the hub's clock.
	At time.Time
	// Never is the reason why the run has no estimated completion; empty if it
	// has one. With it there are no times.
	Never engine.Text
	// Held is true if Never is why the run stays where it is: it is stuck or
	// its state is Stop. Otherwise the run continues, and its end is unknown.
	Held bool
	// Starts is true if the run is assumed to start at At: its state is not
	// Run, or it does not exist.
	Starts bool
	// Assumed is true if every approval is assumed to be given when it is
	// requested. Otherwise times end at the first open approval.
	Assumed bool
	// Seen is how many updates of single clusters the durations come from, in
	// Runs runs of the placement.
	Seen int
	Runs int
	// Stages are the stages in order. The last of them is the deletion stage
	// when the run has anything to delete.
	Stages []StageForecast
	// Finish is when the whole run is done; zero when that is not known.
	Finish Estimate
	// Awaits is the approval request behind which nothing is known; empty when
	// approvals were assumed or none is open.
	Awaits engine.Text
	// Next are the clusters that start next, in order: as many as stage NextStage
	// updates at a time, at most ten. Expect sets them.
	Next []engine.Text
	// NextStage is their stage, and NextMore how many start in it after them.
	NextStage engine.Text
	NextMore  int
}

// Diagnose replaces the estimate by the cause in the diagnosis of the run, if the run does
// not continue as the objects of the plan alone suggest, and notes that only a new run helps
// and which approvals were given.
func (p *Plan) Diagnose(v *engine.RunView) {
	if v == nil {
		return
	}
	p.NewRun = !p.Finished && v.Why.Recovery == engine.RecoveryByNewRun
	p.Stuck = !p.Finished && v.Word == engine.WordStuck
	p.sent(v)
	if !p.Finished {
		p.WillFail, p.FailsLater = willFail(v), foreignAhead(v)
		if !p.FailsLater.IsZero() && !slices.Contains(p.Warnings, p.FailsLater) {
			p.Warnings = append(slices.Clone(p.Warnings), p.FailsLater)
		}
	}
	if f := p.Forecast; f != nil && p.Stuck && v.StopWanted && !f.Never.IsZero() && !v.Why.What.IsZero() {
		stops := *f
		stops.Never = engine.Textf("%s %s", v.Why.What, engine.Capital(f.Never))
		p.Forecast = &stops
		return
	}
	stalled := v.Stalled() && !v.Why.What.IsZero()
	if p.Forecast == nil || p.Finished || !stalled && (len(p.Failing) == 0 || !p.Forecast.Never.IsZero()) {
		return
	}
	never := v.Why.What
	if !stalled { // it is not started, or stopped
		never = engine.Textf("the run gets stuck on %s unless the cause is fixed", engine.Enumerate(p.Failing, 3))
	}
	if stalled && v.Late {
		never = engine.Textf("no progress since %s. %s", engine.Clock(v.Progressed, p.At), never)
	}
	p.Forecast = &Forecast{At: p.Forecast.At, Assumed: p.Forecast.Assumed, Starts: p.Forecast.Starts, Held: true, Never: never}
}

// willFail is a clause about why the controller fails an unfinished run at its next check;
// empty for one that it does not fail.
func willFail(v *engine.RunView) engine.Text {
	if s, g := v.ForeignGate(); g != nil && v.Reached(s, g) {
		return engine.Textf("approval request %s is for another run or stage", g.Name)
	}
	if v.Why.Fails || v.Word == engine.WordPreempted && !v.Terminal {
		return engine.Uncapital(v.Why.What).Clause()
	}
	return engine.Text{}
}

// foreignAhead warns of an approval request of another run or stage that an unfinished run has
// not reached; empty for none.
func foreignAhead(v *engine.RunView) engine.Text {
	if s, g := v.ForeignGate(); g != nil && !v.Reached(s, g) {
		return v.ForeignSays(s, g)
	}
	return engine.Text{}
}

// sent notes the approvals of the run that were given and are not accepted.
func (p *Plan) sent(v *engine.RunView) {
	given, accepted := map[engine.Text]bool{}, map[engine.Text]engine.Text{}
	for i := range v.Stages {
		for g := range v.Stages[i].Gates() {
			if !g.Timed && g.State == engine.GateSent && !given[g.Name] { // stages of one name share a request: the first counts
				given[g.Name], accepted[g.Name] = true, v.AcceptedWhen(&v.Stages[i], g)
			}
		}
	}
	if len(given) == 0 {
		return
	}
	p.Stages = slices.Clone(p.Stages)
	for i := range p.Stages {
		s := &p.Stages[i]
		for _, tasks := range []*[]Task{&s.Before, &s.After} {
			*tasks = slices.Clone(*tasks)
			for j := range *tasks {
				t := &(*tasks)[j]
				if t.Sent = !t.Passed && given[t.Request]; t.Sent {
					t.Accepted = accepted[t.Request]
				}
			}
		}
	}
}

// Upcoming says which clusters start next; empty when none does.
func (f *Forecast) Upcoming() engine.Text {
	if len(f.Next) == 0 {
		return engine.Text{}
	}
	next := engine.Textf("next to start in stage %s: %s", f.NextStage, engine.Join(f.Next, ", "))
	if f.NextMore == 0 {
		return next
	}
	return engine.Textf("%s, then %d more", next, f.NextMore)
}

// Estimate is an estimate of a moment. Earliest and Latest bound nine of ten
// outcomes while members stay as they were; neither is before the present.
type Estimate struct {
	Earliest time.Time
	Likely   time.Time
	Latest   time.Time
}

// IsZero reports whether the moment is not known.
func (e Estimate) IsZero() bool { return e.Likely.IsZero() }

// StageForecast is the Forecast of one stage.
type StageForecast struct {
	Name     engine.Text
	Deletion bool
	// Done is true for a stage that has finished: it has no estimate.
	Done bool
	// Updated is when its clusters are done; zero when that is not known.
	Updated Estimate
	// Asked is when its first open approval is requested; zero without one.
	Asked Estimate
	// Finish is when the stage is done, its tasks too; zero when not known.
	Finish Estimate
	// Approvals are the open approval requests of this stage, and Wait is how long its timed
	// wait takes, exactly; 0 without one. Expect sets them.
	Approvals []engine.Text
	Wait      time.Duration
}

// nextShown is how many of the clusters that start next a Forecast names.
const nextShown = 10

// Expect makes a forecast that of the plan, with what the stages ahead wait for and the
// clusters that start next.
func (p *Plan) Expect(f Forecast) {
	p.Forecast = &f
	for i := range min(len(p.Stages), len(f.Stages)) {
		s, stage := &f.Stages[i], &p.Stages[i]
		if s.Done || stage.Skipped {
			continue
		}
		var ahead []engine.Text
		for _, c := range stage.Clusters {
			if !c.Started {
				ahead = append(ahead, c.Name)
			}
		}
		if n := min(stage.AtOnce, nextShown, len(ahead)); n > 0 && len(f.Next) == 0 {
			f.Next, f.NextStage, f.NextMore = ahead[:n], s.Name, len(ahead)-n
		}
		for _, t := range slices.Concat(stage.Before, stage.After) {
			switch {
			case t.Timed():
				s.Wait = t.Wait
			case !t.Passed:
				s.Approvals = append(s.Approvals, t.Request)
			}
		}
	}
}

// Moment is the next moment of a run that matters to a person.
type Moment struct {
	// What names the moment.
	What engine.Text
	// When is zero when it is not known.
	When Estimate
}

// Ahead returns when a running run completes, or before that when it requests
// an approval; zero if unknown.
func (f *Forecast) Ahead() Moment {
	if !f.Never.IsZero() || f.Starts {
		return Moment{}
	}
	for i := range f.Stages {
		if asked := f.Stages[i].Asked; !asked.IsZero() {
			return Moment{engine.Lit("next approval request"), asked}
		}
	}
	return Moment{engine.Lit("estimated completion"), f.Finish}
}

// Basis says what the times are computed from. Without updates ahead, only the
// polls of the controller and timed waits remain.
func (f *Forecast) Basis() engine.Text {
	if f.Seen == 0 {
		return engine.Lit("based on the controller's poll intervals")
	}
	if f.Runs == 0 {
		return engine.Textf("based on %s", engine.Count(f.Seen, "update"))
	}
	if f.Runs == 1 {
		return engine.Textf("based on %s in 1 run", engine.Count(f.Seen, "update"))
	}
	return engine.Textf("based on %s in %s", engine.Count(f.Seen, "update"), engine.Count(f.Runs, "run"))
}

// Terms says what the times are computed from, and what they assume.
func (f *Forecast) Terms() engine.Text {
	var parts []engine.Text
	if f.Starts {
		parts = append(parts, engine.Lit("if it is started now"))
	}
	switch {
	case f.Assumed && f.gated():
		parts = append(parts, engine.Lit("if approvals are granted immediately"))
	case !f.Awaits.IsZero():
		parts = append(parts, engine.Lit("no estimate after the first approval"))
	}
	return engine.Join(append(parts, f.Basis()), ", ")
}

// Waits says what the stage waits for beside its clusters.
func (s *StageForecast) Waits() engine.Text {
	var parts []engine.Text
	switch n := len(s.Approvals); {
	case s.Done:
		return engine.Text{}
	case n == 1:
		parts = append(parts, engine.Lit("approval"))
	case n > 1:
		parts = append(parts, engine.Count(n, "approval"))
	}
	if s.Wait > 0 {
		parts = append(parts, engine.Textf("wait %s", engine.Span(s.Wait)))
	}
	return engine.Join(parts, ", ")
}

// gated reports whether any stage needs an approval that is not given.
func (f *Forecast) gated() bool {
	return slices.ContainsFunc(f.Stages, func(s StageForecast) bool { return len(s.Approvals) > 0 })
}

// Asks reports whether an approval is requested at a known time.
func (f *Forecast) Asks() bool {
	return slices.ContainsFunc(f.Stages, func(s StageForecast) bool { return !s.Asked.IsZero() })
}

// Known says in words why there is no time; empty when there is one.
func (s *StageForecast) Known() engine.Text {
	switch {
	case s.Done:
		return engine.Lit("done")
	case s.Finish.IsZero():
		return engine.Lit("no estimate")
	}
	return engine.Text{}
}
