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

// BeforeNewRun is the step before a new run that an obstacle keeps from starting, a clause. What the
// scheduler removes is not to be fixed.
func BeforeNewRun(obstacle engine.Text) engine.Text {
	if obstacle.Offers("waits") {
		return engine.Textf("Before you create a new run ({clone}), wait for the scheduler: %s. If this does not change within a minute, read the controller's log ({logs}).", obstacle)
	}
	return engine.Textf("Before you create a new run ({clone}), fix this: %s.", obstacle)
}

// DropNothingToDo removes the step that there is nothing to do, for another one to come.
func DropNothingToDo(d *engine.Diagnosis) {
	d.Steps = slices.DeleteFunc(slices.Clone(d.Steps), func(s engine.Text) bool { return s == engine.Lit("Nothing to do.") })
}
