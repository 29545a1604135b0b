package triage

import (
	"slices"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

// progressReasons are those of Progressing in every version
// (docs/kubefleet.md#versions, #conditions).
var progressReasons = map[string]bool{
	"": true, "UpdateRunStarted": true, // before Apr 2025
	placement.ReasonRunProgressing: true, placement.ReasonRunWaiting: true, placement.ReasonRunStuck: true, placement.ReasonRunStopping: true,
	placement.ReasonRunStopped: true, placement.ReasonRunFailed: true, placement.ReasonRunSucceeded: true,
}

// done explains a run that the hub calls done.
func (k *finder) done() finding {
	v := k.View
	total, left, deleted := 0, 0, 0
	for i := range v.Stages {
		s := &v.Stages[i]
		if s.Deletion {
			deleted += s.Total
			continue
		}
		total, left = total+s.Total, left+s.Total-s.Done
	}
	if left > 0 {
		return k.simply(&catalogue.DoneContradicted, engine.Capital(engine.Textf("%s %s not recorded as done, although the run is DONE.", subject.CountOf(left, total), subject.Agree(left, "is", "are"))), placement.RunSucceeded)
	}
	if v.Total == 0 {
		return k.simply(&catalogue.Done, engine.Lit("All stages are done: the run had no clusters."), placement.RunSucceeded)
	}
	// The counts of the list include the clusters of the deletion stage.
	counted := engine.Count(total, "cluster")
	if deleted > 0 {
		counted = engine.Textf("%d of %d clusters: %d updated, %d deleted", v.Done, v.Total, total, deleted)
	}
	f := k.simply(&catalogue.Done, engine.Textf("All stages are done (%s). %s", counted, k.holdings()), placement.RunSucceeded)
	k.unavailable(&f)
	return f
}

// unavailable names the clusters of a run that is done on which its snapshot is not available
// now: nothing is left to do for the run, and something is for the cluster.
func (k *finder) unavailable(f *finding) {
	failing, where := k.failingNow()
	if len(failing) == 0 {
		return
	}
	f.RecoveryText = engine.Textf("The run needs no recovery. Its resources are not available now on %s.", where)
	f.Steps = []engine.Text{engine.Textf("Find out what fails on %s: the page of the cluster shows its conditions and failing manifests.", where)}
	t := k.TroubleOf(&failing[0])
	if t.Entry == nil {
		f.What = engine.Textf("%s Its resources are not available now on %s.", f.What, where)
		return
	}
	f.What = engine.Textf("%s Its resources are not available now on %s. %s", f.What, where, t.Sentence())
	f.Evidence, f.Quote = append(f.Evidence, t.Evidence...), t.Diagnosis().Quote
}

// holdings says which snapshot the finished clusters of the run have now, if their
// bindings are read. Success does not prove that it is the run's: a cluster that
// another run updates while this one is stopping counts as finished, and later runs
// update clusters again.
func (k *finder) holdings() engine.Text {
	all, known := k.Case.Holdings()
	reports := engine.ReportsDiff(k.Case.Run.Status.AppliedStrategy)
	if !known && reports {
		return engine.Textf("The run compared its clusters with snapshot %s (ReportDiff, nothing is applied).", engine.OrUnknown(k.View.Index))
	}
	does := engine.Textf("The run rolled out snapshot %s", engine.OrUnknown(k.View.Index))
	if !known {
		return engine.Textf("%s.", does)
	}
	n := len(all[0].Clusters)
	if n == 0 && !slices.ContainsFunc(all[1:], func(h world.Holding) bool { return !h.Gone }) {
		return engine.Textf("%s: none of its clusters has a binding now.", does)
	}
	parts := []engine.Text{engine.Textf("%s: %s %s it now", does, engine.Count(n, "cluster"), subject.Agree(n, "has", "have"))}
	switch {
	case n == 0:
		parts[0] = engine.Textf("%s: no cluster has it any longer", does)
	case reports:
		parts[0] = engine.Textf("Snapshot %s is compared on %s (ReportDiff, nothing is applied): %s", all[0].Index, engine.Count(n, "cluster"), differing(&all[0]))
	}
	for i := range all[1:] {
		h := &all[1+i]
		parts = append(parts, engine.Textf("%s: %s", k.HeldBy(h), engine.Enumerate(engine.CleanAll(h.Clusters), 3)))
	}
	return engine.Textf("%s.", engine.Join(parts, "; "))
}

// differing names the clusters on which something differs, and those that report nothing now.
func differing(h *world.Holding) engine.Text {
	var says []engine.Text
	if n := len(h.Different); n > 0 {
		says = append(says, engine.Textf("%d %s, %s", n, subject.Agree(n, "differs", "differ"), engine.Enumerate(engine.CleanAll(h.Different), 3)))
	}
	if n := len(h.Unreported); n > 0 {
		says = append(says, engine.Textf("%d %s no differences now, %s", n, subject.Agree(n, "reports", "report"), engine.Enumerate(engine.CleanAll(h.Unreported), 3)))
	}
	if len(says) == 0 {
		return engine.Lit("none differs")
	}
	return engine.Join(says, "; ")
}

// strange adds to a finding what the run says in words that are not known. What
// was derived from its stages stays, and no cure is made of it.
func (k *finder) strange(f *finding) {
	name, fact := placement.RunProgressing, k.Case.Progressing
	if k.Case.Succeeded.Truth == engine.TruthUnknown {
		name, fact = placement.RunSucceeded, k.Case.Succeeded
	} else if fact.Truth == engine.TruthAbsent || progressReasons[fact.Reason] {
		return
	}
	said := engine.Textf("%s has an unknown reason: %s, %s.", name, fact.Truth, fact.Reason)
	f.What, f.Quote = engine.Textf("%s %s", f.What, said), engine.Message(fact.Message)
	f.Evidence = append(f.Evidence, k.RunCondition(name)...)
	if f.Cause != catalogue.BetweenLooks.Cause && f.Cause != catalogue.Updating.Cause && f.Cause != catalogue.NoStages.Cause {
		f.Also = append(f.Also, catalogue.UnknownProgress.Finding())
		return
	}
	d := k.Diagnosis(&catalogue.UnknownProgress)
	f.Cause, f.RecoveryText, f.Recovery, f.Steps, f.NextActions, f.Commands = d.Cause, d.RecoveryText, d.Recovery, d.Steps, d.NextActions, d.Commands
}
