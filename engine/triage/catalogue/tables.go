package catalogue

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
)

// The variables that are computed from the tables are in a file after those of the tables: the compiler initializes
// variables in the order of the file names. What it meets before the first call is data of the binary; after it, a
// table that uses another variable, such as onPlan, is code.

// Failures are tried in order; the first match explains the run.
var Failures = slices.Concat(refusals, aborts)

// SnapshotDeleted is the entry of a resource snapshot that is gone.
var SnapshotDeleted = func() *Entry {
	i := slices.IndexFunc(BindingCauses, func(c BindingCause) bool { return c.Cause == engine.Cause("snapshot-deleted") })
	return &BindingCauses[i].Entry
}()

// Conflict is the entry of an object that two placements place.
var Conflict = func() *Entry {
	i := slices.IndexFunc(ManifestCauses, func(c ManifestCause) bool { return c.Cause == PlacementsConflict })
	return &ManifestCauses[i].Entry
}()

// Versioned are the causes that another version of a manifest can remove: overrides,
// members and the apply strategy are not in a snapshot.
var Versioned = func() map[engine.Cause]bool {
	out := map[engine.Cause]bool{NotAvailable: true, StuckUnknown.Cause: true, StuckUnnamed.Cause: true, NothingReported.Cause: true, UnknownManifest.Cause: true}
	for i := range ManifestCauses {
		out[ManifestCauses[i].Cause] = ManifestCauses[i].Pinned
	}
	for i := range PodCauses {
		out[PodCauses[i].Cause] = true
	}
	for i := range BindingCauses {
		if c := BindingCauses[i].Cause.String(); c == "envelope-invalid" || c == "apply-failed" {
			out[BindingCauses[i].Cause] = true
		}
	}
	return out
}()

// shorts are the short forms of the catalogue by cause.
var shorts = func() map[engine.Cause]string {
	out := map[engine.Cause]string{}
	for _, e := range Entries() {
		out[e.Cause] = e.Short
	}
	return out
}()

// ofRuns are the causes of OfRun.
var ofRuns = func() map[engine.Cause]bool {
	out := map[engine.Cause]bool{ClustersLeft.Cause: true}
	for i := range Failures {
		out[Failures[i].Cause] = true
	}
	return out
}()
