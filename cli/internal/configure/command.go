// Package configure implements "stagewatch config", which shows and checks the
// configuration without a hub.
package configure

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/stagewatch/stagewatch/cli/config"
	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/usage"
	"github.com/stagewatch/stagewatch/engine"
)

// NewCommand returns the command config of root. A file with errors sets code: each error is
// a line of its own.
func NewCommand(root *cobra.Command, code *int) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config COMMAND",
		Short: "Show and check the configuration",
		Long: `config shows and checks the configuration file and the environment variables that
override it. It makes no request.`,
		Example: `  stagewatch config validate
  stagewatch config print`,
		Args: cobra.ArbitraryArgs,
		RunE: usage.Subcommand,
	}
	cmd.AddCommand(
		&cobra.Command{
			Use:   "path",
			Short: "Print the path of the configuration file",
			Example: `  stagewatch config path
  ${EDITOR:-vi} "$(stagewatch config path)"`,
			Args: usage.Exactly(0),
			RunE: func(cmd *cobra.Command, _ []string) error {
				path, err := config.Path()
				if err != nil {
					return exit.Misuse(engine.Clean(err.Error()), engine.Text{})
				}
				return write(cmd, []byte(path+"\n"))
			},
		},
		&cobra.Command{
			Use:   "print",
			Short: "Print the effective configuration as YAML",
			Long: `print prints the effective configuration as YAML, with the defaults of keys that are
not set. A comment names what set a key: the file, a variable, or the default.`,
			Example: `  stagewatch config print
  STAGEWATCH_THEME=nord stagewatch config print`,
			Args: usage.Exactly(0),
			RunE: func(cmd *cobra.Command, _ []string) error {
				out, err := config.Print()
				if err != nil {
					return exit.Misuse(engine.Clean(err.Error()), engine.Lit(config.Hint))
				}
				return write(cmd, out)
			},
		},
		&cobra.Command{
			Use:   "validate [FILE]",
			Short: "Print the errors of the configuration, or of FILE",
			Long: `validate prints every error of the configuration file with its line, and of the environment
variables; with FILE, those of that file alone. It warns about themes with hard-to-read text. The exit code is 0 if there are no errors, 2 otherwise.`,
			Example: `  stagewatch config validate
  stagewatch config validate ./config.yaml`,
			Args: usage.AtMostOne,
			RunE: func(cmd *cobra.Command, args []string) error { return validate(cmd, args, code) },
		},
		&cobra.Command{
			Use:   "schema",
			Short: "Print the JSON schema of the configuration file",
			Example: `  stagewatch config schema
  stagewatch config schema > config.schema.json`,
			Args: usage.Exactly(0),
			RunE: func(cmd *cobra.Command, _ []string) error {
				out, err := config.Schema()
				if err != nil {
					return err
				}
				return write(cmd, out)
			},
		},
	)
	for _, c := range append(cmd.Commands(), cmd) {
		usage.AcceptFlags(c, root.Flags())
	}
	return cmd
}

// validate prints the errors of a file; without one, those of the configuration file and of the
// environment variables.
func validate(cmd *cobra.Command, args []string, code *int) error {
	conf, err := config.Load()
	path, perr := config.Path()
	if len(args) > 0 {
		raw, rerr := os.ReadFile(args[0])
		if rerr != nil {
			return exit.Misuse(engine.Clean(rerr.Error()), engine.Text{})
		}
		conf, err = config.Parse(args[0], raw)
	} else if perr == nil {
		if _, serr := os.Stat(path); errors.Is(serr, fs.ErrNotExist) {
			exit.Say(cmd.ErrOrStderr(), "note: %s does not exist: the defaults apply\n", engine.Clean(path))
		}
	}
	var wrong *config.Invalid
	if errors.As(err, &wrong) {
		for _, p := range wrong.Problems {
			if len(args) == 0 && wrong.Of != path { // a variable
				p = wrong.Of + ": " + p
			}
			exit.Say(cmd.ErrOrStderr(), "error: %s\n", engine.Clean(p))
		}
		*code = exit.Usage
		return nil
	}
	for _, own := range conf.OwnThemes() {
		if hard := own.Warning(); !hard.IsZero() {
			exit.Say(cmd.ErrOrStderr(), "warning: %s\n", hard)
		}
	}
	if err != nil {
		return exit.Misuse(engine.Clean(err.Error()), engine.Text{})
	}
	return nil
}

// write prints a result.
func write(cmd *cobra.Command, out []byte) error {
	if _, err := cmd.OutOrStdout().Write(out); err != nil {
		return fmt.Errorf("write configuration: %w", err)
	}
	return nil
}
