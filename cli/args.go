package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/stagewatch/stagewatch/engine"
)

// verbs are what users of kubectl type, and the command that is meant.
var verbs = map[string]engine.Text{
	"get": engine.Lit("stagewatch lists the runs, stagewatch RUN opens one"), "list": engine.Lit("stagewatch lists the runs"), "ls": engine.Lit("stagewatch lists the runs"),
	"describe": engine.Lit(`did you mean "explain"?`), "why": engine.Lit(`did you mean "explain"?`), "diagnose": engine.Lit(`did you mean "explain"?`), "status": engine.Lit(`did you mean "explain"?`),
	"watch": engine.Lit(`did you mean "wait"?`), "start": engine.Lit(`did you mean "run"?`), "resume": engine.Lit(`did you mean "run"?`),
	"pause": engine.Lit(`did you mean "stop"?`), "cancel": engine.Lit(`did you mean "stop"?`), "rm": engine.Lit(`did you mean "delete"?`), "remove": engine.Lit(`did you mean "delete"?`),
	"create": engine.Lit(`did you mean "clone"?`), "copy": engine.Lit(`did you mean "clone"?`), "preview": engine.Lit(`did you mean "plan"?`),
}

// suggestion says which command was meant by a word; empty when it resembles
// none.
func suggestion(cmd *cobra.Command, word string) engine.Text {
	if hint, ok := verbs[word]; ok {
		return hint
	}
	cmd.SuggestionsMinimumDistance = 2 // cobra's own, which it sets only in its own check
	if near := cmd.SuggestionsFor(word); len(near) > 0 && len(word) > 2 {
		slices.Sort(near)
		return engine.Textf("did you mean %q?", near[0])
	}
	return engine.Text{}
}

// exactly accepts n arguments.
func exactly(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return wrongCount(cmd, engine.Textf("accepts %s, got %d", engine.Count(n, "argument"), len(args)))
	}
}

// oneRun accepts a RUN or nothing. Of the root command more arguments may begin
// with a command that does not exist.
func oneRun(cmd *cobra.Command, args []string) error {
	if len(args) < 2 {
		return nil
	}
	if !cmd.HasParent() {
		if hint := suggestion(cmd, args[0]); !hint.IsZero() {
			return usage(engine.Textf("unknown command %q", engine.Clean(args[0])), hint)
		}
	}
	return wrongCount(cmd, engine.Textf("accepts at most 1 argument, got %d", len(args)))
}

// wrongCount is the failure for a wrong number of arguments, with the usage line.
func wrongCount(cmd *cobra.Command, what engine.Text) error {
	return &failure{code: ExitUsage, what: what, usage: engine.Clean(cmd.UseLine())}
}
