package triage

import (
	"slices"
	"strconv"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/repair"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

// approvalStarts ends a sentence with what the open approval lets begin, and with what
// else has to end before that.
func (k *finder) approvalStarts() engine.Text {
	v := k.View
	g, s := v.Gate(engine.GateOpen), v.Current()
	if g != nil && g.Before && s.Total > s.Done {
		return engine.Textf(": %s.", plan.StageLeft(s))
	}
	next := engine.Lit("the run finishes")
	if n := subject.NextStage(v); n != nil {
		next = engine.Textf("next is %s", plan.StageWork(n, k.Case.Now))
	}
	for i := range s.After {
		if w := &s.After[i]; w.Timed && w.State == engine.GateRunning && w.Until.After(k.Case.Now) {
			return engine.Textf(": the timed wait until %s has to end, too. Then %s.", k.Case.Clock(w.Until), next)
		}
	}
	return engine.Textf(": %s.", next)
}

// stopped explains a stopped run: what holds it apart from the stop is named, since a
// resume does not remove it.
func (k *finder) stopped() finding {
	v := k.View
	if k.Resumed() {
		f := k.simply(&catalogue.BetweenLooks, engine.Textf("%s The controller has not reacted yet: the run is stopped.", k.Unobserved()), placement.RunProgressing)
		f.NextActions = []engine.NextAction{engine.NextPlan}
		return f
	}
	stage := engine.StageName(v.Current())
	left := slices.ContainsFunc(v.Stages, func(s engine.StageView) bool {
		return s.Done < s.Total || len(s.Gated(k.Case.Now)) > 0
	})
	if !left && v.Gate(engine.GateOpen) == nil {
		return k.simply(&catalogue.StoppedDone, engine.Textf("The run is stopped with all its clusters done: %d of %d.", v.Done, v.Total), placement.RunProgressing)
	}
	f := k.simply(&catalogue.Stopped, engine.Textf("The run is stopped in %s: %d of %d clusters done, none is updating.", stage, v.Done, v.Total), placement.RunProgressing)
	f.Steps = []engine.Text{engine.Textf("Resume the run ({run})%s", k.GoesOnWith())}
	if s := v.Current(); s != nil {
		if gates := s.Gated(k.Case.Now); len(gates) > 0 {
			f.What = engine.Textf("%s A resume does not end what %s waits for: %s.", f.What, stage, engine.Enumerate(gates, len(gates)))
		}
	}
	k.alreadyApproved(&f)
	if g := v.Gate(engine.GateOpen); g != nil && !g.Request.IsZero() && !g.Foreign() && !g.Deleting() {
		f.RecoveryText = engine.Textf("Needs a person: resume the run, and approve %s.", stage)
		f.Steps = append(f.Steps, engine.Textf("Approve %s ({approve}): the approval takes effect when the run is resumed.", stage))
		f.NextActions = append(f.NextActions, engine.NextApprove)
	}
	return f
}

// startStep starts a run that is not started.
func (k *finder) startStep() engine.Text {
	return engine.Textf("Start the run ({run})%s", k.GoesOnWith())
}

// ready explains a run that waits for its start, which changes nothing where every cluster
// has what it rolls out.
func (k *finder) ready() finding {
	f := k.simply(&catalogue.Ready, engine.Lit("The run is not started: it is initialized and spec.state is Initialize."), placement.RunInitialized)
	f.Steps = []engine.Text{k.startStep()}
	f.Evidence = append(f.Evidence, subject.Field(subject.Object(k.View.ID), engine.Lit("spec.state"), k.View.State))
	k.alreadyApproved(&f)
	if n := repair.RolledOut(k.Subject); n > 0 {
		f.What = engine.Textf("%s %s %s snapshot %s already", f.What, engine.Capital(subject.CountOf(n, n)), subject.Agree(n, "has", "have"), k.View.Index)
		if failing, _ := k.failsAlready(); len(failing) > 0 { // the run gets stuck there: pendingFailing says so
			f.What = engine.Textf("%s.", f.What)
		} else {
			f.What = engine.Textf("%s: the run changes nothing.", f.What)
		}
	}
	used, err := strconv.Atoi(k.View.Index.String())
	if s := k.Case.Nearby.Newest(); err == nil && s != nil && s.Index > used && s.Whole() {
		f.What = engine.Textf("%s Snapshot %d is newer than that of the run (%d).", f.What, s.Index, used)
		f.Evidence = append(f.Evidence, repair.SnapshotEvidence(k.Subject, s))
		if slices.ContainsFunc(k.Case.CompetingRuns, func(r world.CompetingRun) bool { return r.Index.String() == strconv.Itoa(s.Index) }) {
			return f // that run rolls it out
		}
		f.Steps = append(f.Steps, engine.Textf("To roll out snapshot %d, the newest, delete this run ({delete}) and create a new one ({clone}).", s.Index))
	}
	return f
}

// alreadyApproved says that the approval behind which a stopped run, or one that is not started, goes
// on is approved already: nobody is asked again before clusters start.
func (k *finder) alreadyApproved(f *finding) {
	v := k.View
	at := slices.IndexFunc(v.Stages, func(s engine.StageView) bool {
		return s.State != engine.StageDone && s.State != engine.StageSkipped && s.Total > 0
	})
	if at < 0 {
		return
	}
	s := &v.Stages[at]
	for g := range s.Gates() {
		if g.State != engine.GateSent || g.Before == (s.Done == s.Total) {
			continue
		}
		f.Evidence = append(subject.RequestProof(g), f.Evidence...)
		f.What = engine.Textf("%s Approval %s is already approved.", f.What, g.Name)
		if n := min(max(0, s.AtOnce), len(s.Coming)+s.ComingMore); g.Before && n > 0 {
			f.Steps[0] = engine.Textf("%s No other approval is needed: %s %s immediately.", f.Steps[0], someOf(s.Coming, n), subject.Agree(n, "starts", "start"))
		}
	}
}

// approvedAhead warns of the gates ahead that are approved already: the run does not wait there. An
// approval that is older than the run was given to another one, or prepared.
func (k *finder) approvedAhead(f *finding) {
	v := k.View
	due := v.SentGate()
	for i := range v.Stages {
		s := &v.Stages[i]
		for g := range s.Gates() {
			if g.State != engine.GateSent || g == due || g.Foreign() {
				continue
			}
			says := engine.Textf("Approval request %s is already approved", g.Name)
			skips := engine.Textf("the run does not wait for the approval %s %s", engine.BeforeAfter(g), engine.StageName(s))
			if old := !g.Since.IsZero() && g.Since.Before(v.Created); old {
				says = engine.Textf("%s, since %s, before this run was created", says, k.Case.Clock(g.Since))
				f.What = engine.Textf("%s %s: %s.", f.What, says, skips)
			}
			f.Warnings = append(f.Warnings, engine.Textf("%s: %s.", says, skips))
		}
	}
}

// sharedApproval says that the request of the pending approval is that of later stages, too, as
// that of stages of one name is (docs/kubefleet.md#quirks, 7.9): their gates are passed with it.
func (k *finder) sharedApproval(f *finding) {
	v := k.View
	g := v.Gate(engine.GateNotAccepted)
	if g == nil {
		g = v.Gate(engine.GateOpen)
	}
	if g == nil || g.Name.IsZero() {
		return
	}
	var stage, where engine.Text
	more := -1
	for i := v.At + 1; i < len(v.Stages); i++ {
		for other := range v.Stages[i].Gates() {
			if !other.Timed && other.Name == g.Name {
				if more++; more == 0 {
					stage, where = v.Stages[i].Name, engine.BeforeAfter(other)
				}
			}
		}
	}
	if more < 0 {
		return
	}
	says := engine.Textf("Approval %s also passes the gate %s a later stage: both stages are called %s.", g.Name, where, stage)
	if more > 0 {
		says = engine.Textf("Approval %s also passes the gates of %d later stages: they are all called %s.", g.Name, more+1, stage)
	}
	f.What, f.Warnings = engine.Textf("%s %s", f.What, says), append(f.Warnings, says)
}

// someOf names n clusters, the first three of those that are listed.
func someOf(listed []engine.Text, n int) engine.Text {
	if n <= len(listed) {
		return engine.Enumerate(listed[:n], 3)
	}
	shown := listed[:min(3, len(listed))]
	return engine.Textf("%s and %d more", engine.Join(shown, ", "), n-len(shown))
}
