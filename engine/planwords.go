package engine

import (
	"slices"
	"strings"
)

// Verdict is the whole plan in one line.
func (p *Plan) Verdict() Text {
	if p.Again {
		return Textf("this run has failed; a new one like it is %s", p.outlook())
	}
	if p.Ended() {
		return Lit("none: the run has ended or is being deleted")
	}
	return p.outlook()
}

// Promise is the outlook of a run that is about to be made, with the snapshot
// that it will roll out.
func (p *Plan) Promise() Text {
	switch s := p.Snapshot; {
	case s.Index.IsZero():
		return p.outlook()
	case s.Made:
		return Textf("%s; snapshot %s is created for it", p.outlook(), s.Index)
	default:
		return Textf("%s; snapshot %s", p.outlook(), s.Index)
	}
}

// Begins returns which clusters a new run starts first, and how many at once,
// or what it waits for before; empty if unknown.
func (p *Plan) Begins() Text {
	for i := range p.Stages {
		s := &p.Stages[i]
		n := len(s.Clusters)
		switch {
		case s.Skipped || n == 0:
			continue
		case slices.ContainsFunc(s.Before, func(t PlanTask) bool { return t.Wait == 0 }):
			return Textf("stage %s waits for its approval before it updates its %s", s.Name, Count(n, "cluster"))
		case s.AtOnce <= 0:
			return Text{}
		}
		first := make([]Text, 0, s.AtOnce)
		for j := range min(s.AtOnce, n) {
			first = append(first, s.Clusters[j].Name)
		}
		begins := Textf("it starts with %s in stage %s", Enumerate(first, 4), s.Name)
		if left := n - len(first); left > 0 {
			return Textf("%s, then %d more, %d at a time", begins, left, s.AtOnce)
		}
		return begins
	}
	if len(p.Stages) == 0 {
		return Text{}
	}
	return Lit("no cluster is updated")
}

// Ended reports whether there is nothing to plan.
func (p *Plan) Ended() bool { return p.Finished && !p.Again }

func (p *Plan) outlook() Text {
	clusters, left, begun := 0, 0, false
	for i := range p.Stages {
		for j := range p.Stages[i].Clusters {
			c := &p.Stages[i].Clusters[j]
			clusters++
			if !c.Succeeded {
				left++
			}
			begun = begun || c.Started
		}
	}
	switch {
	case len(p.Refusals) > 0:
		return Textf("REFUSED: %s", Count(len(p.Refusals), "reason"))
	case len(p.Unknown) > 0:
		return Lit("UNKNOWN: not everything could be read")
	case begun && !p.Again && p.Forecast != nil && p.Forecast.Held:
		return Textf("on hold: %d of %s left in %s", left, Count(clusters, "cluster"), Count(len(p.Stages), "stage"))
	case begun && !p.Again:
		return Textf("continues: %d of %s left in %s", left, Count(clusters, "cluster"), Count(len(p.Stages), "stage"))
	}
	return Textf("possible: %s in %s", Count(clusters, "cluster"), Count(len(p.Stages), "stage"))
}

// Rolls says which snapshot the plan rolls out, and where it comes from.
func (p *Plan) Rolls() Text {
	s := p.Snapshot
	switch {
	case s.Index.IsZero() && s.Newest && !p.Ended():
		return Lit("newest, index unknown")
	case s.Index.IsZero():
		return Lit("-")
	case s.Made:
		return Textf("%s   newest: created for this run", s.Index)
	case s.Newest && !p.Initialized && !p.Ended():
		return Textf("%s   newest", s.Index)
	}
	return s.Index
}

// About says how many clusters the stage has and how many of them start
// together.
func (s *PlanStage) About() Text {
	n := len(s.Clusters)
	switch {
	case s.Skipped:
		return Lit("no clusters: skipped, with its tasks")
	case s.AtOnce == 0:
		return Textf("%s, how many at once cannot be read", Count(n, "cluster"))
	case s.AtOnce == n && n > 1:
		return Textf("%s, all at once", Count(n, "cluster"))
	}
	return Textf("%s, %d at once", Count(n, "cluster"), s.AtOnce)
}

// Fate says how far the stage's cluster at i is, or that it is among those that
// start first; empty for one that waits for its turn.
func (s *PlanStage) Fate(i int) Text {
	begun := false
	for j := range s.Clusters {
		begun = begun || s.Clusters[j].Started
	}
	switch c := &s.Clusters[i]; {
	case c.Succeeded:
		return Lit("done")
	case c.Started:
		return Lit("updating")
	case i < s.AtOnce && !begun:
		return Lit("starts first")
	}
	return Text{}
}

// What returns what the task requires. A run without a name has no names of
// requests yet.
func (t *PlanTask) What() Text {
	switch {
	case t.Wait > 0:
		return Textf("wait %s", Span(t.Wait))
	case t.Unnamed():
		return Lit("approval")
	}
	return Textf("approval %s", t.Request)
}

// Unnamed reports whether the task is an approval whose request has no name
// yet, because the run has none.
func (t *PlanTask) Unnamed() bool { return strings.HasPrefix(t.Request.String(), "-") }

// Short is the message without what most refusals begin with: that the run
// cannot continue, and whose mistake it is.
func (r *PlanRefusal) Short() Text {
	s := r.Message.s
	for cut := true; cut; {
		cut = false
		for _, head := range [...]string{
			"cannot continue the updateRun: ", "failed to validate the updateRun: ", "failed to process the request due to a client error: ",
			"unexpected behavior which cannot be handled by the controller: ",
		} {
			if rest, ok := strings.CutPrefix(s, head); ok && rest != "" {
				s, cut = rest, true
			}
		}
	}
	return Clean(s)
}

// Fate says what becomes of a run for the refusal.
func (r *PlanRefusal) Fate() Text {
	if r.Final {
		return Lit("final")
	}
	return Lit("retried automatically")
}

// Seen lists the labels, those that are not set too.
func (m *PlanMisfit) Seen() Text {
	labels := make([]Text, len(m.Labels))
	for i, l := range m.Labels {
		labels[i] = l
		if !strings.Contains(l.String(), "=") {
			labels[i] = Textf("%s (not set)", l)
		}
	}
	return Join(labels, ", ")
}

// About says where the rival stands.
func (r *PlanRival) About() Text {
	state := r.State
	if state.IsZero() {
		state = Lit("not set")
	}
	if r.Index.IsZero() {
		return Textf("state %s", state)
	}
	return Textf("state %s, snapshot %s", state, r.Index)
}

// Danger says what the two runs do to each other, a line each.
func (r *PlanRival) Danger() []Text {
	var out []Text
	if len(r.WillLose) > 0 {
		out = append(out, Textf("fails when this run updates %s", Join(r.WillLose, ", ")))
	}
	if len(r.MayTake) > 0 {
		out = append(out, Textf("may update %s, which makes this run fail", Join(r.MayTake, ", ")))
	}
	if r.Unknown {
		out = append(out, Lit("competing clusters are unknown before this run has stages"))
	}
	if len(out) == 0 {
		out = append(out, Lit("same snapshot: neither run preempts the other"))
	}
	return out
}

// Threat says in a line which of the two runs takes clusters from the other;
// empty when neither does.
func (r *PlanRival) Threat() Text {
	switch lose, take := len(r.WillLose) > 0, len(r.MayTake) > 0; {
	case lose:
		return Textf("it preempts %[2]s on %[1]s, which then fails", Enumerate(r.WillLose, 3), r.Run.Title())
	case take:
		return Textf("%s (state %s) may preempt it: both want %s", r.Run.Title(), OrUnknown(r.State), Enumerate(r.MayTake, 3))
	}
	return Text{}
}
