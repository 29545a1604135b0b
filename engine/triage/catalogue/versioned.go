package catalogue

import "github.com/stagewatch/stagewatch/engine"

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
