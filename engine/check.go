package engine

// CheckState is how a check before a write came out.
type CheckState uint8

// The states of a check. Unknown stands in nobody's way: the hub decides; nor
// does a warning, which tells what will happen.
const (
	CheckUnknown CheckState = iota
	CheckPassed
	CheckFailed
	CheckWarning
)

// Check is one thing that was looked at just before a write.
type Check struct {
	State CheckState
	What  Text
}
