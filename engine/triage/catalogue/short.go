package catalogue

import (
	"strings"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// The placeholders of Entry.Short.
const (
	PlaceholderKind    = "KIND"    // of the object that fails
	PlaceholderStage   = "STAGE"   // the stage that the run is in
	PlaceholderCluster = "CLUSTER" // the cluster that it is about
)

// OfRun reports whether a cause fails a run for its placement, its strategy or the status that it
// recorded, also where a diagnosis names a cluster that is left.
func OfRun(c engine.Cause) bool { return ofRuns[c] }

// Short returns a cause in a few words, with what it is about; zero for a cause that is
// not in the catalogue. path is the way from the run to what holds it up. unread says that the
// member was not read: a cause that leaves open why a workload is not available says less then.
func Short(c engine.Cause, path []engine.Hop, unread bool) engine.Text {
	says, ok := shorts[c]
	if !ok {
		return engine.Text{}
	}
	if unread && LeavesOpen(c) {
		says = "not ready, see pods"
	}
	kind, stage, name, cluster := "object", "its stage", "a cluster", ""
	for _, hop := range path {
		switch hop.Level {
		case engine.Lit("stage"):
			if stage = hop.Name.String(); stage == placement.DeletionStageName {
				stage = "the deletion stage"
			}
		case engine.Lit("cluster"):
			name = hop.Name.String()
			if cluster = " on " + name; ofRuns[c] || strings.Contains(says, PlaceholderCluster) {
				cluster = ""
			}
		case engine.Lit("manifest"):
			kind, _, _ = strings.Cut(hop.Name.String(), " ")
		}
	}
	return engine.Clean(strings.NewReplacer(PlaceholderKind, kind, PlaceholderStage, stage, PlaceholderCluster, name).Replace(says) + cluster)
}
