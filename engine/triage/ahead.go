package triage

import (
	"slices"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/member"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
)

// aheadLimit is how many members that come later are named.
const aheadLimit = 3

// ahead lists members in trouble whose clusters are pending.
func (k *finder) ahead(f *finding) {
	var first *member.Trouble
	var all []member.Ahead
	next, stage := false, -1 // the pending approval starts a member in trouble; the stage of the first
	for i := range k.View.Stages {
		if k.View.Stages[i].Deletion || k.View.Stages[i].State == engine.StageDone || k.View.Stages[i].State == engine.StageSkipped {
			continue
		}
		status := k.Case.Stage(i)
		for j := range status.Clusters {
			cl := &status.Clusters[j]
			if engine.ReadCondition(cl.Conditions, placement.ClusterStarted).Truth == engine.TruthYes ||
				engine.ReadCondition(cl.Conditions, placement.ClusterSucceeded).Truth != engine.TruthAbsent {
				continue
			}
			entry := member.EntryOf(k.Case, cl.ClusterName)
			if entry == nil {
				continue
			}
			if all = append(all, member.Ahead{Name: cl.ClusterName, Entry: entry}); len(all) > aheadLimit {
				continue
			}
			a := member.TroubleOf(k.Case, cl.ClusterName)
			f.Evidence = append(f.Evidence, a.Evidence)
			if first == nil {
				first, stage, next = a, i, (f.Cause == catalogue.ApprovalBefore.Cause || f.Cause == catalogue.ApprovalAfter.Cause) && k.startedByApproval(i)
			}
		}
	}
	if first == nil {
		return
	}
	of := engine.Textf("A pending cluster of %s is affected", engine.StageName(&k.View.Stages[stage]))
	if next {
		of = engine.Lit("The approval starts a cluster in trouble")
	}
	says := engine.Textf("%s: %s", of, first.Says)
	if n := len(all); n > 1 {
		says = engine.Textf("%s, and %s in trouble", says, engine.Are(n-1, "more member"))
	}
	f.What = engine.Textf("%s %s.", f.What, says)
	f.Warnings = append(f.Warnings, engine.Textf("%s.", says))
	f.Also = append(f.Also, catalogue.MemberTroubleAhead.Finding())
	if f.Cause == catalogue.Updating.Cause {
		f.Cause, f.Recovery, f.Since = catalogue.MemberTroubleAhead.Cause, first.Entry.Recovery, first.Since
		f.RecoveryText, f.Also = first.Entry.RecoveryText.Text(), append(f.Also, first.Entry.Finding())
		f.Steps = member.Steps(all, false)
		f.Commands = append([]engine.Text{subject.ShowMembers(k.Subject)}, f.Commands...)
		return
	}
	if slices.ContainsFunc(all, func(m member.Ahead) bool { return m.Entry == &catalogue.MemberDeleting }) && k.waitsForPerson() {
		// The run fails, whoever continues it.
		f.Steps, f.Recovery, f.RecoveryText = member.Steps(all, false), engine.RecoveryByNewRun, engine.Lit("Needs a new run after the deletion of the member: this run fails then.")
		f.NextActions = []engine.NextAction{engine.NextPlan, engine.NextClone}
		k.showFirst(f)
		return
	}
	if next || !f.Fails && k.waitsForPerson() && slices.ContainsFunc(all, member.Ahead.Gone) {
		f.Steps = append(member.Steps(all, false), f.Steps...)
		return
	}
	f.Steps = append(f.Steps, member.Steps(all, f.Fails)...)
}

// waitsForPerson reports whether the run waits to be started, resumed or approved.
func (k *finder) waitsForPerson() bool {
	return !k.Resumed() && slices.Contains([]engine.Word{engine.WordReady, engine.WordStopped, engine.WordApproval, engine.WordNotAccepted}, k.View.Word)
}

// startedByApproval reports whether the pending approval starts a stage.
func (k *finder) startedByApproval(stage int) bool {
	if g := k.View.Gate(engine.GateOpen); g != nil && g.Before {
		return stage == k.View.At
	}
	return stage == k.View.At+1
}
