package output

import (
	"fmt"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/page"
)

// Intent says what the dialog of an act says.
func Intent(s *engine.Snapshot, i act.Intent, answer page.Answer) string {
	var b strings.Builder
	line := func(label string, x engine.Text) {
		if !x.IsZero() {
			fmt.Fprintf(&b, "%-9s %s\n", label, x.String())
		}
	}
	line("action", i.Title)
	context := s.Hub.Context
	if i.Protected {
		context = engine.Textf("%s (protected)", context)
	}
	line("context", context)
	line("server", s.Hub.Server)
	line("user", s.Hub.User)
	line("object", i.Object)
	for _, x := range answer.EffectOf(i) {
		line("effect", x)
	}
	for _, x := range i.Warn {
		line("warning", x)
	}
	line("undo", answer.UndoOf(i))
	line("kubectl", i.Kubectl)
	for _, c := range answer.Checks {
		line("check", engine.Textf("%s %s", checkMark(c.State), c.What))
	}
	return b.String()
}

// checkMark stands before a check, as in a dialog.
func checkMark(s engine.CheckState) engine.Text {
	//exhaustive:enforce
	switch s {
	case engine.CheckPassed:
		return engine.Lit("+")
	case engine.CheckFailed, engine.CheckWarning:
		return engine.Lit("!")
	case engine.CheckUnknown:
	}
	return engine.Lit("?")
}
