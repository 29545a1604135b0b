package act

import "github.com/stagewatch/stagewatch/engine"

// movesBack says which pending clusters the run gives an older snapshot than the one that
// they have; empty when it does that to none.
func movesBack(v *engine.RunView) engine.Text {
	const shown = 3
	var names []engine.Text
	more := 0
	for i := range v.Stages {
		names, more = append(names, v.Stages[i].Back...), more+v.Stages[i].BackMore
	}
	n := len(names) + more
	if n == 0 {
		return engine.Text{}
	}
	says := engine.Textf("The run moves %s back to the older snapshot %s", engine.Count(n, "pending cluster"), engine.OrUnknown(v.Index))
	if n <= shown {
		return engine.Textf("%s: %s.", says, engine.Enumerate(names, shown))
	}
	return engine.Textf("%s: %s and %d more.", says, engine.Join(names[:min(shown, len(names))], ", "), n-min(shown, len(names)))
}
