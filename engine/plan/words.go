package plan

import (
	"slices"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
)

// Verdict is the whole plan in one line.
func (p *Plan) Verdict() engine.Text {
	if doom := p.Doom(); p.Again && !doom.IsZero() && len(p.Refusals)+len(p.Unknown) == 0 {
		return engine.Textf("failed; a new run with the same spec would not succeed: %s", doom)
	}
	if p.Again {
		return engine.Textf("failed; a new run with the same spec is %s", p.outlook())
	}
	if p.Ended() {
		return engine.Lit("nothing to plan: the run has ended or is being deleted")
	}
	return p.outlook()
}

// Promise is the outlook of a run that is about to be made, with the snapshot
// that it will roll out.
func (p *Plan) Promise() engine.Text {
	switch s := p.Snapshot; {
	case s.Index.IsZero():
		return p.outlook()
	case s.Made:
		return engine.Textf("%s; snapshot %s is created for it", p.outlook(), s.Index)
	default:
		return engine.Textf("%s; snapshot %s", p.outlook(), s.Index)
	}
}

// Begins returns which clusters a new run starts first, and how many at once,
// or what it waits for before; empty if unknown.
func (p *Plan) Begins() engine.Text {
	when := engine.Lit("it starts")
	if p.State == engine.Lit("Initialize") {
		when = engine.Lit("when started, it begins")
	}
	for i := range p.Stages {
		s := &p.Stages[i]
		n := len(s.Clusters)
		switch {
		case s.Skipped || n == 0:
			continue
		case slices.ContainsFunc(s.Before, func(t Task) bool { return !t.Timed() && !t.Sent }):
			return engine.Textf("%s with the approval before stage %s (%s)", when, s.Name, engine.Count(n, "cluster"))
		case s.AtOnce <= 0:
			return engine.Text{}
		}
		first := make([]engine.Text, 0, min(s.AtOnce, n))
		for j := range min(s.AtOnce, n) {
			first = append(first, s.Clusters[j].Name)
		}
		begins := engine.Textf("%s with %s in stage %s", when, engine.Enumerate(first, 4), s.Name)
		if left := n - len(first); left > 0 {
			return engine.Textf("%s, then %d more (%s)", begins, left, engine.Concurrency(s.AtOnce))
		}
		return begins
	}
	if len(p.Stages) == 0 {
		return engine.Text{}
	}
	return engine.Lit("no cluster is updated")
}

// Ended reports whether there is nothing to plan.
func (p *Plan) Ended() bool { return p.Finished && !p.Again }

// outlook is what becomes of the run. One that only reports differences says so where it
// would go on.
func (p *Plan) outlook() engine.Text {
	out := p.course()
	if p.ReportDiff && len(p.Refusals)+len(p.Unknown) == 0 && p.Doom().IsZero() {
		return engine.Textf("%s; clusters only report differences (ReportDiff)", out)
	}
	return out
}

// course is outlook without what the clusters do.
func (p *Plan) course() engine.Text {
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
		return engine.Textf("blocked by %s", engine.Count(len(p.Refusals), "failed check"))
	case len(p.Unknown) > 0:
		return engine.Lit("unknown: not everything was read")
	case p.Deleting:
		return engine.Textf("fails soon: %s", p.Doom())
	case !p.WillFail.IsZero():
		return engine.Textf("will fail: %s", p.Doom())
	case !p.FailsLater.IsZero() && p.Doom() == p.FailsLater:
		return engine.Textf("fails later: %s", p.FailsLater)
	case !p.Doom().IsZero():
		return engine.Textf("gets stuck: %s", p.Doom())
	case !p.Again && p.Forecast != nil && p.Forecast.Held && (begun || p.Initialized && p.State != engine.Lit("Initialize")):
		return engine.Textf("on hold: %s", p.left(left, clusters))
	case begun && !p.Again:
		return engine.Textf("continues: %s", p.left(left, clusters))
	}
	return engine.Textf("possible: %s in %s", engine.Count(clusters, "cluster"), engine.Count(len(p.Stages), "stage"))
}

// DeletionOnMembers says what the deletion of a placement does on the clusters.
func DeletionOnMembers(keeps bool) engine.Text {
	if keeps {
		return engine.Lit("its resources stay on the clusters (deleteStrategy Abandon)")
	}
	return engine.Lit("its resources are removed from the clusters")
}

// left says what an existing run has left to do: updates of clusters, and deletions.
func (p *Plan) left(updates, clusters int) engine.Text {
	all := len(p.Deletions)
	if updates == 0 && all == p.Deleted {
		return engine.Lit("nothing is left to update")
	}
	deletions := engine.Textf("deletion from %d of %s left", all-p.Deleted, engine.Count(all, "cluster"))
	if all > p.Deleted && updates == 0 {
		return deletions
	}
	stages := 0
	for i := range p.Stages {
		if slices.ContainsFunc(p.Stages[i].Clusters, func(c Cluster) bool { return !c.Succeeded }) {
			stages++
		}
	}
	out := engine.Textf("%d of %s left in %s", updates, engine.Count(clusters, "cluster"), engine.Count(stages, "stage"))
	if all > p.Deleted {
		return engine.Textf("%s, then %s", out, deletions)
	}
	return out
}

// Rolls says which snapshot the plan rolls out, and where it comes from.
func (p *Plan) Rolls() engine.Text {
	s := p.Snapshot
	switch {
	case s.Index.IsZero() && s.Newest && !p.Ended():
		return engine.Lit("newest, index unknown")
	case s.Index.IsZero() && !s.Asked.IsZero():
		return s.Asked
	case s.Index.IsZero():
		return engine.Lit("-")
	case s.Made:
		return engine.Textf("%s   newest: created for this run", s.Index)
	case s.Newest && !p.Initialized && !p.Ended():
		return engine.Textf("%s   newest", s.Index)
	}
	return s.Index
}

// About says how many clusters the stage has, and its concurrency.
func (s *Stage) About() engine.Text {
	n := len(s.Clusters)
	switch {
	case s.Skipped:
		return engine.Lit("no clusters: the stage and its tasks are skipped")
	case s.AtOnce == 0:
		return engine.Textf("%s, maxConcurrency cannot be read", engine.Count(n, "cluster"))
	}
	return engine.Textf("%s, %s", engine.Count(n, "cluster"), engine.Concurrency(s.AtOnce))
}

// Fate says how far the stage's cluster at i is, or that it is among those that
// start first; empty for one that waits for its turn.
func (s *Stage) Fate(i int) engine.Text {
	begun := false
	for j := range s.Clusters {
		begun = begun || s.Clusters[j].Started
	}
	switch c := &s.Clusters[i]; {
	case c.Succeeded:
		return engine.Lit("done")
	case c.Started:
		return engine.Lit("updating")
	case i < s.AtOnce && !begun:
		return engine.Lit("starts first")
	}
	return engine.Text{}
}

// What returns what the task requires. A run without a name has no names of
// requests yet.
func (t *Task) What() engine.Text {
	switch {
	case t.Timed() && t.Wait == 0: // the API accepts it, the controller rejects it
		return engine.Lit("wait 0s")
	case t.Timed():
		return engine.Textf("wait %s", engine.Span(t.Wait))
	case t.Unnamed():
		return engine.Lit("approval")
	case t.Passed:
		return engine.Textf("approval %s, accepted", t.Request)
	case t.Sent && !t.Accepted.IsZero():
		return engine.Textf("approval %s, approved: accepted %s", t.Request, t.Accepted)
	case t.Sent:
		return engine.Textf("approval %s, sent", t.Request)
	}
	return engine.Textf("approval %s", t.Request)
}

// Unnamed reports whether the task is an approval whose request has no name
// yet, because the run has none.
func (t *Task) Unnamed() bool { return strings.HasPrefix(t.Request.String(), "-") }

// Short is the message without what most refusals begin with: that the run
// cannot continue, and whose mistake it is.
func (r *Refusal) Short() engine.Text {
	s := r.Message.String()
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
	return engine.Clean(s)
}

// Fate says what becomes of a run for the refusal.
func (r *Refusal) Fate() engine.Text {
	if r.Final {
		return engine.Lit("final")
	}
	return engine.Lit("retried automatically")
}

// Seen lists the labels, those that are not set too, or says that the member cluster does
// not exist.
func (m *StageMismatch) Seen() engine.Text {
	if m.Missing {
		return engine.Lit("the member cluster does not exist")
	}
	labels := make([]engine.Text, len(m.Labels))
	for i, l := range m.Labels {
		labels[i] = l
		if !strings.Contains(l.String(), "=") {
			labels[i] = engine.Textf("%s (not set)", l)
		}
	}
	return engine.Join(labels, ", ")
}

// About says where the competing run stands.
func (r *CompetingRun) About() engine.Text {
	state := r.State
	if state.IsZero() {
		state = engine.Lit("not set")
	}
	if r.Index.IsZero() {
		return engine.Textf("state %s", state)
	}
	return engine.Textf("state %s, snapshot %s", state, r.Index)
}

// Danger says what the two runs do to each other, a line each.
func (r *CompetingRun) Danger() []engine.Text {
	var out []engine.Text
	stop := r.stops()
	switch lost := engine.Join(r.WillLose, ", "); {
	case len(r.WillLose) == 0:
	case stop: // docs/kubefleet.md#stop
		out = append(out, engine.Textf("has started %s, which this run also updates: it stops when the update has finished, and fails if it is resumed earlier", lost))
	default:
		out = append(out, engine.Textf("fails when this run updates %s", lost))
	}
	switch {
	case len(r.MayTake) == 0:
	case stop:
		out = append(out, engine.Textf("may update %s when it is resumed, which makes this run fail", engine.Join(r.MayTake, ", ")))
	default:
		out = append(out, engine.Textf("may update %s, which makes this run fail", engine.Join(r.MayTake, ", ")))
	}
	switch started := engine.Textf("has also started %s", engine.Join(r.BothStarted, ", ")); {
	case len(r.BothStarted) == 0:
	case stop && !r.Holds: // a run in state Stop makes no check of it (docs/kubefleet.md#stop)
		out = append(out, engine.Textf("%s: it fails there if it is resumed before it has stopped", started))
	default:
		out = append(out, engine.Textf("%s: one of the two runs fails there", started))
	}
	if !r.Fails.IsZero() {
		out = append(out, engine.Textf("updates no cluster: it fails its initialization (%s)", r.Fails))
	}
	if r.Moot {
		out = append(out, engine.Lit("neither run preempts the other: this run fails first"))
	}
	if r.Unknown {
		out = append(out, engine.Lit("competing clusters are unknown before this run has stages"))
	}
	switch {
	case len(out) > 0:
	case r.Same:
		out = append(out, engine.Lit("same snapshot: neither run preempts the other"))
	default:
		out = append(out, engine.Lit("another version (snapshot, overrides or apply strategy), but no cluster is left to update in both runs"))
	}
	return out
}

// Threat says in a line which of the two runs takes clusters from the other;
// empty when neither does.
func (r *CompetingRun) Threat() engine.Text {
	switch lose, take := len(r.WillLose) > 0, len(r.MayTake) > 0; {
	case lose && r.stops():
		return engine.Textf("it also updates %s, started by %s, which is stopping: that run stops when the update has finished, and fails if it is resumed earlier", engine.Enumerate(r.WillLose, 3), r.Run.Title())
	case lose:
		return engine.Textf("it preempts %[2]s on %[1]s; that run then fails", engine.Enumerate(r.WillLose, 3), r.Run.Title())
	case take && r.stops():
		return engine.Textf("%s (state Stop) may preempt it when it is resumed: both want %s", r.Run.Title(), engine.Enumerate(r.MayTake, 3))
	case take:
		return engine.Textf("%s (state %s) may preempt it: both want %s", r.Run.Title(), engine.OrUnknown(r.State), engine.Enumerate(r.MayTake, 3))
	}
	return engine.Text{}
}

// stops reports whether the run has state Stop.
func (r *CompetingRun) stops() bool { return r.State == engine.Lit("Stop") }
