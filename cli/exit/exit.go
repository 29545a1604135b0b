// Package exit says how a command ends: its exit code, and the lines on stderr.
package exit

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
)

// The exit codes of every command (docs/commands.md).
const (
	OK          = 0   // what was asked for was done
	Failed      = 1   // it failed for a reason that has no code of its own
	Usage       = 2   // wrong flags or arguments, or a kubeconfig that cannot be used
	NotFound    = 6   // the run, the context or the KubeFleet kinds do not exist
	Forbidden   = 7   // the hub does not know us, or does not let us look
	Unreachable = 8   // the hub did not answer
	Interrupted = 130 // a signal or ctrl-c ended the program
)

// The exit codes that wait adds (docs/commands.md).
const (
	Stuck    = 3   // the run is stuck
	Approval = 4   // the run waits for an approval
	Stopped  = 5   // the run is stopped, or was never started
	Timeout  = 124 // --timeout is over
)

// Failure is an error with everything the last line on stderr needs.
type Failure struct {
	Code int
	What engine.Text
	Hint engine.Text
	// Similar begins the hint with a name that may be meant (engine.DidYouMean); empty for none.
	Similar engine.Text
	// NoRun is the name of RUN, unescaped, if no run has it where runs were looked for; empty for another failure.
	NoRun string
	// Usage is the usage line of the command, for a wrong number of arguments.
	Usage engine.Text
}

func (f *Failure) Error() string { return f.What.String() }

// Brief is the failure in one line of a screen, which has no room for the hint. The name that may
// be meant comes first: the end of the line may be cut.
func (f *Failure) Brief() engine.Text { return engine.Textf("%s%s", f.Similar, f.What) }

// Misuse returns the failure for a command line that cannot be understood.
func Misuse(what, hint engine.Text) error {
	if hint.IsZero() {
		hint = engine.Lit("stagewatch --help lists flags and arguments")
	}
	return &Failure{Code: Usage, What: what, Hint: hint}
}

// FaultCode is the exit code of an obstacle.
func FaultCode(f act.Fault) int {
	switch f {
	case act.FaultDenied:
		return Forbidden
	case act.FaultGone:
		return NotFound
	case act.FaultUnreachable:
		return Unreachable
	case act.FaultNone:
	}
	return Failed
}

// Report writes one clear line and a hint to w and returns the exit code. A nil
// error writes nothing.
func Report(w io.Writer, err error) int {
	if err == nil {
		return OK
	}
	var f *Failure
	if !errors.As(err, &f) {
		f = &Failure{Code: Failed, What: engine.Clean(err.Error())}
	}
	Say(w, "error: %s\n", f.What)
	if !f.Usage.IsZero() {
		Say(w, "usage: %s\n", f.Usage)
	}
	if !f.Hint.IsZero() || !f.Similar.IsZero() {
		Say(w, "hint: %s\n", strings.TrimSuffix(engine.Textf("%s%s", f.Similar, f.Hint).String(), " "))
	}
	return f.Code
}

// Say prints to stderr and ignores errors of the write: there is nowhere else to report
// them.
func Say(w io.Writer, format string, args ...any) {
	for i, a := range args {
		if t, ok := a.(engine.Text); ok {
			args[i] = t.String()
		}
	}
	//nolint:errcheck // see above
	fmt.Fprintf(w, format, args...)
}
