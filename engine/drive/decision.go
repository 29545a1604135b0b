package drive

import (
	"time"

	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// Next is what a loop does after a pass.
type Next int

// The four ends of a pass. They differ in what becomes of the run's failure
// count: Done and After forget it, Again and Retry add one to it
// (docs/kubefleet.md#reconcile).
const (
	Done  Next = iota // wait for a trigger
	After             // next pass after Decision.Wait
	Again             // next pass at once, rate-limited like a failure
	Retry             // an error; next pass after the backoff
)

// Decision is the outcome of one pass.
type Decision struct {
	Next Next
	// Wait is how long After waits.
	Wait time.Duration
	// Err is what Retry failed on; upstream only logs it.
	Err error
}

// Schedule returns when the next pass is due: the wait, whether there is one,
// and the new number of failures, given the number so far.
func (d Decision) Schedule(failures int, timing pass.Timing) (wait time.Duration, again bool, count int) {
	switch d.Next {
	case After:
		return d.Wait, true, 0
	case Again, Retry:
		return Backoff(failures, timing), true, failures + 1
	default:
		return 0, false, 0
	}
}

// Backoff is the wait after an error of a run that has failed the given number
// of times before: BackoffBase doubled each time, at most BackoffMax.
func Backoff(failures int, timing pass.Timing) time.Duration {
	wait := timing.BackoffBase
	for range failures {
		if wait >= timing.BackoffMax {
			break
		}
		wait *= 2
	}
	return min(wait, timing.BackoffMax)
}

func retry(err error) Decision { return Decision{Next: Retry, Err: err} }
