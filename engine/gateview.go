package engine

// Mergeable reports whether a merge patch of the request's conditions, which
// replaces them all, would lose none but Approved (docs/kubefleet.md#approval).
func (g *GateView) Mergeable() bool {
	seen := g.Seen
	return seen != nil && (seen.Conditions == 0 || seen.Conditions == 1 && seen.Approved == 0)
}

// Foreign reports whether a request of the gate's name exists that is for
// another run or stage.
func (g *GateView) Foreign() bool { return g.Seen != nil && g.Seen.Foreign }
