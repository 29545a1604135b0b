package engine

// CoverState says how much of a set is known.
type CoverState uint8

// The states of a set. No number is derived from a set that is not complete.
const (
	CoverNotAsked CoverState = iota
	CoverLoading
	CoverComplete
	CoverForbidden
	CoverNotServed // the hub does not know the kind
	CoverFailed
)

// String returns the words for the screen.
func (c CoverState) String() string {
	//exhaustive:enforce
	switch c {
	case CoverNotAsked:
		return "not looked at"
	case CoverLoading:
		return "loading"
	case CoverComplete:
		return "complete"
	case CoverForbidden:
		return "not permitted"
	case CoverNotServed:
		return "not served"
	case CoverFailed:
		return "failed"
	}
	return "unknown"
}

// Coverage is what is known of a set.
type Coverage struct {
	State CoverState
	N     int  // objects so far, while loading
	Why   Text // forbidden and failed: the hub's words
}
