package subject

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
)

// Prefer puts next actions of a diagnosis first.
func Prefer(d *engine.Diagnosis, first ...engine.NextAction) {
	rest := slices.DeleteFunc(slices.Clone(d.NextActions), func(a engine.NextAction) bool { return slices.Contains(first, a) })
	d.NextActions = slices.Concat(first, rest)
}

// DropNothingToDo removes the step that there is nothing to do, for another one to come.
func DropNothingToDo(d *engine.Diagnosis) {
	d.Steps = slices.DeleteFunc(slices.Clone(d.Steps), func(s engine.Text) bool { return s == engine.Lit("Nothing to do.") })
}
