package triage

import (
	"slices"
	"strconv"

	"github.com/stagewatch/stagewatch/engine"
)

// versioned are the causes that another version of a manifest can remove: overrides,
// members and the apply strategy are not in a snapshot.
var versioned = func() map[engine.Cause]bool {
	out := map[engine.Cause]bool{notAvailable: true, stuckUnknown.cause: true, stuckUnnamed.cause: true, nothingReported.cause: true, unknownManifest.cause: true}
	for i := range rejects {
		out[rejects[i].cause] = rejects[i].pinned
	}
	for i := range podCauses {
		out[podCauses[i].cause] = true
	}
	for i := range rungs {
		if c := rungs[i].cause.String(); c == "envelope-invalid" || c == "apply-failed" {
			out[rungs[i].cause] = true
		}
	}
	return out
}()

// newerSnapshot adds to a stuck run that a snapshot newer than its own exists:
// a fixed manifest may be in it.
func (k *finder) newerSnapshot(f *finding) {
	used, err := strconv.Atoi(k.v.Index.String())
	s := k.c.Nearby.Newest()
	if k.v.Word != engine.WordStuck || err != nil || s == nil || s.Index <= used || !s.Whole() {
		return
	}
	if !versioned[f.Cause] {
		return
	}
	step := engine.Textf("Clone onto snapshot %d (C) if it has the fix: it exists since %s.", s.Index, k.c.Clock(s.Created))
	if f.CanHeal == engine.HealNewRun {
		// The manifest may have been fixed since: then the clone is what is left to do.
		f.Steps = slices.Insert(f.Steps, 0, step)
		f.Leads = append([]engine.Lead{engine.LeadClone}, slices.DeleteFunc(f.Leads, func(l engine.Lead) bool { return l == engine.LeadClone })...)
	} else {
		f.Steps = append(f.Steps, step)
	}
	f.Evidence = append(f.Evidence, snapshotEvidence(k.kit, s))
	if !slices.Contains(f.Leads, engine.LeadClone) {
		f.Leads = append(f.Leads, engine.LeadClone)
	}
}
