package engine

import "time"

// Mergeable reports whether a merge patch of the request's conditions, which
// replaces them all, would lose none but Approved (docs/kubefleet.md#approval).
func (g *GateView) Mergeable() bool {
	seen := g.Seen
	return seen != nil && (seen.Conditions == 0 || seen.Conditions == 1 && seen.Approved == 0)
}

// Deleting reports whether the request is being deleted: it cannot be approved any more.
func (g *GateView) Deleting() bool { return g.Seen != nil && !g.Seen.Deleting.IsZero() }

// DeletionSays says that the request is being deleted, and which finalizers block that.
func (g *GateView) DeletionSays(now time.Time) Text {
	says := Textf("approval request %s is being deleted (requested at %s)", g.Name, Clock(g.Seen.Deleting, now))
	switch names := g.Seen.Finalizers; len(names) {
	case 0:
		return says
	case 1:
		return Textf("%s; finalizer %q blocks the deletion", says, names[0])
	default:
		return Textf("%s; finalizers %s block the deletion", says, Enumerate(names, 3))
	}
}

// Foreign reports whether a request of the gate's name exists that is for
// another run or stage.
func (g *GateView) Foreign() bool { return g.Seen != nil && g.Seen.Foreign }
