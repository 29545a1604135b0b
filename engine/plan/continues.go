package plan

import (
	"strconv"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/message"
)

// Continues ends a sentence with what a start or a resume of a run whose current stage is
// at does next: ": stage prod, 8 clusters, max 2." The gates that hold the run come first.
func Continues(stages []engine.StageView, at int, now time.Time) engine.Text {
	var parts []engine.Text
	for i := max(0, at); i < len(stages); i++ {
		s := &stages[i]
		if s.Total > s.Done {
			return engine.Textf(": %s.", engine.Join(append(parts, StageWork(s, now)), ", then "))
		}
		if gates := s.Gated(now); len(gates) > 0 {
			parts = append(parts, engine.Enumerate(gates, len(gates)))
		}
	}
	if len(parts) == 0 {
		return engine.Lit(".")
	}
	return engine.Textf(": %s, then the run finishes.", engine.Join(parts, ", then "))
}

// StageWork returns what a stage has left to do: "stage prod, 8 clusters, max 2", with the
// gate before it.
func StageWork(s *engine.StageView, now time.Time) engine.Text {
	if s.Deletion {
		return engine.Textf("deletion from %s that the placement no longer picks", engine.Count(s.Total-s.Done, "cluster"))
	}
	work := engine.Textf("%s, %s", engine.StageName(s), StageLeft(s))
	if gates := s.Gated(now); len(gates) > 0 {
		return engine.Textf("%s, then %s", engine.Enumerate(gates, len(gates)), work)
	}
	return work
}

// StageLeft returns how many clusters a stage has left: "8 clusters, max 2".
func StageLeft(s *engine.StageView) engine.Text {
	left := s.Total - s.Done
	if left == 1 {
		return engine.Lit("1 cluster")
	}
	return engine.Textf("%s, %s", engine.Count(left, "cluster"), engine.Concurrency(s.AtOnce))
}

// Next returns what a person does so that an existing run continues, and what happens
// then: "Resume the run (R): stage prod, 8 clusters, max 2." It is empty for a run that needs
// nobody, or that does not continue.
func (p *Plan) Next() engine.Text {
	verb, not := engine.Lit("Resume the run ({run})"), engine.Lit("Do not resume the run")
	switch p.State {
	case engine.Lit("Stop"):
	case engine.Lit("Initialize"):
		verb, not = engine.Lit("Start the run ({run})"), engine.Lit("Do not start the run")
	default:
		return engine.Text{}
	}
	if p.Finished || !p.Initialized || len(p.Refusals)+len(p.Unknown) > 0 {
		return engine.Text{}
	}
	if doom := p.Doom(); !doom.IsZero() {
		return engine.Textf("%s: %s.", not, doom)
	}
	if p.NewRun {
		return engine.Textf("%s: only a new run helps.", not)
	}
	if len(p.Held) > 0 {
		return engine.Textf("%s yet: another run or a manual change holds %s, and this run fails unless that update has finished.", not, engine.Enumerate(p.Held, 3))
	}
	if p.Stuck {
		return engine.Textf("First find out what blocks %s ({diagnose}), then resume the run ({run})%s", engine.Enumerate(p.updating(), 3), Continues(p.views(), 0, p.At))
	}
	for i := range p.CompetingRuns {
		if r := &p.CompetingRuns[i]; p.State == engine.Lit("Initialize") && r.underWay() {
			return engine.Textf("%s before %s has finished: the run that updates a cluster later preempts the other.", not, r.Run.Title())
		}
	}
	if len(p.Failing) > 0 {
		return engine.Textf("%s yet: first find out what fails on %s, or the run gets stuck there.", not, engine.Enumerate(p.Failing, 3))
	}
	return engine.Textf("%s%s", verb, Continues(p.views(), 0, p.At))
}

// updating are the clusters that the run has started and not finished.
func (p *Plan) updating() (names []engine.Text) {
	for i := range p.Stages {
		for j := range p.Stages[i].Clusters {
			if c := &p.Stages[i].Clusters[j]; c.Started && !c.Succeeded {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

// underWay reports whether the other run updates clusters now that this run wants, too, and
// is expected to finish.
func (r *CompetingRun) underWay() bool {
	return r.State == engine.Lit("Run") && !r.Stuck && len(r.WillLose)+len(r.MayTake)+len(r.BothStarted) > 0
}

// MovesBack returns which pending clusters get an older snapshot than the one that they
// have; empty if none does.
func (p *Plan) MovesBack() engine.Text {
	if p.Ended() || p.ReportDiff {
		return engine.Text{}
	}
	return (&engine.RunView{Index: p.Snapshot.Index, Stages: p.views()}).MovesBack()
}

// views are the stages as a run has them.
func (p *Plan) views() []engine.StageView {
	out := make([]engine.StageView, 0, len(p.Stages)+1)
	own, err := strconv.Atoi(p.Snapshot.Index.String())
	for i := range p.Stages {
		st := &p.Stages[i]
		v := engine.StageView{Name: st.Name, Total: len(st.Clusters), AtOnce: st.AtOnce, Before: gates(st.Before), After: gates(st.After)}
		if st.Succeeded {
			v.State = engine.StageDone
		}
		for j := range st.Clusters {
			c := &st.Clusters[j]
			if c.Succeeded {
				v.Done++
			}
			has, herr := strconv.Atoi(message.SnapshotIndex(c.Now.String()))
			if !c.Started && !c.Succeeded && err == nil && herr == nil && has > own {
				v.Back = append(v.Back, c.Name)
			}
		}
		out = append(out, v)
	}
	if n := len(p.Deletions); n > 0 {
		out = append(out, engine.StageView{Deletion: true, Total: n, Done: p.Deleted})
	}
	return out
}

// gates are tasks as a run has them.
func gates(tasks []Task) []engine.GateView {
	out := make([]engine.GateView, len(tasks))
	for i := range tasks {
		t := &tasks[i]
		out[i] = engine.GateView{Name: t.Request, Timed: t.Timed(), Wait: t.Wait, Until: t.Until}
		switch {
		case t.Passed:
			out[i].State = engine.GatePassed
		case t.Sent:
			out[i].State = engine.GateSent
		}
	}
	return out
}
