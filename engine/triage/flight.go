package triage

import (
	"slices"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// stuck explains a run that does not get on: by the cluster whose trouble says
// most.
func (k *finder) stuck() finding {
	c, v := k.c, k.v
	var names []engine.Text
	var first *engine.CaseCluster
	var of trouble
	done := true
	for i := range c.Clusters {
		cl := &c.Clusters[i]
		if cl.State != engine.ClusterStuck {
			continue
		}
		t := k.troubleOf(cl)
		names = append(names, engine.Clean(cl.Name))
		done = done && cl.Landed
		if first == nil || worse(&t, &of) {
			first, of = cl, t
		}
	}
	said := ""
	if c.Progressing.Reason == placement.ReasonRunStuck {
		said = c.Progressing.Message
	}
	if first == nil {
		f := k.simply(&stuckUnnamed, engine.Lit("The run is reported as stuck, but no cluster is updating."), placement.RunProgressing)
		f.Quote = engine.Clean(said)
		return f
	}
	f := k.byTrouble(first, &of, &stuckUnknown)
	if of.entry == nil {
		f.What = engine.Textf("Cluster %s has not finished (%s).", first.Name, k.about(first).standing(first.Started))
		if c.Bindings.State != engine.CoverComplete {
			f.What = engine.Textf("%s The cause is unknown: %s.", f.What, k.unread())
		}
		f.Heal = engine.Textf("Unknown. If the cause is on the member, this run continues after a fix there. A wrong manifest needs a new run: this one keeps snapshot %s.", engine.OrUnknown(v.Index))
	} else {
		f.What = of.sentence()
	}
	if isHeld(first) {
		f = k.held(first)
	}
	if others := slices.DeleteFunc(names, func(n engine.Text) bool { return n == engine.Clean(first.Name) }); len(others) > 0 {
		f.What = engine.Textf("%s Also stuck: %s.", f.What, engine.Enumerate(others, 3))
	}
	if done && f.Cause != heldWhileStopping.cause {
		f.Heal, f.CanHeal = landed.recoveryText, landed.recovery
	}
	if f.Quote.IsZero() {
		f.Quote = engine.Clean(said)
	}
	if f.Cause != heldWhileStopping.cause {
		f.Evidence = append(f.Evidence, k.runCondition(placement.RunProgressing)...)
	}
	if v.StopWanted && len(f.Steps) > 0 && f.Cause != heldWhileStopping.cause {
		f.Steps[0] = engine.Textf("%s Stop was requested; the run stops when these clusters have finished.", f.Steps[0])
	}
	return f
}

// worse reports whether a trouble says more than another: hard ones first, then
// a condition that is False, then anything at all.
func worse(t, than *trouble) bool {
	return rank(t) > rank(than)
}

func rank(t *trouble) int {
	switch {
	case t.entry == nil:
		return 0
	case t.entry == &landed:
		return 1
	case t.hard:
		return 4
	case t.failing:
		return 3
	}
	return 2
}

// byTrouble makes a finding of a cluster's trouble; of the given entry when
// nothing is known of the cluster's binding.
func (k *finder) byTrouble(cl *engine.CaseCluster, t *trouble, unknown *entry) finding {
	f := finding{cluster: cl, below: t.path}
	if t.entry != nil {
		f.Diagnosis = t.diagnosis()
		return f
	}
	f.Diagnosis = k.about(cl).diagnosis(unknown)
	f.Evidence = append(f.Evidence, started(k.about(cl))...)
	if k.c.Bindings.State != engine.CoverComplete {
		f.Evidence = append(f.Evidence, field(object(k.v.Placement), engine.Lit("bindings"), engine.Textf("%s", k.c.Bindings.State)))
	}
	return f
}

// running explains a run that is under way.
func (k *finder) running() finding {
	v, s := k.v, k.v.Current()
	var f finding
	switch {
	case s == nil && !slices.ContainsFunc(v.Stages, func(s engine.StageView) bool { return !s.Deletion }):
		f = k.simply(&noStages, engine.Lit("The run is initialized, and no stage of it is recorded."), placement.RunInitialized)
	case s == nil:
		f = k.simply(&betweenLooks, engine.Lit("All stages are done; the controller completes the run next."), placement.RunProgressing)
	case s.Deletion:
		f = k.removal(s)
	case s.State == engine.StageComing:
		f = k.simply(&betweenLooks, engine.Textf("%s starts next.", engine.Capital(engine.StageName(s))), placement.RunProgressing)
	case v.Gate(engine.GateSent) != nil:
		g := v.Gate(engine.GateSent)
		f = k.simply(&approvalSent, engine.Textf("The approval of %s is not accepted yet.", engine.StageName(s)), placement.RunProgressing)
		if v.Late {
			f = k.simply(&approvalNotObserved, engine.Textf("The approval of %s, written at %s, is still not accepted.", engine.StageName(s), engine.Clock(g.Since, k.c.Now)), placement.RunProgressing)
		}
		f.Evidence = append(requestProof(g), f.Evidence...)
	default:
		f = k.updating(s)
	}
	k.strange(&f)
	if v.State.String() == string(placement.StateInitialize) && k.c.Begun {
		what := f.What
		f = k.simply(&frozen, engine.Textf("%s spec.state is Initialize although stages have started: a controller before v0.2 ignores it and continues; a newer one holds the run.", what), placement.RunProgressing)
		f.Evidence = append(f.Evidence, field(object(v.ID), engine.Lit("spec.state"), v.State))
	}
	return f
}

func (k *finder) removal(s *engine.StageView) finding {
	what := engine.Textf("All stages are done; the placement is removed from %s that it no longer picks: %d of %d done.", engine.Count(s.Total, "cluster"), s.Done, s.Total)
	cl, t := k.worst(func(_ *engine.CaseCluster, t *trouble) bool { return t.entry != &removing })
	if cl == nil {
		return k.simply(&removing, what, placement.RunProgressing)
	}
	f := k.byTrouble(cl, t, &removing)
	f.What = t.sentence()
	return f
}

// updating explains a stage whose clusters are in flight: by one that is slow
// or fails already, when there is one.
func (k *finder) updating(s *engine.StageView) finding {
	c := k.c
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
		t := k.troubleOf(cl)
		if t.entry == nil || !t.hard {
			continue
		}
		f := k.byTrouble(cl, &t, &failingEarly)
		f.What = t.sentence()
		f.Also = append(f.Also, failingEarly.cause)
		return f
	}
	if flying > 0 && finished == flying {
		f := k.simply(&betweenLooks, k.finished(names, s), placement.RunProgressing)
		for i := range c.Clusters {
			if cl := &c.Clusters[i]; cl.Landed {
				f.cluster = cl
				f.Evidence = append(f.Evidence, k.troubleOf(cl).evidence...)
				break
			}
		}
		return f
	}
	f := k.simply(&updating, engine.Textf("%s: %s updating, %d of %d done.", engine.Capital(engine.StageName(s)), engine.Are(s.Updating, "cluster"), s.Done, s.Total), placement.RunProgressing)
	return f
}

// slow explains a cluster on the way to the stuck mark.
func (k *finder) slow(first *engine.CaseCluster) finding {
	c := k.c
	cl, of := first, k.troubleOf(first)
	for i := range c.Clusters {
		if other := &c.Clusters[i]; other.State == engine.ClusterSlow {
			if t := k.troubleOf(other); worse(&t, &of) {
				cl, of = other, t
			}
		}
	}
	f := k.byTrouble(cl, &of, &slowUnknown)
	switch {
	case of.entry == nil:
		f.What = engine.Textf("Cluster %s has not finished (%s). It counts as stuck from %s.", cl.Name, k.about(cl).standing(cl.Started), c.Clock(cl.StuckAt))
	case cl.Landed:
		f.What = of.sentence()
	default:
		f.What = engine.Textf("%s The cluster counts as stuck from %s.", of.sentence(), c.Clock(cl.StuckAt))
	}
	return f
}

// finished says that every started cluster of the stage has finished and that the
// controller has not recorded it.
func (k *finder) finished(names []engine.Text, s *engine.StageView) engine.Text {
	var by time.Time
	for i := range k.c.Clusters {
		if cl := &k.c.Clusters[i]; cl.Landed && cl.CheckBy.After(by) {
			by = cl.CheckBy
		}
	}
	verb := engine.Lit("has")
	if len(names) > 1 {
		verb = engine.Lit("have")
	}
	what := engine.Textf("The update of %s %s finished (%s, %d of %d clusters recorded as done)", engine.Enumerate(names, 3), verb, inStage(s), s.Done, s.Total)
	if by.IsZero() || k.c.Now.After(by) {
		return engine.Textf("%s; the controller has not recorded it yet.", what)
	}
	k.c.LookAgain(by.Add(1))
	return engine.Textf("%s; the controller records it by %s.", what, k.c.Clock(by))
}

// aheadLimit is how many members that come later are named.
const aheadLimit = 3

// besides adds what is noticed apart from the cause: a run that was changed
// after its end, other runs of the placement, members that come later.
func (k *finder) besides(f *finding) {
	v := k.v
	if v.Terminal {
		if v.Observed < v.Generation && v.Word != engine.WordDeleting {
			f.Also = append(f.Also, changedAfterEnd.cause)
			f.What = engine.Textf("%s It was changed after its end, which the controller ignores.", f.What)
			f.Evidence = append(f.Evidence, field(object(v.ID), engine.Lit("metadata.generation"), engine.Textf("%d, observed %d", v.Generation, v.Observed)))
		}
		return
	}
	switch v.Word {
	case engine.WordDeleting, engine.WordPreempted, engine.WordNotObserved, engine.WordPending:
		return
	}
	k.rivals(f)
	k.ahead(f)
}

// rivals tells of other unfinished runs of the placement and the clusters they
// compete for.
func (k *finder) rivals(f *finding) {
	for i := range k.c.Rivals {
		r := &k.c.Rivals[i]
		names := make([]engine.Text, len(r.Clusters))
		for j, n := range r.Clusters {
			names[j] = engine.Clean(n)
		}
		f.Evidence = append(f.Evidence, field(object(r.ID), engine.Lit("status.stagesStatus"), engine.Textf("unfinished, snapshot %s; clusters that neither run has done: %s", engine.OrUnknown(r.Index), engine.Enumerate(names, 10))))
		if i > 0 {
			continue
		}
		if f.Cause == heldWhileStopping.cause { // it names the other run, and this one is stopping already
			f.Also = append(f.Also, rivalRuns.cause)
			continue
		}
		state := engine.Lit("unfinished")
		if r.Stopped {
			state = engine.Lit("stopped, but unfinished")
		}
		f.What = engine.Textf("%s Run %s (snapshot %s) is %s on the same placement; they compete for %s.", f.What, r.ID.Name(), engine.OrUnknown(r.Index), state, engine.Enumerate(names, 3))
		step := engine.Textf("First decide which run continues: stop this one or %s, or let one finish before the other. The run that writes a cluster last preempts the other, which then fails.", r.ID.Name())
		if f.CanHeal == engine.HealPerson {
			// What is waited for would begin the fight.
			f.Also = append(f.Also, rivalRuns.cause)
			f.Steps = slices.Insert(f.Steps, 0, step)
			f.Leads = slices.Insert(f.Leads, 0, engine.LeadOwners)
			continue
		}
		if f.Cause != updating.cause {
			f.Also = append(f.Also, rivalRuns.cause)
			f.Steps = append(f.Steps, step)
			continue
		}
		d := k.diagnosis(&rivalRuns)
		f.Cause, f.Heal, f.CanHeal, f.Commands, f.Leads = d.Cause, d.Heal, d.CanHeal, d.Commands, d.Leads
		f.Steps = []engine.Text{step}
	}
}

// ahead lists members in trouble whose clusters are pending.
func (k *finder) ahead(f *finding) {
	n := 0
	var first *ailment
	for i := range k.v.Stages {
		if k.v.Stages[i].Deletion || k.v.Stages[i].State == engine.StageDone || k.v.Stages[i].State == engine.StageSkipped {
			continue
		}
		status := k.c.Stage(i)
		for j := range status.Clusters {
			cl := &status.Clusters[j]
			if engine.ReadCondition(cl.Conditions, placement.ClusterStarted).Truth == engine.TruthYes ||
				engine.ReadCondition(cl.Conditions, placement.ClusterSucceeded).Truth != engine.TruthAbsent {
				continue
			}
			a := ailing(k.c, cl.ClusterName)
			if a == nil {
				continue
			}
			if n++; n <= aheadLimit {
				f.Evidence = append(f.Evidence, a.evidence)
			}
			if first == nil {
				first = a
			}
		}
	}
	if first == nil {
		return
	}
	f.What = engine.Textf("%s A later stage is affected: %s", f.What, first.says)
	if n > 1 {
		f.What = engine.Textf("%s, and %s in trouble", f.What, engine.Are(n-1, "more member"))
	}
	f.What = engine.Textf("%s.", f.What)
	f.Also = append(f.Also, memberTroubleAhead.cause)
	if f.Cause == updating.cause {
		f.Cause, f.CanHeal, f.Since = memberTroubleAhead.cause, memberTroubleAhead.recovery, first.since
		f.Heal, f.Also = first.entry.recoveryText, append(f.Also, first.entry.cause)
		f.Steps = slices.Clone(memberTroubleAhead.steps)
		f.Commands = append([]engine.Text{showMembers(k.kit)}, f.Commands...)
		return
	}
	f.Steps = append(f.Steps, memberTroubleAhead.steps...)
}
