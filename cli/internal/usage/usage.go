// Package usage checks the arguments of commands: wrong ones end with the usage line or with
// the command that was meant.
package usage

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/engine"
)

// verbs are what users of kubectl type, and the command that is meant.
var verbs = map[string]string{
	"list": "get", "ls": "get",
	"describe": "explain", "why": "explain", "diagnose": "explain", "status": "explain",
	"watch": "wait", "start": "run", "resume": "run", "pause": "stop", "cancel": "stop",
	"rm": "delete", "remove": "delete", "create": "clone", "copy": "clone", "preview": "plan",
}

// suggestion returns the hint for a word that resembles a subcommand of cmd;
// empty when it resembles none.
func suggestion(cmd *cobra.Command, word string) engine.Text {
	if name, ok := verbs[word]; ok && !cmd.HasParent() {
		return didYouMean(cmd, name)
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	if near := engine.Near(word, names); len(word) > 2 && len(near) > 0 {
		return didYouMean(cmd, near[0].String())
	}
	return engine.Text{}
}

func didYouMean(cmd *cobra.Command, name string) engine.Text {
	return engine.Textf("did you mean %q?", engine.Clean(cmd.CommandPath()+" "+name))
}

// Meant replaces the hint of a run that was not found when its name resembles
// a command: a single word is read as a RUN.
func Meant(cmd *cobra.Command, args []string, err error) error {
	var f *exit.Failure
	if len(args) != 1 || !errors.As(err, &f) || f.Code != exit.NotFound {
		return err
	}
	if hint := suggestion(cmd, args[0]); !hint.IsZero() {
		with := *f
		with.Hint = hint
		return &with
	}
	return err
}

// WrongFlag is the failure for a flag that does not exist, with the nearest of the command, or
// has a wrong value.
func WrongFlag(cmd *cobra.Command, err error) error {
	var near engine.Text
	if unknown := new(pflag.NotExistError); errors.As(err, &unknown) {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, "--"+f.Name)
			}
		})
		near = engine.DidYouMean("--"+unknown.GetSpecifiedName(), names)
		for _, c := range cmd.Commands() {
			if near.IsZero() && c.Name() == "get" && c.Flags().Lookup(unknown.GetSpecifiedName()) != nil {
				near = engine.Textf("did you mean \"%s --%s\"? ", engine.Clean(c.CommandPath()), engine.Clean(unknown.GetSpecifiedName()))
			}
		}
	}
	return exit.Misuse(engine.Clean(err.Error()), engine.Textf("%s%s --help lists all flags", near, engine.Clean(cmd.CommandPath())))
}

// AcceptFlags lets a command that needs no hub be used with the flags of the root
// command before its name.
func AcceptFlags(cmd *cobra.Command, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if cmd.Flags().Lookup(f.Name) == nil {
			hidden := *f
			hidden.Hidden = true
			cmd.Flags().AddFlag(&hidden)
		}
	})
}

// HelpCommand replaces cobra's, which exits with 0 for an unknown command.
func HelpCommand(root *cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show the help of a command",
		Example: `  stagewatch help get
  stagewatch help config print`,
		RunE: func(cmd *cobra.Command, args []string) error {
			of, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				if err == nil && of.HasParent() {
					return wrongCount(cmd, engine.Textf("accepts at most 1 argument, got %d", len(args)))
				}
				return unknownCommand(cmd.Root(), args[0])
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		},
	}
	AcceptFlags(cmd, root.Flags())
	return cmd
}

// AddCompletion returns cobra's, which otherwise prints its help and exits
// with 0 for an unknown shell.
func AddCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		AcceptFlags(c, root.Flags())
		for _, shell := range c.Commands() {
			AcceptFlags(shell, root.Flags())
			shell.Example = "  " + shell.CommandPath() + "\n  " + shell.CommandPath() + " --no-descriptions"
		}
		c.Args = cobra.ArbitraryArgs
		c.Use = "completion SHELL"
		c.Example = "  source <(stagewatch completion bash)\n  stagewatch completion fish > ~/.config/fish/completions/stagewatch.fish"
		c.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return wrongCount(cmd, engine.Lit("accepts 1 argument, got 0"))
			}
			hint := suggestion(cmd, args[0])
			if hint.IsZero() {
				hint = engine.Lit("use bash, fish, powershell or zsh")
			}
			return exit.Misuse(engine.Textf("unknown shell %q", engine.Clean(args[0])), hint)
		}
	}
}

// Subcommand is what a command does that has only commands: it reports the one that is
// missing or wrong.
func Subcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return wrongCount(cmd, engine.Lit("accepts a command, got none"))
	}
	return unknownCommand(cmd, args[0])
}

func unknownCommand(cmd *cobra.Command, word string) error {
	if hint := suggestion(cmd, word); cmd.HasParent() {
		if hint.IsZero() {
			hint = engine.Textf("%s --help lists its commands", engine.Clean(cmd.CommandPath()))
		}
		return exit.Misuse(engine.Textf("unknown command %q for %q", engine.Clean(word), engine.Clean(cmd.CommandPath())), hint)
	}
	return exit.Misuse(engine.Textf("unknown command %q", engine.Clean(word)), suggestion(cmd, word))
}

// Exactly accepts n arguments.
func Exactly(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return wrongCount(cmd, engine.Textf("accepts %s, got %d", engine.Count(n, "argument"), len(args)))
	}
}

// Between accepts least to most arguments.
func Between(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && len(args) <= most {
			return nil
		}
		return wrongCount(cmd, engine.Textf("accepts %d to %s, got %d", least, engine.Count(most, "argument"), len(args)))
	}
}

// AtMostOne accepts an argument or nothing.
func AtMostOne(cmd *cobra.Command, args []string) error {
	if len(args) < 2 {
		return nil
	}
	return wrongCount(cmd, engine.Textf("accepts at most 1 argument, got %d", len(args)))
}

// OneRun accepts a RUN or nothing. Of the root command more arguments may begin
// with a command that does not exist.
func OneRun(cmd *cobra.Command, args []string) error {
	if len(args) > 1 && !cmd.HasParent() && !suggestion(cmd, args[0]).IsZero() {
		return unknownCommand(cmd, args[0])
	}
	return AtMostOne(cmd, args)
}

// wrongCount is the failure for a wrong number of arguments, with the usage line.
func wrongCount(cmd *cobra.Command, what engine.Text) error {
	return &exit.Failure{Code: exit.Usage, What: what, Usage: engine.Clean(cmd.UseLine())}
}

// Complete attaches the completion of a flag's values; it fails only for a flag that does not
// exist, which the completion test would show.
func Complete(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		cmd.PrintErrln(err)
	}
}
