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
	CoverTruncated // a bound was reached: N objects were read, there are more
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
	case CoverTruncated:
		return "truncated"
	}
	return "unknown"
}

// Coverage is what is known of a set.
type Coverage struct {
	State CoverState
	N     int  // objects so far, while loading; objects that were read, if truncated
	Why   Text // forbidden and failed: the hub's words
	Named bool // of runs that are loading: all their names are known
}

// Truncated says where a set was cut off.
func (c Coverage) Truncated() Text { return Textf("truncated at %d objects", c.N) }

// RunKind returns the kind of run of an object's scope.
func RunKind(k Kind) Kind { return k.InScope(KindClusterStagedUpdateRun, KindStagedUpdateRun) }

// IsRun reports whether the kind is one of the two kinds of run.
func IsRun(k Kind) bool { return k == KindClusterStagedUpdateRun || k == KindStagedUpdateRun }

// Settled reports whether asking for the set again and again would bring no
// more than there is: it is complete, or it is known why there is nothing.
func (c CoverState) Settled() bool {
	return c == CoverComplete || c == CoverForbidden || c == CoverNotServed
}

// RunSet is a requested set of runs: those of the cluster scope, of one namespace, or of all.
type RunSet struct {
	ID    ID // has the kind and the namespace; no namespace means all of them
	State CoverState
	Named bool // that of its Coverage
}

// Gap is something that could not be read.
type Gap struct {
	// What names the objects.
	What Text
	// Why is the hub's answer, or why there was none.
	Why Text
	// Forbidden is true when the hub refused: the controller may read it.
	Forbidden bool
	// Pending means that it may still arrive.
	Pending bool
}
