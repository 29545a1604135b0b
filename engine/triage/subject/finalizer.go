package subject

import (
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

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

// Deletion is Evidence that a binding is being deleted.
func Deletion(b *world.Binding) engine.Evidence {
	return engine.Evidence{Object: Object(b.ID), Field: engine.Lit("metadata.deletionTimestamp"), Value: engine.Lit("set"), Since: b.Deleting}
}

// BlockedBy says which finalizers keep a binding that is being deleted; empty for none.
func BlockedBy(b *world.Binding) engine.Text {
	if len(b.Finalizers) == 0 {
		return engine.Text{}
	}
	return engine.Textf("%s %s the deletion", engine.Uncapital(FinalizerNames(b.Finalizers)), Block(len(b.Finalizers)))
}

// BindingFinalizers is Evidence of the finalizers of a binding.
func BindingFinalizers(b *world.Binding) engine.Evidence {
	if len(b.Finalizers) == 0 {
		return Field(Object(b.ID), engine.Lit("metadata.finalizers"), engine.Lit("none"))
	}
	return Field(Object(b.ID), engine.Lit("metadata.finalizers"), engine.Clean(strings.Join(b.Finalizers, ", ")))
}
