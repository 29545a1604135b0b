package triage

import (
	"slices"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/triage/trouble"
	"github.com/stagewatch/stagewatch/engine/world"
)

// stuck explains a run that does not get on: by the cluster whose trouble says
// most.
func (k *finder) stuck() finding {
	c, v := k.Case, k.View
	var names, finished []engine.Text
	var first *world.CaseCluster
	var of trouble.Trouble
	done := true
	isStuck := func(cl world.CaseCluster) bool { return cl.State == engine.ClusterStuck }
	if !slices.ContainsFunc(c.Clusters, isStuck) { // the threshold of the controller is shorter
		isStuck = func(cl world.CaseCluster) bool {
			return cl.State == engine.ClusterUpdating || cl.State == engine.ClusterSlow
		}
	}
	for i := range c.Clusters {
		cl := &c.Clusters[i]
		if !isStuck(*cl) {
			continue
		}
		t := k.TroubleOf(cl)
		if cl.Landed {
			finished = append(finished, engine.Clean(cl.Name))
		} else {
			names = append(names, engine.Clean(cl.Name))
		}
		done = done && cl.Landed
		if first == nil || worse(&t, &of) {
			first, of = cl, t
		}
	}
	said := ""
	if c.Progressing.Reason == placement.ReasonRunStuck {
		said = c.Progressing.Message
	}
	if i := slices.IndexFunc(c.Clusters, func(cl world.CaseCluster) bool { return cl.Landed }); first == nil && i >= 0 {
		first, of = &c.Clusters[i], k.TroubleOf(&c.Clusters[i])
	}
	if first == nil {
		f := k.simply(&catalogue.StuckUnnamed, engine.Lit("The run is reported as stuck, but no cluster is updating."), placement.RunProgressing)
		f.Quote = engine.Message(said)
		return f
	}
	f := k.byTrouble(first, &of, &catalogue.StuckUnknown)
	if of.Entry == nil {
		f.What = engine.Textf("Cluster %s has not finished (%s).", first.Name, k.About(first).Standing(first.Started))
		if c.Bindings.State != engine.CoverComplete {
			f.What = engine.Textf("%s The cause is unknown: %s.", f.What, k.Unread())
		}
		f.RecoveryText = engine.Textf("Unknown. If the cause is on the member, this run continues after a fix there. A wrong manifest needs a new run: this one keeps snapshot %s.", engine.OrUnknown(v.Index))
	} else {
		f.What = k.andStartBlocked(first, of.Sentence())
	}
	if subject.IsHeld(first) {
		f = k.held(first)
	}
	if others := slices.DeleteFunc(names, func(n engine.Text) bool { return n == engine.Clean(first.Name) }); len(others) > 0 {
		f.What = engine.Textf("%s Also stuck: %s.", f.What, engine.Enumerate(others, 3))
	}
	k.alsoHeld(&f, first)
	if !done && len(finished) > 0 {
		f.What = engine.Textf("%s The %s of %s %s finished; the controller has not recorded %s yet.", f.What, subject.Agree(len(finished), "update", "updates"), engine.Enumerate(finished, 3), subject.Agree(len(finished), "has", "have"), subject.Agree(len(finished), "it", "them"))
	}
	if done && !catalogue.Held(f.Cause) {
		f.RecoveryText, f.Recovery = catalogue.Landed.RecoveryText.Text(), catalogue.Landed.Recovery
	}
	if f.Quote.IsZero() {
		f.Quote = engine.Message(said)
	}
	if !catalogue.Held(f.Cause) {
		f.Evidence = append(f.Evidence, k.RunCondition(placement.RunProgressing)...)
	}
	if v.StopWanted && len(f.Steps) > 0 && !catalogue.Held(f.Cause) {
		switch {
		case catalogue.EndsRun(f.Cause) && f.Recovery == engine.RecoveryByNewRun:
			f.Steps = append(f.Steps, catalogue.FailsStopping.Text())
		case f.Recovery == engine.RecoveryByNewRun:
			f.Steps = append(f.Steps, engine.Lit("Stop was requested: this run is reported as stopped when a new run has updated its stuck clusters."))
		default:
			f.Steps[0] = engine.Textf("%s Stop was requested; the run stops when these clusters have finished.", f.Steps[0])
		}
	}
	return f
}

// worse reports whether a trouble says more than another: hard ones first, then
// a condition that is False, then anything at all.
func worse(t, than *trouble.Trouble) bool {
	return rank(t) > rank(than)
}

func rank(t *trouble.Trouble) int {
	switch {
	case t.Entry == nil:
		return 0
	case t.Entry == &catalogue.Landed:
		return 1
	case t.Hard:
		return 4
	case t.Failing:
		return 3
	}
	return 2
}

// byTrouble makes a finding of a cluster's trouble; of the given entry when
// nothing is known of the cluster's binding.
func (k *finder) byTrouble(cl *world.CaseCluster, t *trouble.Trouble, unknown *catalogue.Entry) finding {
	f := finding{cluster: cl, below: t.Path}
	if t.Entry != nil {
		f.Diagnosis = t.Diagnosis()
		return f
	}
	f.Diagnosis = k.About(cl).Diagnosis(unknown)
	f.Evidence = append(f.Evidence, k.About(cl).Started()...)
	if k.Case.Bindings.State != engine.CoverComplete {
		f.Evidence = append(f.Evidence, subject.Field(subject.Object(k.View.Placement), engine.Lit("bindings"), engine.Textf("%s", k.Case.Bindings.State)))
	}
	return f
}

// running explains a run that is under way.
func (k *finder) running() finding {
	v, s := k.View, k.View.Current()
	var f finding
	switch {
	case s == nil:
		f = k.simply(&catalogue.BetweenLooks, engine.Lit("All stages are done; the controller completes the run next."), placement.RunProgressing)
	case s.Deletion:
		f = k.removal(s)
	case s.State == engine.StageComing && !subject.NextGate(s).IsZero():
		f = k.simply(&catalogue.BetweenLooks, engine.Textf("%s comes next.", engine.Capital(subject.NextGate(s))), placement.RunProgressing)
	case s.State == engine.StageComing:
		f = k.simply(&catalogue.BetweenLooks, engine.Textf("%s starts next.", engine.Capital(engine.StageName(s))), placement.RunProgressing)
	case v.SentGate() != nil:
		f = k.approved(s)
	default:
		f = k.updating(s)
	}
	k.strange(&f)
	return f
}

// approved explains a stage whose approval was given and is not accepted.
func (k *finder) approved(s *engine.StageView) finding {
	g := k.View.SentGate()
	f := k.simply(&catalogue.ApprovalSent, engine.Textf("The approval of %s is not accepted yet.", engine.StageName(s)), placement.RunProgressing)
	if k.View.Late {
		f = k.simply(&catalogue.ApprovalNotObserved, engine.Textf("The approval of %s, written at %s, is still not accepted.", engine.StageName(s), engine.Clock(g.Since, k.Case.Now)), placement.RunProgressing)
	}
	f.Evidence = append(subject.RequestProof(g), f.Evidence...)
	return f
}

// frozen changes a finding of a run in state Initialize of which a stage has begun: what
// the run waits for is not what lets it continue.
func (k *finder) frozen(f finding) finding {
	if !k.Frozen() {
		return f
	}
	what := engine.Textf("%s spec.state is Initialize although stages have started: a controller before v0.2 ignores it and continues; a newer one holds the run.", f.What)
	start := engine.Lit("If the run does not continue, start it ({run}): a controller of v0.2 or later does nothing until then.")
	switch k.View.Word {
	case engine.WordRunning, engine.WordWaiting:
		f = k.simply(&catalogue.Frozen, what, placement.RunProgressing)
	case engine.WordApproval, engine.WordNotAccepted, engine.WordStuck:
		f.What, f.Steps = what, append(slices.Clone(f.Steps), start)
		f.Also = append(f.Also, catalogue.Frozen.Finding())
	case engine.WordPreempted:
		f.What, f.RecoveryText = what, engine.Lit("Needs a new run: this run fails when it is started, or at the next check of a controller before v0.2.")
	default:
		return f
	}
	f.Evidence = append(f.Evidence, subject.Field(subject.Object(k.View.ID), engine.Lit("spec.state"), k.View.State))
	return f
}

func (k *finder) removal(s *engine.StageView) finding {
	what := engine.Textf("All stages are done; resources are deleted from %s that the placement no longer picks: %d of %d done.", engine.Count(s.Total, "cluster"), s.Done, s.Total)
	cl, t := k.worst(func(_ *world.CaseCluster, t *trouble.Trouble) bool { return t.Entry != &catalogue.DeletionInProgress })
	if cl == nil {
		return k.simply(&catalogue.DeletionInProgress, what, placement.RunProgressing)
	}
	f := k.byTrouble(cl, t, &catalogue.DeletionInProgress)
	f.What = t.Sentence()
	return f
}

// updating explains a stage whose clusters are in flight: by one that is slow
// or fails already, when there is one.
func (k *finder) updating(s *engine.StageView) finding {
	c := k.Case
	for i := range c.Clusters {
		if cl := &c.Clusters[i]; cl.State == engine.ClusterSlow {
			return k.slow(cl)
		}
	}
	flying, finished := 0, 0
	var names []engine.Text
	for i := range c.Clusters {
		cl := &c.Clusters[i]
		if cl.State != engine.ClusterUpdating {
			continue
		}
		flying++
		if cl.Landed {
			finished++
			names = append(names, engine.Clean(cl.Name))
			continue
		}
		t := k.TroubleOf(cl)
		if t.Entry == nil || !t.Hard && cl.StartBlocked.IsZero() {
			continue
		}
		f := k.byTrouble(cl, &t, &catalogue.FailingEarly)
		f.What = k.andStartBlocked(cl, t.Sentence())
		f.Also = append(f.Also, catalogue.FailingEarly.Finding())
		return f
	}
	if flying > 0 && finished == flying {
		f := k.simply(&catalogue.BetweenLooks, k.finished(names, s), placement.RunProgressing)
		for i := range c.Clusters {
			if cl := &c.Clusters[i]; cl.Landed {
				f.cluster = cl
				f.Evidence = append(f.Evidence, k.TroubleOf(cl).Evidence...)
				break
			}
		}
		return f
	}
	f := k.simply(&catalogue.Updating, engine.Textf("%s: %s updating, %d of %d done.", engine.Capital(engine.StageName(s)), engine.Are(s.Updating, "cluster"), s.Done, s.Total), placement.RunProgressing)
	return f
}

// slow explains a cluster on the way to the stuck mark.
func (k *finder) slow(first *world.CaseCluster) finding {
	c := k.Case
	cl, of := first, k.TroubleOf(first)
	for i := range c.Clusters {
		if other := &c.Clusters[i]; other.State == engine.ClusterSlow {
			if t := k.TroubleOf(other); worse(&t, &of) {
				cl, of = other, t
			}
		}
	}
	f := k.byTrouble(cl, &of, &catalogue.SlowUnknown)
	switch {
	case of.Entry == nil:
		f.What = engine.Textf("Cluster %s has not finished (%s). It counts as stuck from %s.", cl.Name, k.About(cl).Standing(cl.Since()), c.Clock(cl.StuckAt))
	case cl.Landed:
		f.What = of.Sentence()
	default:
		f.What = engine.Textf("%s The cluster counts as stuck from %s.", k.andStartBlocked(cl, of.Sentence()), c.Clock(cl.StuckAt))
	}
	return f
}

// andStartBlocked adds to what is wrong with a cluster that the controller does not start it
// for that reason.
func (k *finder) andStartBlocked(cl *world.CaseCluster, says engine.Text) engine.Text {
	if cl.StartBlocked.IsZero() {
		return says
	}
	return engine.Textf("%s The cluster has snapshot %s already: the controller does not start its update while it fails.", says, engine.OrUnknown(k.View.Index))
}

// finished says that every started cluster of the stage has finished and that the
// controller has not recorded it.
func (k *finder) finished(names []engine.Text, s *engine.StageView) engine.Text {
	var by time.Time
	for i := range k.Case.Clusters {
		if cl := &k.Case.Clusters[i]; cl.Landed && cl.CheckBy.After(by) {
			by = cl.CheckBy
		}
	}
	what := engine.Textf("The %s of %s %s finished (%s, %d of %s recorded as done)", subject.Agree(len(names), "update", "updates"), engine.Enumerate(names, 3), subject.Agree(len(names), "has", "have"), subject.InStage(s), s.Done, engine.Count(s.Total, "cluster"))
	if k.Frozen() {
		return engine.Textf("%s.", what)
	}
	if by.IsZero() || k.Case.Now.After(by) {
		return engine.Textf("%s; the controller has not recorded %s yet.", what, subject.Agree(len(names), "it", "them"))
	}
	k.Case.LookAgain(by.Add(1))
	return engine.Textf("%s; the controller records %s by %s.", what, subject.Agree(len(names), "it", "them"), k.Case.Clock(by))
}

// besides adds what is noticed apart from the cause: a run that was changed
// after its end, other runs of the placement, members that come later.
func (k *finder) besides(f *finding) {
	v := k.View
	if v.Terminal {
		if v.Observed < v.Generation && v.Word != engine.WordDeleting {
			f.Also = append(f.Also, catalogue.ChangedAfterEnd.Finding())
			f.What = engine.Textf("%s The run was changed after its end, which the controller ignores.", f.What)
			f.Evidence = append(f.Evidence, subject.Field(subject.Object(v.ID), engine.Lit("metadata.generation"), engine.Textf("%d, observed %d", v.Generation, v.Observed)))
		}
		return
	}
	if v.Word != engine.WordDeleting {
		k.placementGoes(f)
	}
	if v.Word != engine.WordDeleting {
		k.replaced(f)
	}
	switch v.Word {
	case engine.WordDeleting, engine.WordPreempted, engine.WordNotObserved, engine.WordPending:
		return
	}
	switch at := v.DeletionAhead(); v.Word {
	case engine.WordReady, engine.WordStopped, engine.WordApproval, engine.WordNotAccepted:
		if at != nil && at != v.Current() {
			f.What = engine.Textf("%s %s.", f.What, at.Deletes())
		}
	}
	k.movesBack(f)
	k.doneFailing(f)
	k.pendingFailing(f)
	k.pendingGoing(f)
	k.competingRuns(f)
	k.ahead(f)
	k.foreignRequest(f)
	k.approvedAhead(f)
	k.sharedApproval(f)
}
