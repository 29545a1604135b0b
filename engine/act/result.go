package act

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// Result is what became of an Intent.
type Result uint8

// The results. The zero one claims nothing.
const (
	ResultUnknown    Result = iota // the answer was lost and the re-read failed too
	ResultApplied                  // the hub took it
	ResultRefused                  // the hub, or our re-read, said no; nothing was written
	ResultNotApplied               // the answer was lost and a re-read shows that nothing was written
)

// String returns the word for the screen.
func (r Result) String() string {
	//exhaustive:enforce
	switch r {
	case ResultApplied:
		return "applied"
	case ResultRefused:
		return "rejected"
	case ResultNotApplied:
		return "not applied"
	case ResultUnknown:
		return "unknown"
	}
	return "unknown"
}

// Outcome is what became of an Intent, in words.
type Outcome struct {
	Intent Intent
	Result Result
	What   engine.Text
	Hint   engine.Text
	At     time.Time
	// Fault sorts why it was not applied.
	Fault Fault
	// Made is the run that a clone created; zero otherwise.
	Made engine.ID
}
