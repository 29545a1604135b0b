package engine

import (
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// ReactWithin is how long the controller may take to react to a change: it
// watches runs and approval requests and answers within a second
// (docs/kubefleet.md#approval, #observed).
const ReactWithin = NotObservedAfter

// Followed is what became of an Intent after the hub took it, as far as the
// streams have shown it.
type Followed struct {
	What Text
	Role Role
	// Waits is set while the controller has not reacted.
	Waits bool
	// Late says that it has not for too long, and what to look at; empty
	// otherwise.
	Late Text
}

// Follow returns how far the hub's controller has processed an act. now is the
// hub's time. It returns nothing for an act that was not applied; for an
// unknown outcome it returns what the streams show.
func Follow(s *Snapshot, o Outcome, now time.Time) Followed {
	if s == nil || o.Result != ResultApplied && o.Result != ResultUnknown {
		return Followed{}
	}
	f := follow(s, &o)
	if silent := now.Sub(o.At); f.Waits && !o.At.IsZero() && silent >= ReactWithin {
		f.Role = RoleBad
		f.Late = Textf("No reaction for %s. Check that the hub agent runs: look for other runs in NOT OBSERVED and for old heartbeats.", Span(silent))
		if s.Link.State != LinkLive {
			f.Late = Textf("No reaction for %s, but the data is not live.", Span(silent))
		}
	}
	return f
}

func follow(s *Snapshot, o *Outcome) Followed {
	i := &o.Intent
	run := i.Run
	if i.Act == ActClone {
		run = o.Made
	}
	if i.Act == ActRaise || i.Act == ActNone || run.IsZero() {
		return Followed{}
	}
	v := s.Find(run)
	switch {
	case v == nil && i.Act == ActDelete:
		return Followed{What: Lit("it is deleted"), Role: RoleGood}
	case v == nil && i.Act == ActClone:
		return Followed{What: Lit("the new run is not listed yet"), Role: RoleWait, Waits: true}
	case v == nil:
		return Followed{What: Lit("the run is no longer listed"), Role: RoleWait}
	case i.Act == ActApprove:
		return followApproval(v, i)
	case i.Act == ActDelete && v.Word == WordDeleting:
		return Followed{What: Lit("the controller deletes its approval requests, then the run"), Role: RoleWait, Waits: true}
	case i.Act == ActDelete, i.wantState != "" && i.Act != ActClone && v.State.String() != i.wantState:
		return unseen
	case v.Observed < v.Generation:
		return Followed{What: Textf("the controller has not observed the change yet: observedGeneration %d of %d", v.Observed, v.Generation), Role: RoleWait, Waits: true}
	}
	return followRun(s, v, i.Act)
}

var unseen = Followed{What: Lit("the watch has not returned the change yet"), Role: RoleWait, Waits: true}

// followRun tells how a run goes on whose change the controller has seen.
func followRun(s *Snapshot, v *RunView, act Act) Followed {
	switch v.Word {
	case WordStopping:
		return stopping(s, v)
	case WordStuck: // it is STUCK also while stopping
		if v.StopWanted {
			return stopping(s, v)
		}
	case WordStopped:
		return Followed{What: Lit("stopped; no cluster is updating"), Role: RoleGood}
	case WordInitFailed, WordFailed, WordPreempted:
		return Followed{What: v.Why.What, Role: RoleBad}
	case WordPending:
		return Followed{What: Lit("the controller has not initialized it yet"), Role: RoleWait, Waits: true}
	}
	if act == ActClone {
		return Followed{What: Lit("initialized by the controller"), Role: RoleGood}
	}
	return Followed{What: Textf("observed by the controller: observedGeneration %d", v.Observed), Role: RoleGood}
}

// stopping names what a run that stops still waits for.
func stopping(s *Snapshot, v *RunView) Followed {
	flying := Textf("%s updating", Count(v.Updating+v.Stuck, "cluster"))
	if names := inFlight(s, v); len(names) > 0 {
		flying = Textf("updating: %s", Join(names, ", "))
	}
	switch {
	case v.Stuck == 1:
		return Followed{What: Textf("stopping; %s; 1 is stuck and keeps the run from stopping", flying), Role: RoleBad}
	case v.Stuck > 1:
		return Followed{What: Textf("stopping; %s; %d are stuck and keep the run from stopping", flying, v.Stuck), Role: RoleBad}
	}
	return Followed{What: Textf("stopping; %s", flying), Role: RoleBusy}
}

// inFlightNames is how many clusters are named.
const inFlightNames = 6

// inFlight names the clusters of the opened run that are updating; none where
// the run is not opened.
func inFlight(s *Snapshot, v *RunView) []Text {
	d := s.Detail
	if d == nil || d.Run == nil || d.Run.ID != v.ID {
		return nil
	}
	var out []Text
	more := 0
	for _, stage := range d.Clusters {
		for i := range stage {
			switch stage[i].State {
			case ClusterUpdating, ClusterSlow, ClusterStuck, ClusterRemoving:
				if len(out) == inFlightNames {
					more++
					continue
				}
				out = append(out, stage[i].Name)
			default:
			}
		}
	}
	if more > 0 {
		out = append(out, Textf("%d more", more))
	}
	return out
}

// followApproval tells how far an approval has come
// (docs/kubefleet.md#approval).
func followApproval(v *RunView, i *Intent) Followed {
	for j := range v.Stages {
		for g := range v.Stages[j].Gates() {
			if g.Request == i.Target {
				return followGate(v, g)
			}
		}
	}
	return Followed{What: Lit("the approval request is no longer listed"), Role: RoleWait}
}

func followGate(v *RunView, g *GateView) Followed {
	switch g.State {
	case GatePassed:
		return Followed{What: Lit("accepted by the controller"), Role: RoleGood}
	case GateSent:
		if v.State.String() != string(placement.StateRun) && !v.State.IsZero() {
			return Followed{What: Lit("written; the controller accepts it when the run continues"), Role: RoleWait}
		}
		return Followed{What: Lit("written; the controller has not accepted it yet"), Role: RoleWait, Waits: true}
	case GateNotAccepted:
		return Followed{What: Lit("ignored: the request has another generation"), Role: RoleBad, Waits: true}
	case GateOpen:
		return unseen
	case GateComing, GateRunning, GateSkipped:
	}
	return Followed{What: Clean(g.State.String()), Role: RoleWait}
}
