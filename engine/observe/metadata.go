package observe

import (
	"strings"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// longestMetadata is how many bytes of a value a row keeps: all of a label, and the beginning of
// an annotation.
const longestMetadata = 64

// metadata returns the labels and annotations of a run that have a column.
func metadata(run *placement.StagedUpdateRun, names []string) (out []engine.Text) {
	for _, name := range names {
		value := ""
		if key, ok := strings.CutPrefix(name, engine.LabelPrefix); ok {
			value = run.Labels[key]
		} else if key, ok := strings.CutPrefix(name, engine.AnnotationPrefix); ok {
			value = run.Annotations[key]
		}
		if len(value) > longestMetadata {
			value = strings.ToValidUTF8(value[:longestMetadata], "") + "…"
		}
		out = append(out, engine.Clean(value))
	}
	return out
}
