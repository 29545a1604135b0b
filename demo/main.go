// Command demo runs a hub with simulated member clusters in one process. It opens
// the screen of stagewatch on it, or serves the hub to other programs.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/demo/controller"
)

func main() {
	if err := quiet(); err != nil {
		report(os.Stderr, err)
		os.Exit(exit.Failed)
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// report prints an error to a stream that has nowhere to report its own failure
// to.
func report(to io.Writer, err error) {
	//nolint:errcheck // see above
	fmt.Fprintln(to, "demo:", controller.Words(err))
}

// usageError is a mistake on the command line, or a file named there that
// cannot be used.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// leave is the exit code of something that has already said what there was to
// say.
type leave int

func (l leave) Error() string { return fmt.Sprintf("exit code %d", int(l)) }

func run(args []string, in io.Reader, out, errs io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	root := rootCommand(in)
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	var (
		code  leave
		usage usageError
	)
	switch {
	case err == nil:
		return exit.OK
	case errors.As(err, &code):
		return int(code)
	case ctx.Err() != nil: // whatever failed, failed because we were told to end
		return exit.Interrupted
	}
	report(errs, err)
	if errors.As(err, &usage) {
		root.PrintErrln("hint: demo --help lists flags and commands")
		return exit.Usage
	}
	return exit.Failed
}

func rootCommand(in io.Reader) *cobra.Command {
	var o demoOptions
	root := &cobra.Command{
		Use:   "demo",
		Short: "A KubeFleet hub with a fleet in this process, and the screen on it",
		Long: "Starts a Kubernetes API with the KubeFleet kinds in this process, on loopback, in a temporary\n" +
			"directory; plays a scenario on it; and opens the screen of stagewatch. Nothing is downloaded and\n" +
			"nothing is left behind.",
		Args:          noArguments,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return o.run(cmd, in) },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.CompletionOptions.DisableDefaultCmd = true
	o.add(root.Flags())
	root.AddCommand(engineCommand(), benchCommand())
	return root
}

func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("unknown argument %q", args[0])}
	}
	return nil
}
