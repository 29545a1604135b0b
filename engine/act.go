package engine

// Act is a thing a person can do to a run, or to what holds acts back. Each is
// one dialog and at most one write.
type Act uint8

// The acts.
const (
	ActNone Act = iota
	ActApprove
	ActRun  // start an initialized run, or resume a stopped one
	ActStop // nothing new is started; clusters in flight finish
	ActClone
	ActDelete
	ActRaise // lift for a while what the configuration holds back
)

// String returns the verb for the screen.
func (a Act) String() string {
	//exhaustive:enforce
	switch a {
	case ActNone:
		return "none"
	case ActApprove:
		return "approve"
	case ActRun:
		return "run"
	case ActStop:
		return "stop"
	case ActClone:
		return "clone"
	case ActDelete:
		return "delete"
	case ActRaise:
		return "write"
	}
	return "unknown"
}

// Refusal says why an act is not possible. The zero Refusal refuses nothing.
type Refusal struct {
	// Choose is set when nothing is in the way but a choice that is still to be made.
	Choose bool
	Why    Text
	Hint   Text
}

// Refused reports whether the act is refused.
func (r Refusal) Refused() bool { return !r.Why.IsZero() }
