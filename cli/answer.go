package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/tty"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/page"
)

// confirm asks the person, unless --yes has answered already.
func (a *actOptions) confirm(ctx context.Context, i act.Intent, h engine.Hub, t *terminal, asker *tty.Prompt) error {
	if a.yes {
		if i.Protected && a.confirmContext == "" {
			return exit.Misuse(engine.Textf("context %s is protected: --yes requires --confirm-context", h.Context),
				engine.Textf("add --confirm-context %s if this is the right hub", h.Context))
		}
		return nil
	}
	if !tty.IsTerminal(t.in) {
		return exit.Misuse(engine.Lit("stdin is not a terminal, so confirmation is not possible"), engine.Lit("check with --dry-run, then add --yes"))
	}
	want := engine.Lit("y")
	if i.Typed() {
		want = i.Confirm
	}
	line, err := asker.Ask(ctx, t.err, engine.Textf("Type %s to %s: ", want, engine.Clean(i.Act.String())).String())
	switch {
	case errors.Is(err, tty.ErrInterrupted):
		return &exit.Failure{Code: exit.Interrupted, What: engine.Lit("interrupted; nothing was sent")}
	case errors.Is(err, tty.ErrManyLines):
		return &exit.Failure{
			Code: exit.Interrupted, What: engine.Lit("not confirmed: got more than one line; nothing was sent"),
			Hint: engine.Lit("type the answer after the prompt appears"),
		}
	case err != nil:
		return err
	}
	if line != want.String() {
		return &exit.Failure{Code: exit.Interrupted, What: engine.Lit("not confirmed; nothing was sent")}
	}
	return nil
}

// describeIntent says what a dialog says.
func describeIntent(s *engine.Snapshot, i act.Intent, answer page.Answer) string {
	var b strings.Builder
	line := func(label string, x engine.Text) {
		if !x.IsZero() {
			fmt.Fprintf(&b, "%-9s %s\n", label, x.Headless())
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
