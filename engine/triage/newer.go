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
	stuckToo := func(r world.CompetingRun) bool { return r.Stuck && r.Index.String() == strconv.Itoa(s.Index) }
	if i := slices.IndexFunc(k.Case.CompetingRuns, stuckToo); i >= 0 {
		f.Steps = append(f.Steps, engine.Textf("Snapshot %d is newer, but run %s is stuck with it: a new run with it needs the fix first.", s.Index, k.Case.CompetingRuns[i].ID.Name()))
		f.Evidence = append(f.Evidence, repair.SnapshotEvidence(k.Subject, s))
		return
	}
	step := engine.Textf("Create a new run ({clone}) with snapshot %d if it has the fix (created %s).", s.Index, k.Case.Clock(s.Created))
	overrides := f.cluster != nil && len(f.cluster.Overrides) > 0
	if overrides { // the snapshot has no override: the cause may be in either
		step = engine.Textf("If the manifest is the cause, create a new run ({clone}) with snapshot %d, which may have the fix (created %s). If an override is the cause (%s), fix it first: a new run uses the latest overrides.",
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
