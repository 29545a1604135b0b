package observe

import (
	"strings"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/field"
)

// longestField is how many bytes of a value a row keeps: all of a label, and the beginning of
// an annotation.
const longestField = 64

// fields returns the values of a run that have a column; paths are those of the JSONPaths among
// them.
func fields(run *placement.StagedUpdateRun, paths, names []string) (out []engine.Text) {
	for _, name := range names {
		f, _ := field.Parse(name)
		value := ""
		switch f.Source {
		case field.Label:
			value = run.Labels[f.Key]
		case field.Annotation:
			value = run.Annotations[f.Key]
		case field.Path:
			if len(paths) > 0 {
				value, paths = paths[0], paths[1:]
			}
			out = append(out, engine.Clean(value)) // was cut when it was read
			continue
		}
		if len(value) > longestField {
			value = strings.ToValidUTF8(value[:longestField], "") + "…"
		}
		out = append(out, engine.Clean(value))
	}
	return out
}
