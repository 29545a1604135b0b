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

// RunKind returns the kind of run of an object's scope.
func RunKind(k Kind) Kind { return k.Twin(KindClusterStagedUpdateRun, KindStagedUpdateRun) }

// IsRun reports whether the kind is one of the two kinds of run.
func IsRun(k Kind) bool { return k == KindClusterStagedUpdateRun || k == KindStagedUpdateRun }

// Settled reports whether asking for the set again and again would bring no
// more than there is: it is complete, or it is known why there is nothing.
func (c CoverState) Settled() bool {
	return c == CoverComplete || c == CoverForbidden || c == CoverNotServed
}

// Complete reports whether every set that was asked for is whole. A set that
// the hub does not permit or does not serve is outside the scope, and a note
// says so; one that failed is missing.
func (w *World) Complete() bool {
	whole := false
	for _, k := range w.runKinds() {
		c, asked := w.coverOf(k)
		if !asked || !c.Settled() {
			return false
		}
		whole = whole || c != CoverForbidden
	}
	for key, c := range w.Covered {
		if key.Placement.IsZero() && key.Kind != KindMemberCluster && c.State != CoverNotAsked && !c.State.Settled() {
			return false
		}
	}
	for id := range w.Printed {
		if w.Runs[id] == nil && w.Broken[id] == "" {
			return false
		}
	}
	return whole
}

// runKinds returns the kinds of run that are asked for.
func (w *World) runKinds() []Kind {
	var out []Kind
	if w.Settings.ClusterRuns {
		out = append(out, KindClusterStagedUpdateRun)
	}
	if w.Settings.NamespacedRuns {
		out = append(out, KindStagedUpdateRun)
	}
	return out
}

// coverOf returns the state of a kind's set, in whatever namespace it was asked
// for. When there are several the least complete one counts.
func (w *World) coverOf(k Kind) (state CoverState, asked bool) {
	worst := CoverComplete
	for key, c := range w.Covered {
		if key.Kind != k || !key.Placement.IsZero() || c.State == CoverNotAsked {
			continue
		}
		asked = true
		if c.State != CoverComplete {
			worst = c.State
		}
	}
	if !asked {
		return CoverNotAsked, false
	}
	return worst, true
}

// Known reports whether the objects of the kind in the namespace are all
// known.
func (w *World) Known(k Kind, ns string) bool {
	return w.Covered[CoverAll(k)].State == CoverComplete ||
		ns != "" && w.Covered[CoverKey{Kind: k, Namespace: ns}].State == CoverComplete
}
