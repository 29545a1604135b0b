package cli

import (
	"context"
	"errors"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/tty"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
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
