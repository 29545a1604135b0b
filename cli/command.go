// Package cli implements the commands that stagewatch and its demo share: flags,
// configuration, kubeconfig, output formats, exit codes, and the lifecycle of
// terminal and signals. It contains no rule about rollouts and does not draw.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/build"
	"github.com/stagewatch/stagewatch/cli/internal/complete"
	"github.com/stagewatch/stagewatch/cli/internal/configure"
	"github.com/stagewatch/stagewatch/cli/internal/job"
	"github.com/stagewatch/stagewatch/cli/internal/profile"
	"github.com/stagewatch/stagewatch/cli/internal/tty"
	"github.com/stagewatch/stagewatch/cli/internal/usage"
	"github.com/stagewatch/stagewatch/cli/output"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/runref"
)

// program is the name in front of every line on stderr.
const program = "stagewatch"

// Main runs stagewatch with its arguments (without the program's name) and
// returns the exit code (docs/commands.md). It controls the process while it
// runs: signals, and os.Stderr while the screen is open.
func Main(args []string, in io.Reader, out, errs io.Writer) int {
	t := terminal{in: in, out: out, err: errs}
	cmd := newCommand(&t)
	// Without arguments cobra would take the process's own.
	cmd.SetArgs(append([]string{}, args...))
	cmd.SetIn(in)
	cmd.SetOut(out)
	cmd.SetErr(errs)
	err := cmd.ExecuteContext(context.Background())
	if err = errors.Join(err, t.profiles.Stop()); err != nil {
		return exit.Report(errs, err)
	}
	return t.exit
}

// Command returns the root command, for man pages and completions.
func Command() *cobra.Command { return newCommand(&terminal{}) }

// terminal is where a command reads and writes, and what it ends with when
// that is no error of its own.
type terminal struct {
	in       io.Reader
	out, err io.Writer
	exit     int
	profiles *profile.Running // those of --profile
}

// newCommand returns the root command.
func newCommand(t *terminal) *cobra.Command {
	var o job.Options
	var info, version bool
	cmd := &cobra.Command{
		Use:   "stagewatch [flags] [RUN]",
		Short: "Watch KubeFleet staged update runs live",
		Long: `stagewatch shows the staged update runs of a KubeFleet hub live, explains why
a run is not progressing, and approves, runs and stops runs from the keyboard.

Without flags it shows the runs of the cluster scope and of all namespaces.
With RUN, that run opens directly. When stdout is not a terminal, or with
--output, it prints the same states as a table and exits.

` + job.RunHelp,
		Example: `  stagewatch                          everything on the current context's hub
  stagewatch --context hub-prod       everything on the hub of another context
  stagewatch --context hub-a,hub-b    the runs of two hubs in one list
  stagewatch csur/web-r5              open the cluster run "web-r5"
  stagewatch -n shop pay-r2           open the run "pay-r2" of namespace shop
  stagewatch -n shop                  the runs of one namespace, and the cluster's
  stagewatch -o json | jq .runs       for scripts`,
		Args:              usage.OneRun,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) (err error) {
			if f := cmd.Flags().Lookup(profile.Flag); f != nil && f.Changed {
				t.profiles, err = profile.Start(f.Value.String())
			}
			return err
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if version {
				_, err := fmt.Fprintf(t.out, "%s %s\n", program, build.Version())
				return err
			}
			o.NamespaceGiven = cmd.Flags().Changed("namespace")
			o.ASCIIGiven, o.Changed = cmd.Flags().Changed("ascii"), cmd.Flags().Changed
			j, err := o.Job(args)
			if err != nil {
				return err
			}
			if info {
				return printInfo(cmd.Context(), j, o.Output, t)
			}
			if o.Output == "" && tty.IsTerminal(t.out) && !tty.Dumb(os.Getenv) {
				if !tty.IsTerminal(t.in) {
					return exit.Misuse(engine.Lit("stdin is not a terminal"), engine.Lit("print a table with -o table"))
				}
				t.exit, err = openScreen(cmd.Context(), &screen{Job: j, program: program}, t)
				return err
			}
			ctx, stop := t.untilSignal(cmd.Context())
			defer stop()
			l := &listing{form: o.Output, headers: !o.NoHeaders}
			if !j.Run.IsZero() {
				l.runs = []runref.Ref{j.Run}
			}
			return usage.Meant(cmd, args, printRuns(ctx, j, l, t))
		},
	}
	cmd.SetFlagErrorFunc(usage.WrongFlag)
	bindRoot(&o, cmd.Flags())
	// Not by cobra's Version: with its template the program would have to keep every exported method.
	cmd.Flags().BoolVarP(&version, "version", "v", false, "version for stagewatch")
	cmd.Flags().BoolVar(&info, "info", false, "read the hub, print what stagewatch itself uses (streams, bytes, memory), and exit; -o json for scripts")
	o.BindMembers(cmd)
	complete.Values(cmd, "output", output.ListForms())
	complete.Values(cmd, "color", []string{tty.ColorAuto, tty.ColorAlways, tty.ColorNever})
	complete.Connection(cmd, &o)
	cmd.ValidArgsFunction = complete.Runs(&o, nil)
	cmd.AddCommand(newGetCommand(t), newExplainCommand(t), newPlanCommand(t), newWaitCommand(t), newVersionCommand(t), newContextsCommand(t), configure.NewCommand(cmd, &t.exit))
	cmd.AddCommand(pageCommands(t)...)
	cmd.AddCommand(actCommands(t)...)
	usage.Grouped(cmd)
	cmd.SetHelpCommand(usage.HelpCommand(cmd))
	usage.AddCompletion(cmd)
	usage.AcceptKinds(cmd)
	return cmd
}

// bindRoot declares the flags of the root command.
func bindRoot(o *job.Options, f *pflag.FlagSet) {
	f.SortFlags = false
	f.BoolVarP(&o.AllNamespaces, "all-namespaces", "A", false, "the runs of all namespaces (the default); overrides --namespace")
	f.BoolVar(&o.NamespacedOnly, "namespaced-only", false, "exclude cluster-scoped runs")
	o.BindStuck(f)
	f.BoolVar(&o.ReadOnly, "read-only", false, "disable all writes")
	f.StringVarP(&o.Output, "output", "o", "", "print and exit: "+strings.Join(output.ListForms(), ", "))
	f.BoolVar(&o.NoHeaders, "no-headers", false, "print a table without its column heads")
	f.StringVar(&o.Color, "color", tty.ColorAuto, "colours on the screen: auto, always or never")
	f.BoolVar(&o.Notify, "notify", false, "ring and show a desktop notification, if the terminal supports it, when a run starts to need attention; w does so for one run")
	f.BoolVar(&o.Mouse, "mouse", false, "enable the mouse; hold shift to select text in the terminal; % toggles the mouse")
	f.BoolVar(&o.ASCII, "ascii", false, "draw with ASCII only (the default where the locale is not UTF-8)")
	o.BindPartial(f)
	o.BindConnection(f, "limit namespaced runs to this namespace; cluster runs are still shown")
}
