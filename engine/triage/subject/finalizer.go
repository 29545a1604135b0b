package subject

import "github.com/stagewatch/stagewatch/engine"

// FinalizerNames writes finalizers for a sentence: `Finalizer "x"`.
func FinalizerNames(names []string) engine.Text {
	if len(names) == 1 {
		return engine.Textf("Finalizer %q", names[0])
	}
	quoted := make([]engine.Text, len(names))
	for i, n := range names {
		quoted[i] = engine.Textf("%q", n)
	}
	return engine.Textf("Finalizers %s", engine.Enumerate(quoted, 3))
}

// Block is the verb of n finalizers that keep an object.
func Block(n int) engine.Text {
	if n == 1 {
		return engine.Lit("blocks")
	}
	return engine.Lit("block")
}

// ReleaseSteps say how an object gets rid of finalizers of other controllers.
func ReleaseSteps(names []string, of engine.Text) []engine.Text {
	what := engine.Uncapital(FinalizerNames(names))
	return []engine.Text{
		engine.Textf("Check why the controller that set %s on %s has not removed it.", what, of),
		engine.Textf("If that controller is gone, remove %s from metadata.finalizers of %s.", what, of),
	}
}
