package engine

import (
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

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

// Foreign reports whether a request of the gate's name exists that is for another run or stage.
func (g *GateView) Foreign() bool { return g.Seen != nil && g.Seen.Foreign }

// AcceptedWhen says when the controller accepts a stage's approval that a person approved: "when
// the run is resumed", or when it reaches the stage. It is empty where it accepts it now.
func (v *RunView) AcceptedWhen(s *StageView, g *GateView) Text {
	var when []Text
	switch v.State.String() {
	case string(placement.StateStop):
		when = append(when, Lit("the run is resumed"))
	case string(placement.StateInitialize):
		when = append(when, Lit("the run is started"))
	}
	switch {
	case v.Reached(s, g):
	case g.Before && len(when) > 0:
		when = append(when, Textf("reaches %s", StageName(s)))
	case g.Before:
		when = append(when, Textf("the run reaches %s", StageName(s)))
	default:
		when = append(when, Textf("the clusters of %s are done", StageName(s)))
	}
	if len(when) == 0 {
		return Text{}
	}
	return Textf("when %s", Join(when, " and "))
}

// Reached reports whether the run has reached a gate of a stage.
func (v *RunView) Reached(s *StageView, g *GateView) bool {
	return s == v.Current() && (g.Before || s.Done == s.Total)
}

// SentGate returns the approval that is approved, not accepted, and that the run has reached; nil for none.
func (v *RunView) SentGate() *GateView {
	if s := v.Current(); s != nil {
		for g := range s.Gates() {
			if g.State == GateSent && v.Reached(s, g) {
				return g
			}
		}
	}
	return nil
}

// ForeignGate returns the first approval that the run has not passed and whose request is for
// another run or stage, with its stage: the run fails when it reaches it. Nil for none.
func (v *RunView) ForeignGate() (*StageView, *GateView) {
	if v.Over() {
		return nil, nil
	}
	for i := range v.Stages {
		for g := range v.Stages[i].Gates() {
			if g.Foreign() && (g.State == GateComing || g.State == GateOpen) {
				return &v.Stages[i], g
			}
		}
	}
	return nil, nil
}

// ForeignSays says what the request of a gate that is for another run or stage does to the run.
func (v *RunView) ForeignSays(s *StageView, g *GateView) Text {
	fails := Lit("the run will fail")
	if !v.Reached(s, g) {
		fails = Textf("the run fails when it reaches the approval %s %s", BeforeAfter(g), StageName(s))
	}
	return Textf("approval request %s is for another run or stage: %s, unless the request is deleted", g.Name, fails)
}

// OutlivedApproval is an approved request whose run does not exist: a new run of that name
// passes the gate without asking (docs/kubefleet.md#approval). Its ID has the scope.
type OutlivedApproval struct {
	Request    ID
	Run, Stage Raw
}
