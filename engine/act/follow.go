package act

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// reactWithin is how long the controller may take to react to a change: it
// watches runs and approval requests and answers within a second
// (docs/kubefleet.md#approval, #observed).
const reactWithin = engine.NotObservedAfter

// Followed is what became of an Intent after the hub took it, as far as the
// streams have shown it.
type Followed struct {
	What engine.Text
	Role engine.Role
	// Waits is set while the controller has not reacted.
	Waits bool
	// Late says that it has not for too long, and what to look at; empty
	// otherwise.
	Late engine.Text
}

// Follow returns how far the hub's controller has processed an act. now is the
// hub's time. It returns nothing for an act that was not applied; for an
// unknown outcome it returns what the streams show.
func Follow(s *engine.Snapshot, o Outcome, now time.Time) Followed {
	if s == nil || o.Result != ResultApplied && o.Result != ResultUnknown {
		return Followed{}
	}
	f := follow(s, &o)
	if silent := now.Sub(o.At); f.Waits && !o.At.IsZero() && silent >= reactWithin {
		f.Role = engine.RoleBad
		f.Late = engine.Textf("No reaction for %s. Check that the hub agent is running: look for other runs in NOT OBSERVED and for old heartbeats.", engine.Span(silent))
		if s.Link.State != engine.LinkLive {
			f.Late = engine.Textf("No reaction for %s, but the data is not live.", engine.Span(silent))
		}
	}
	return f
}

func follow(s *engine.Snapshot, o *Outcome) Followed {
	i := &o.Intent
	run := i.Run
	if i.Act == engine.ActClone {
		run = o.Made
	}
	if i.Act == engine.ActRaise || i.Act == engine.ActNone || run.IsZero() {
		return Followed{}
	}
	v := s.Find(run)
	switch {
	case v == nil && i.Act == engine.ActDelete:
		return Followed{What: engine.Lit("it is deleted"), Role: engine.RoleGood}
	case v == nil && i.Act == engine.ActClone:
		return Followed{What: engine.Lit("the new run is not listed yet"), Role: engine.RoleWait, Waits: true}
	case v == nil:
		return Followed{What: engine.Lit("the run is no longer listed"), Role: engine.RoleWait}
	case i.Act == engine.ActApprove:
		return followApproval(v, i)
	case i.Act == engine.ActDelete && v.Word == engine.WordDeleting:
		return Followed{What: engine.Lit("the controller deletes its approval requests, then the run"), Role: engine.RoleWait, Waits: true}
	case i.Act == engine.ActDelete, i.wantState != "" && i.Act != engine.ActClone && v.State.String() != i.wantState:
		return unseen
	case v.Observed < v.Generation:
		return Followed{What: engine.Textf("the controller has not observed the change yet: observedGeneration %d of %d", v.Observed, v.Generation), Role: engine.RoleWait, Waits: true}
	}
	return followRun(s, v, i.Act)
}

var unseen = Followed{What: engine.Lit("the watch has not returned the change yet"), Role: engine.RoleWait, Waits: true}

// followRun says how a run goes on whose change the controller has seen.
func followRun(s *engine.Snapshot, v *engine.RunView, act engine.Act) Followed {
	switch v.Word {
	case engine.WordStopping:
		return stopping(s, v)
	case engine.WordStuck: // it is STUCK also while stopping
		if v.StopWanted {
			return stopping(s, v)
		}
	case engine.WordStopped:
		return Followed{What: engine.Lit("stopped; no cluster is updating"), Role: engine.RoleGood}
	case engine.WordInitFailed, engine.WordFailed, engine.WordPreempted:
		return Followed{What: v.Why.What, Role: engine.RoleBad}
	case engine.WordPending:
		return Followed{What: engine.Lit("the controller has not initialized it yet"), Role: engine.RoleWait, Waits: true}
	}
	if act == engine.ActClone {
		return Followed{What: engine.Lit("initialized by the controller"), Role: engine.RoleGood}
	}
	return Followed{What: engine.Textf("observed by the controller: observedGeneration %d", v.Observed), Role: engine.RoleGood}
}

// stopping names what a run that stops still waits for.
func stopping(s *engine.Snapshot, v *engine.RunView) Followed {
	flying := engine.Textf("%s updating", engine.Count(v.Updating+v.Stuck, "cluster"))
	if names := updatingClusters(s, v); len(names) > 0 {
		flying = engine.Textf("updating: %s", engine.Join(names, ", "))
	}
	if current := v.Current(); current != nil && current.Deletion {
		flying = engine.Textf("resources are deleted from %s", engine.Count(v.Updating+v.Stuck, "cluster"))
	}
	switch {
	case v.Stuck == 1:
		return Followed{What: engine.Textf("stopping; %s; 1 is stuck and keeps the run from stopping", flying), Role: engine.RoleBad}
	case v.Stuck > 1:
		return Followed{What: engine.Textf("stopping; %s; %d are stuck and keep the run from stopping", flying, v.Stuck), Role: engine.RoleBad}
	}
	return Followed{What: engine.Textf("stopping; %s", flying), Role: engine.RoleBusy}
}

// updatingNames is how many clusters are named.
const updatingNames = 6

// updatingClusters names the clusters of the opened run that are updating; none where
// the run is not opened.
func updatingClusters(s *engine.Snapshot, v *engine.RunView) []engine.Text {
	d := s.Detail
	if d == nil || d.Run == nil || d.Run.ID != v.ID {
		return nil
	}
	var out []engine.Text
	more := 0
	for _, stage := range d.Clusters {
		for i := range stage {
			switch stage[i].State {
			case engine.ClusterUpdating, engine.ClusterSlow, engine.ClusterStuck, engine.ClusterDeleting:
				if len(out) == updatingNames {
					more++
					continue
				}
				out = append(out, stage[i].Name)
			default:
			}
		}
	}
	if more > 0 {
		out = append(out, engine.Textf("%d more", more))
	}
	return out
}

// followApproval says how far an approval has come
// (docs/kubefleet.md#approval).
func followApproval(v *engine.RunView, i *Intent) Followed {
	for j := range v.Stages {
		for g := range v.Stages[j].Gates() {
			if g.Request == i.Target {
				return followGate(v, &v.Stages[j], g)
			}
		}
	}
	return Followed{What: engine.Lit("the approval request is no longer listed"), Role: engine.RoleWait}
}

func followGate(v *engine.RunView, s *engine.StageView, g *engine.GateView) Followed {
	switch g.State {
	case engine.GatePassed:
		return Followed{What: engine.Lit("accepted by the controller"), Role: engine.RoleGood}
	case engine.GateSent:
		if when := v.AcceptedWhen(s, g); !when.IsZero() {
			return Followed{What: engine.Textf("written; the controller accepts it %s", when), Role: engine.RoleWait}
		}
		return Followed{What: engine.Lit("written; the controller has not accepted it yet"), Role: engine.RoleWait, Waits: true}
	case engine.GateNotAccepted:
		return Followed{What: engine.Lit("ignored: the request has another generation"), Role: engine.RoleBad, Waits: true}
	case engine.GateOpen:
		return unseen
	case engine.GateComing, engine.GateRunning, engine.GateSkipped:
	}
	return Followed{What: engine.Clean(g.State.String()), Role: engine.RoleWait}
}
