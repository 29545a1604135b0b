package triage

import (
	"slices"
	"strconv"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/repair"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

// newerSnapshot adds to a stuck run that a snapshot newer than its own exists:
// a fixed manifest may be in it.
func (k *finder) newerSnapshot(f *finding) {
	used, err := strconv.Atoi(k.View.Index.String())
	s := k.Case.Nearby.Newest()
	if k.View.Word != engine.WordStuck || err != nil || s == nil || s.Index <= used || !s.Whole() {
		return
	}
	if !catalogue.Versioned[f.Cause] {
		return
	}
	if slices.ContainsFunc(f.Steps, catalogue.TakesHub) && k.runWith(s.Index).IsZero() {
		return // the hub has what was changed after that snapshot, too
	}
	if with := k.runWith(s.Index); !with.IsZero() {
		f.Evidence = append(f.Evidence, repair.SnapshotEvidence(k.Subject, s))
		if f.Recovery != engine.RecoveryByNewRun { // else the steps name the run that replaces this one
			f.Steps = append(f.Steps, with)
		}
		return
	}
	step := engine.Textf("Create a new run ({clone}) with snapshot %d if it has the fix (created %s, not checked for it).", s.Index, k.Case.Clock(s.Created))
	overrides := f.cluster != nil && len(f.cluster.Overrides) > 0
	if overrides { // the snapshot has no override: the cause may be in either
		step = engine.Textf("If the manifest is the cause, create a new run ({clone}) with snapshot %d, which may have the fix (created %s, not checked for it). If an override is the cause (%s), fix it first: a new run uses the latest overrides.",
			s.Index, k.Case.Clock(s.Created), engine.Enumerate(world.OverrideTitles(f.cluster.Overrides), 3))
	}
	if f.Recovery == engine.RecoveryByNewRun && !overrides {
		// The manifest may have been fixed since: then the clone is what is left to do.
		f.Steps = slices.Insert(f.Steps, 0, step)
		subject.Prefer(&f.Diagnosis, engine.NextClone)
	} else {
		f.Steps = append(f.Steps, step)
	}
	f.Evidence = append(f.Evidence, repair.SnapshotEvidence(k.Subject, s))
	if !slices.Contains(f.NextActions, engine.NextClone) {
		f.NextActions = append(f.NextActions, engine.NextClone)
	}
}

// newerOverrides adds to a stuck run that an override of its cluster was changed since, or deleted:
// the fix may be in it, and a new run uses it.
func (k *finder) newerOverrides(f *finding) {
	if k.View.Word != engine.WordStuck || !catalogue.Versioned[f.Cause] || f.cluster == nil || len(f.cluster.Overrides) == 0 {
		return
	}
	of := engine.HubReadOf{Member: subject.MemberID(k.View.ID, f.cluster.Name), What: engine.ReadOverrides}
	read := k.Reads.Optional(k.About(f.cluster).Subject, of)
	if read == nil || read.Gap != nil {
		return
	}
	var steps []engine.Text
	for _, o := range read.Overrides {
		if o.Latest != o.Used {
			steps = append(steps, subject.OverrideStep(o, false))
			f.Evidence = append(f.Evidence, subject.Field(o.Object(), engine.Lit("latest snapshot now"), engine.OrUnknown(engine.Clean(o.Latest))))
		}
	}
	if len(steps) == 0 {
		return
	}
	if f.Recovery == engine.RecoveryByNewRun { // the override may have been fixed since: then the clone is what is left to do
		f.Steps = slices.Concat(steps, f.Steps)
		subject.Prefer(&f.Diagnosis, engine.NextClone)
	} else {
		f.Steps = append(f.Steps, steps...)
	}
}

// runWith is the step to the run that rolls out a newer snapshot already; empty for none. A second
// run with it would only compete.
func (k *finder) runWith(index int) engine.Text {
	for i := range k.Case.CompetingRuns {
		r := &k.Case.CompetingRuns[i]
		switch name := r.ID.Name(); {
		case r.Index.String() != strconv.Itoa(index):
		case r.Stuck:
			return engine.Textf("Snapshot %d is newer, but run %s is stuck with it: a new run with it needs the fix first.", index, name)
		case r.Stopped, r.Stopping:
			return engine.Textf("Run %s has snapshot %d, which is newer, and is stopped: resume it if that has the fix.", name, index)
		default:
			return engine.Textf("Run %s rolls out snapshot %d, which is newer: it replaces this run if that has the fix.", name, index)
		}
	}
	next := subject.Successor(k.Case)
	if next == nil || subject.HasEnded(next) || next.Status.ResourceSnapshotIndexUsed != strconv.Itoa(index) {
		return engine.Text{}
	}
	return engine.Textf("Run %s has snapshot %d, which is newer, and is not started: start it if that has the fix.", next.Name, index)
}
