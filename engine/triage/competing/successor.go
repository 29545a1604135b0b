package competing

import (
	"slices"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

// undoes reports whether the fix of a step would fail or undo a run that was created later: that
// run has the labels, the policy and the members as they are.
func undoes(step engine.Text) bool { return step.Offers("undoes") }

// Successor changes the steps of a run that only a new run helps when there is one: a
// person who follows them twice creates two.
func Successor(k *subject.Subject, f *engine.Diagnosis) {
	next := subject.Successor(k.Case)
	resumable := k.View.Word == engine.WordStopping && f.Recovery == engine.RecoveryAutomatic
	if next != nil && !f.Fails && (f.Recovery == engine.RecoveryByPerson || resumable) && !k.View.Terminal {
		superseded(k, f, next)
		return
	}
	if next == nil || f.Recovery != engine.RecoveryByNewRun && !f.Fails || !f.LeftFailing.IsZero() {
		return
	}
	done := engine.ReadCondition(next.Status.Conditions, placement.RunSucceeded).Truth == engine.TruthYes
	if p := k.Case.Placement; !done && p != nil && !p.Deleting.IsZero() {
		return // neither run finishes
	}
	if why := fails(k, next); !done && !why.IsZero() {
		f.Steps = append(slices.Clone(f.Steps), engine.Textf("Do not continue run %s, created later, instead: it fails, because %s. Delete it, too.", next.Name, why))
		return
	}
	competes := slices.ContainsFunc(k.Case.CompetingRuns, func(r world.CompetingRun) bool { return r.ID.RawName() == next.Name })
	name, index := engine.Clean(next.Name), engine.OrUnknown(engine.Clean(next.Status.ResourceSnapshotIndexUsed))
	preempted := k.View.Word == engine.WordPreempted
	owned := preempted && !k.View.PreemptedBy.IsZero() && !k.Case.WinnerGone && !k.Case.WinnerEnded
	if !done && (owned || preempted && subject.RolledBack(k.View, index) || competes && f.Recovery != engine.RecoveryByNewRun) {
		return // which of the two continues is another step
	}
	f.Steps = slices.DeleteFunc(slices.Clone(f.Steps), func(step engine.Text) bool { // a fix stays; labels, the policy and the apply strategy, set back, would fail the other run
		return undoes(step) || catalogue.DeletesRun(step) || step.Offers("clone") && !catalogue.FixesFirst(step) || step == catalogue.LabelsAreShared.Text()
	})
	f.Commands = slices.DeleteFunc(slices.Clone(f.Commands), catalogue.LabelsCluster)
	var step engine.Text
	run, snapshot := engine.Lit("if it has the fix"), engine.Lit("if the snapshot has the fix")
	if preempted || k.View.Word == engine.WordDone { // nothing has to be fixed
		run = engine.Lit("if its snapshot is wanted")
		snapshot = run
	}
	if subject.RolledBack(k.View, index) {
		run = engine.Lit("if the older snapshot is wanted")
		snapshot = run
	}
	progress := engine.ReadCondition(next.Status.Conditions, placement.RunProgressing).Reason
	switch waits := next.Spec.State == placement.StateInitialize; {
	case done && subject.RolledBack(k.View, index):
		step = engine.Textf("Decide which snapshot is wanted: run %s, created later, has since rolled out the older snapshot %s. To keep the older snapshot, delete this run ({delete}).", name, index)
		f.Recovery, f.RecoveryText = engine.RecoveryByPerson, engine.Textf("Needs a person: run %s has rolled back to snapshot %s.", name, index)
		instead := engine.Textf("{fixes-first}To roll out snapshot %s instead, fix what ended this run, then create a new run ({clone}).", k.View.Index)
		if len(f.Steps) == 0 || preempted { // nothing is left to fix
			instead = engine.Textf("To roll out snapshot %s instead, create a new run ({clone}) with it.", k.View.Index)
		}
		f.Steps = []engine.Text{instead}
	case done:
		step = engine.Textf("{deletes-run}Delete this run ({delete}): run %s has rolled out snapshot %s since.", name, index)
		f.Recovery, f.RecoveryText, f.Steps = engine.RecoveryNotNeeded, engine.Textf("No recovery needed: run %s has rolled out snapshot %s since.", name, index), nil
	case !initialized(next):
		step = engine.Textf("Run %s exists and is not initialized yet: open it to see what keeps it. It replaces this run when it has finished. Then delete this run ({delete}).", name)
	case waits:
		step = engine.Textf("Run %s (snapshot %s) exists and is not started: start it %s, then delete this run ({delete}).", name, index, run)
	case next.Spec.State == placement.StateStop:
		step = engine.Textf("Run %s (snapshot %s) is stopped: resume it %s. It replaces this run when it has finished. Then delete this run ({delete}).", name, index, run)
	case progress == placement.ReasonRunStuck:
		step = engine.Textf("Fix what keeps run %s (snapshot %s) stuck: it replaces this run when it has finished. Then delete this run ({delete}).", name, index)
	case progress == placement.ReasonRunWaiting:
		step = engine.Textf("Run %s (snapshot %s) waits for %s. It replaces this run when it has finished. Then delete this run ({delete}).", name, index, waitsFor(next, snapshot))
	default:
		step = engine.Textf("Let run %s (snapshot %s) finish: it replaces this run. Then delete this run ({delete}).", name, index)
	}
	for i := range f.Steps {
		if f.Steps[i].Offers("clone") && !done { // who follows this step, too, creates a second run
			f.Steps[i] = engine.Textf("Otherwise: %s", f.Steps[i])
		}
	}
	f.Steps = append([]engine.Text{step}, f.Steps...)
	e := engine.Evidence{
		Object: subject.Object(k.View.ID.Beside(k.View.ID.Kind(), next.Namespace, next.Name, string(next.UID))), Field: engine.Lit("status.resourceSnapshotIndexUsed"), Value: index, Since: next.CreationTimestamp.Time,
	}
	if !initialized(next) {
		e.Field, e.Value = engine.Lit("status.conditions[Initialized]"), engine.Lit("absent")
	}
	f.Evidence = append(f.Evidence, e)
	subject.Prefer(f, engine.NextOwners)
}

// initialized reports whether the controller has initialized a run.
func initialized(r *placement.StagedUpdateRun) bool {
	return engine.ReadCondition(r.Status.Conditions, placement.RunInitialized).Truth == engine.TruthYes
}

// fails is a clause about why a run that was created later does not replace this one: it fails when
// it continues, since another policy snapshot is the latest now, or a cluster that it updates left
// the fleet. Empty if not known.
func fails(k *subject.Subject, next *placement.StagedUpdateRun) engine.Text {
	latest, _, read := k.Case.Nearby.LatestPolicies()
	if used := next.Status.PolicySnapshotIndexUsed; read && len(latest) == 1 && used != "" && latest[0].Labels[placement.LabelPolicyIndex] != used {
		return engine.Textf("it was initialized with policy snapshot %s, and %s is the latest now", used, latest[0].Name)
	}
	for i := range next.Status.StagesStatus {
		for _, c := range next.Status.StagesStatus[i].Clusters {
			if m, known := k.Case.Member(c.ClusterName); known && m == nil {
				return engine.Textf("cluster %s left the fleet", c.ClusterName)
			}
		}
	}
	return engine.Text{}
}

// waitsFor says what a run whose Progressing condition says that it waits waits for, and
// what a person can do about it under a condition.
func waitsFor(r *placement.StagedUpdateRun, condition engine.Text) engine.Text {
	unknown := engine.Lit("an approval or a timed wait")
	at := slices.IndexFunc(r.Status.StagesStatus, func(s placement.StageStatus) bool {
		return engine.ReadCondition(s.Conditions, placement.StageSucceeded).Truth == engine.TruthAbsent
	})
	if at < 0 {
		return unknown
	}
	s := &r.Status.StagesStatus[at]
	if s.StartTime == nil {
		return engine.Textf("the approval before stage %s: approve it ({approvals}) %s", s.StageName, condition)
	}
	switch approval, wait := unfinished(s.AfterStageTaskStatus); {
	case approval && wait:
		return engine.Textf("the approval and the timed wait after stage %s: approve it ({approvals}) %s", s.StageName, condition)
	case approval:
		return engine.Textf("the approval after stage %s: approve it ({approvals}) %s", s.StageName, condition)
	case wait:
		return engine.Textf("the timed wait after stage %s", s.StageName)
	}
	return unknown
}

// unfinished reports whether an approval, and a timed wait, among the tasks of a stage is
// not finished.
func unfinished(tasks []placement.TaskStatus) (approval, wait bool) {
	for i := range tasks {
		switch t := &tasks[i]; t.Type {
		case placement.TaskApproval:
			approval = approval || engine.ReadCondition(t.Conditions, placement.TaskApprovalRequestApproved).Truth != engine.TruthYes
		case placement.TaskTimedWait:
			wait = wait || engine.ReadCondition(t.Conditions, placement.TaskWaitTimeElapsed).Truth != engine.TruthYes
		}
	}
	return approval, wait
}

// superseded adds to a run that waits for a person, or is stopping, the run that was created later
// and has finished: what continues this one may undo that one.
func superseded(k *subject.Subject, f *engine.Diagnosis, next *placement.StagedUpdateRun) {
	if engine.ReadCondition(next.Status.Conditions, placement.RunSucceeded).Truth != engine.TruthYes {
		return
	}
	name, index := engine.Clean(next.Name), engine.OrUnknown(engine.Clean(next.Status.ResourceSnapshotIndexUsed))
	own, with := &k.Case.Run.Status, engine.Textf("snapshot %s", index)
	decide := engine.Textf("Decide whether this run is still wanted ({owners}). To keep %s of run %s everywhere, delete this run ({delete}).", with, name)
	switch same := index == k.View.Index; {
	case same && sameEverywhere(own, &next.Status):
		with = engine.Textf("%s too", with)
		decide = engine.Textf("Check whether anything is left to update ({owners}): run %s has rolled out the same. If nothing is left, delete this run ({delete}).", name)
	case same:
		with = engine.Textf("%s too, with other overrides or another apply strategy", with)
		decide = engine.Textf("Decide whether this run is still wanted ({owners}). To keep what run %s rolled out, delete this run ({delete}).", name)
	}
	f.What = engine.Textf("%s Run %s, created later, has finished with %s.", f.What, name, with)
	f.Steps = append([]engine.Text{decide}, slices.DeleteFunc(slices.Clone(f.Steps), undoes)...)
	subject.Prefer(f, engine.NextOwners)
}

// sameEverywhere reports whether two runs give the same to every cluster that both have.
func sameEverywhere(a, b *placement.UpdateRunStatus) bool {
	theirs := map[string]*placement.ClusterStatus{}
	for i := range b.StagesStatus {
		for j := range b.StagesStatus[i].Clusters {
			c := &b.StagesStatus[i].Clusters[j]
			theirs[c.ClusterName] = c
		}
	}
	for i := range a.StagesStatus {
		for j := range a.StagesStatus[i].Clusters {
			c := &a.StagesStatus[i].Clusters[j]
			if !engine.SameRollout(a, c, b, theirs[c.ClusterName]) {
				return false
			}
		}
	}
	return engine.SameRollout(a, nil, b, nil)
}
