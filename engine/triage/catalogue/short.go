package catalogue

import (
	"strings"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// The placeholders of Entry.Short.
const (
	PlaceholderKind  = "KIND"  // of the object that fails
	PlaceholderStage = "STAGE" // the stage that the run is in
)

// shorts are the short forms of the catalogue by cause.
var shorts = func() map[engine.Cause]string {
	out := map[engine.Cause]string{}
	for _, e := range Entries() {
		out[e.Cause] = e.Short
	}
	return out
}()

// Short returns a cause in a few words, with what it is about; zero for a cause that is
// not in the catalogue. path is the way from the run to what holds it up.
func Short(c engine.Cause, path []engine.Hop) engine.Text {
	says, ok := shorts[c]
	if !ok {
		return engine.Text{}
	}
	kind, stage, cluster := "object", "its stage", ""
	for _, hop := range path {
		switch hop.Level {
		case engine.Lit("stage"):
			if stage = hop.Name.String(); stage == placement.DeletionStageName {
				stage = "the deletion stage"
			}
		case engine.Lit("cluster"):
			cluster = " on " + hop.Name.String()
		case engine.Lit("manifest"):
			kind, _, _ = strings.Cut(hop.Name.String(), " ")
		}
	}
	return engine.Clean(strings.NewReplacer(PlaceholderKind, kind, PlaceholderStage, stage).Replace(says) + cluster)
}
