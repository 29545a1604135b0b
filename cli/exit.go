package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/stagewatch/stagewatch/engine"
)

// The exit codes of every command (docs/commands.md).
const (
	ExitOK          = 0   // what was asked for was done
	ExitFailed      = 1   // it failed for a reason that has no code of its own
	ExitUsage       = 2   // wrong flags or arguments, or a kubeconfig that cannot be used
	ExitNotFound    = 6   // the run, the context or the KubeFleet kinds do not exist
	ExitForbidden   = 7   // the hub does not know us, or does not let us look
	ExitUnreachable = 8   // the hub did not answer
	ExitInterrupted = 130 // a signal or ctrl-c ended the program
)

// The exit codes that wait adds (docs/commands.md).
const (
	ExitStuck    = 3   // the run is stuck
	ExitApproval = 4   // the run waits for an approval
	ExitStopped  = 5   // the run is stopped, or was never started
	ExitTimeout  = 124 // --timeout is over
)

// failure is an error with everything the last line on stderr needs.
type failure struct {
	code int
	what engine.Text
	hint engine.Text
	// usage is the usage line of the command, for a wrong number of arguments.
	usage engine.Text
}

func (f *failure) Error() string { return f.what.Headless() }

// usage returns the failure for a command line that cannot be understood.
func usage(what, hint engine.Text) error {
	if hint.IsZero() {
		hint = engine.Lit("stagewatch --help lists flags and arguments")
	}
	return &failure{code: ExitUsage, what: what, hint: hint}
}

// report writes one clear line and a hint to w and returns the exit code. A nil
// error writes nothing.
func report(w io.Writer, err error) int {
	if err == nil {
		return ExitOK
	}
	var f *failure
	if !errors.As(err, &f) {
		f = &failure{code: ExitFailed, what: engine.Clean(err.Error())}
	}
	say(w, "error: %s\n", f.what)
	if !f.usage.IsZero() {
		say(w, "usage: %s\n", f.usage)
	}
	if !f.hint.IsZero() {
		say(w, "hint: %s\n", f.hint)
	}
	return f.code
}

// say prints to a stream that has nowhere to report its own failure to: when
// stderr is gone nobody is left to be told.
func say(w io.Writer, format string, args ...any) {
	for i, a := range args {
		if t, ok := a.(engine.Text); ok {
			args[i] = t.Headless()
		}
	}
	//nolint:errcheck // see above
	fmt.Fprintf(w, format, args...)
}
