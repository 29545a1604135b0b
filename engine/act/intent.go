// Package act decides which acts are possible: run, stop, approve, clone, delete,
// and lifting what a configuration blocks. It returns an Intent with effect,
// warnings and kubectl command, or a Refusal with the reason; watch sends Intents.
package act

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// Intent is one act on one target with everything the person was shown about
// it. Only Propose, ProposeClone and ProposeRaise make one; watch sends it. It is
// immutable.
type Intent struct {
	Act engine.Act
	// Run is the run that is acted on; Target is the object that is written:
	// the run itself, the approval request, or the run that a clone creates,
	// which has no UID yet.
	Run    engine.ID
	Target engine.ID
	// Title is the act and its object in a few words: "Approve web-r1, after staging".
	Title engine.Text
	// Object is kind, name and generation of Target.
	Object engine.Text
	// Effect lists what the act starts or stops, one sentence a line.
	Effect []engine.Text
	// Warn lists warnings: a timed wait beside the approval, a stuck cluster, a
	// repair of an approval that was not accepted.
	Warn []engine.Text
	// Undo describes how to undo the act, or that it cannot be undone.
	Undo engine.Text
	// Irreversible acts need the word Confirm typed; others a single key.
	Irreversible bool
	// Confirm is the name to type: of the stage or run, or of the context if
	// Protected is set (docs/architecture.md#writes).
	Confirm engine.Text
	// Protected is set in a protected context, where every act is typed.
	Protected bool
	// Kubectl is the equivalent kubectl command.
	Kubectl engine.Text
	// Message is the note of the one who confirms, see WithMessage: it goes into
	// the audit, and with an approval into its condition.
	Message engine.Text

	stage          string
	seenGeneration int64
	seenVersion    string
	seenState      string
	seenPlacement  string
	wantState      string
	repair         bool
	create         made
	stuckOn        engine.Text    // the snapshot of the cloned run
	repeats        engine.Text    // what a clone onto it meets again
	hub            engine.HubName // of ActRaise, which has no object
	raise          time.Duration
}

// Hub is the hub that is written to or, for ActRaise, whose writes are allowed.
func (i Intent) Hub() engine.HubName {
	if i.Act == engine.ActRaise {
		return i.hub
	}
	return i.Target.Hub()
}

// Typed reports whether a word has to be typed to confirm, rather than a key
// pressed.
func (i Intent) Typed() bool { return i.Irreversible || i.Protected || i.Act == engine.ActRaise }

// Raise returns for how long ActRaise lifts what is held back; zero holds it
// back again.
func (i Intent) Raise() time.Duration { return i.raise }

// Seen returns what the person saw of the target: the resourceVersion,
// generation and, for a run, spec.state. For watch.
func (i Intent) Seen() (resourceVersion string, generation int64, state string) {
	return i.seenVersion, i.seenGeneration, i.seenState
}

// Stage returns the raw stage name an approval is for, for watch to compare
// with spec.targetStage.
func (i Intent) Stage() string { return i.stage }

// WantState returns the spec.state to write: Run or Stop; for a clone the state
// it is created in; empty for approvals and deletions.
func (i Intent) WantState() string { return i.wantState }

// Repair reports whether the approval replaces one that was not accepted.
func (i Intent) Repair() bool { return i.repair }

// WithMessage returns the Intent with the note of the one who confirms.
func (i Intent) WithMessage(m engine.Text) Intent { i.Message = m; return i }

// Fault is the kind of obstacle that something met, for exit codes.
type Fault uint8

// The faults.
const (
	FaultNone        Fault = iota // there was none, or it has no kind of its own
	FaultDenied                   // this person may not do it
	FaultGone                     // what it is about does not exist, or not any more
	FaultUnreachable              // the hub did not answer
)
