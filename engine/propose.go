package engine

import (
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// Propose decides whether an act on a run is possible, for every key, menu and
// command, and returns the Intent with everything that must be shown before it
// is confirmed. If the act is not possible, the Refusal has the reason and the
// Intent is zero. now is the hub's time; the kubectl command of an approval
// contains it.
func Propose(s *Snapshot, act Act, run ID, now time.Time) (Intent, Refusal) {
	v, r := proposable(s, act, run)
	if r.Refused() {
		return Intent{}, r
	}
	var i Intent
	switch act {
	case ActApprove:
		i, r = proposeApprove(s, v, now)
	case ActRun:
		i, r = proposeRun(s, v, now)
	case ActStop:
		i, r = proposeStop(s, v)
	case ActClone:
		i, r = proposeClone(s, v, Choice{})
	case ActDelete:
		i = proposeDelete(s, v)
	case ActNone:
	}
	return protect(s, i), r
}

// proposable refuses what is not possible whatever the phase of the run.
func proposable(s *Snapshot, act Act, run ID) (*RunView, Refusal) {
	if s == nil {
		return nil, Refusal{Why: Lit("not loaded yet"), Hint: Lit("wait until it is loaded")}
	}
	v := s.Find(run)
	if v == nil {
		return nil, gone(s, run)
	}
	if !s.WritesOff.IsZero() {
		return nil, Refusal{Why: s.WritesOff, Hint: writesHint(s)}
	}
	if act == ActNone || act > ActDelete {
		return nil, Refusal{Why: Lit("unknown act")}
	}
	if r := actable(v, act); r.Refused() {
		return nil, r
	}
	return v, allowed(s, act, run)
}

// protect makes the intent require the context's name in a protected context
// (docs/architecture.md#writes).
func protect(s *Snapshot, i Intent) Intent {
	if s.Hub.Protected && i.Act != ActNone {
		i.Protected, i.Confirm = true, s.Hub.Context
	}
	return i
}

func gone(s *Snapshot, run ID) Refusal {
	for _, v := range s.Runs {
		if v.ID.SameName(run) {
			return Refusal{
				Why:  Textf("%s was deleted and created again", run.Title()),
				Hint: Lit("go back to the list and select it again"),
			}
		}
	}
	if run.IsZero() {
		return Refusal{Why: Lit("no run is selected")}
	}
	return Refusal{Why: Textf("%s was deleted", run.Title()), Hint: Lit("go back to the list")}
}

func writesHint(s *Snapshot) Text {
	switch s.Link.State {
	case LinkLive:
		return Text{}
	case LinkLoading:
		return Lit("wait until everything is loaded")
	case LinkRefused:
		return s.Link.Hint
	default:
		return Lit("wait until the header says live")
	}
}

// actable refuses what the act cannot move.
func actable(v *RunView, act Act) Refusal {
	switch {
	case v.Word == WordNoRun && act == ActClone:
		return Refusal{}
	case v.Word == WordNoRun:
		return Refusal{Why: Lit("this is a placement without a run"), Hint: Lit("C creates a run of it")}
	case v.Word == WordUnreadable:
		return Refusal{Why: Lit("the run cannot be decoded"), Hint: Lit("look at it with kubectl")}
	case v.Partial:
		return Refusal{Why: Lit("the details of this run are still loading"), Hint: Lit("wait until it is loaded")}
	case act == ActClone:
		return Refusal{}
	case v.Word == WordDeleting:
		return Refusal{Why: Lit("the run is being deleted")}
	case act == ActDelete:
		return Refusal{}
	case v.Word == WordDone:
		return Refusal{Why: Lit("the run is done"), Hint: Lit("C clones it into a new run")}
	case v.Terminal:
		return Refusal{Why: Lit("the run has failed permanently"), Hint: Lit("C clones it into a new run")}
	}
	return Refusal{}
}

// seen notes in the intent what the person saw of the run.
func (i *Intent) seen(v *RunView) {
	i.Run, i.Target = v.ID, v.ID
	i.seenGeneration, i.seenVersion = v.Generation, v.ResourceVersion.Value()
	i.seenState, i.seenPlacement = v.State.String(), v.PlacementRaw.Value()
	i.Object = Textf("%s %s, generation %d", v.ID.Kind(), v.ID.Title(), v.Generation)
	i.Confirm = v.ID.Name()
	if v.Word == WordNotObserved {
		i.Warn = append(i.Warn, Lit("The controller has not observed the last change yet."))
	}
}

func proposeRun(s *Snapshot, v *RunView, now time.Time) (Intent, Refusal) {
	switch v.State.String() {
	case string(placement.StateRun):
		return Intent{}, Refusal{Why: Lit("its state is already Run"), Hint: needed(v)}
	case "":
		return Intent{}, Refusal{Why: Lit("runs on this hub have no spec.state: they start automatically"), Hint: needed(v)}
	case string(placement.StateInitialize), string(placement.StateStop):
	default:
		return Intent{}, Refusal{Why: Textf("its state %s is of an older version of the hub", v.State), Hint: Lit("create a new run")}
	}
	if v.Word == WordPending || v.Word == WordNotObserved && len(v.Stages) == 0 {
		return Intent{}, Refusal{Why: Lit("the run is not initialized yet"), Hint: Lit("wait until it is READY")}
	}
	i := Intent{Act: ActRun, wantState: string(placement.StateRun)}
	i.seen(v)
	i.Title = Textf("Run %s", v.ID.Title())
	if v.StopWanted {
		i.Title = Textf("Resume %s", v.ID.Title())
	}
	i.Effect = runEffect(v, now)
	i.Warn = append(i.Warn, runWarnings(s, v)...)
	i.Undo = Lit("Stop prevents further clusters from starting; started clusters keep the new version.")
	i.Twin = stateTwin(s, v.ID, i.wantState)
	return i, Refusal{}
}

func proposeStop(s *Snapshot, v *RunView) (Intent, Refusal) {
	switch v.State.String() {
	case string(placement.StateStop):
		if v.Word == WordStopped {
			return Intent{}, Refusal{Why: Lit("it is already stopped"), Hint: Lit("R resumes it")}
		}
		return Intent{}, Refusal{Why: Lit("it is already stopping"), Hint: Lit("updating clusters finish first")}
	case string(placement.StateInitialize):
		return Intent{}, Refusal{Why: Lit("it is not started; the API server rejects Stop for a run in state Initialize"), Hint: Lit("a run that is not started changes nothing")}
	case "":
		return Intent{}, Refusal{Why: Lit("runs on this hub have no spec.state: they cannot be stopped"), Hint: Lit("deleting the run ends it")}
	case string(placement.StateRun):
	default:
		return Intent{}, Refusal{Why: Textf("its state %s is of an older version of the hub", v.State), Hint: Lit("deleting the run ends it")}
	}
	i := Intent{Act: ActStop, wantState: string(placement.StateStop)}
	i.seen(v)
	i.Title = Textf("Stop %s", v.ID.Title())
	i.Effect = stopEffect(v)
	i.Warn = append(i.Warn, stopWarnings(v)...)
	i.Undo = Lit("Run resumes it where it stopped.")
	i.Twin = stateTwin(s, v.ID, i.wantState)
	return i, Refusal{}
}

func proposeApprove(s *Snapshot, v *RunView, now time.Time) (Intent, Refusal) {
	g, r := approvable(v, now)
	if r.Refused() {
		return Intent{}, r
	}
	stage := v.Current()
	i := Intent{Act: ActApprove, Irreversible: true}
	i.seen(v)
	i.Target = g.Request
	i.seenGeneration, i.seenVersion = g.Generation, g.Seen.ResourceVersion.Value()
	i.stage = g.Seen.Stage.Value()
	i.repair = g.State == GateNotAccepted
	i.Title = Textf("Approve %s, %s %s", v.ID.Title(), BeforeAfter(g), StageName(stage))
	i.Object = Textf("%s %s, generation %d", g.Request.Kind(), g.Request.Title(), g.Generation)
	i.Confirm = stage.Name
	i.Effect = approveEffect(v, g, now)
	if i.repair {
		i.Warn = append(i.Warn, Textf("The earlier approval is ignored: it has observedGeneration %d, the request has generation %d. This approves it again.", g.Sent, g.Generation))
	}
	i.Warn = append(i.Warn, approveWarnings(s, v)...)
	i.Undo = Lit("An approval cannot be undone. Stop prevents further clusters from starting.")
	i.Twin = approveTwin(s, g, now)
	return i, Refusal{}
}

// approvable picks the gate of the current stage that an approval would open:
// one that was approved wrongly, else one that is open.
func approvable(v *RunView, now time.Time) (*GateView, Refusal) {
	g := v.Gate(GateNotAccepted)
	if g == nil {
		g = v.Gate(GateOpen)
	}
	if g == nil {
		return nil, notOpen(v, now)
	}
	if g.Seen != nil && g.Seen.Foreign {
		return nil, Refusal{
			Why:  Textf("approval request %s is for another run or stage: the run will fail", g.Name),
			Hint: Lit("delete that request; the controller creates a new one"),
		}
	}
	if g.Request.IsZero() || g.Seen == nil {
		return nil, Refusal{
			Why:  Textf("approval request %s not found", g.Name),
			Hint: Lit("the controller creates a missing request while the run's state is Run"),
		}
	}
	return g, Refusal{}
}

// notOpen says why there is nothing to approve now, and what comes.
func notOpen(v *RunView, now time.Time) Refusal {
	if g := v.Gate(GateSent); g != nil {
		return Refusal{
			Why:  Textf("it was approved at %s; the controller has not accepted it yet", Clock(g.Since, now)),
			Hint: acceptHint(v),
		}
	}
	if v.Word == WordWaiting {
		return Refusal{
			Why:  Textf("%s is in a timed wait", StageName(v.Current())),
			Hint: Textf("it continues automatically at %s", Clock(v.Until, now)),
		}
	}
	if v.Word == WordPending || len(v.Stages) == 0 {
		return Refusal{Why: Lit("the run is not initialized yet"), Hint: Lit("wait until it is loaded")}
	}
	from := max(v.At, 0)
	for i := from; i < len(v.Stages); i++ {
		s := &v.Stages[i]
		for g := range s.Gates() {
			if !g.Timed && g.State == GateComing {
				return Refusal{
					Why:  Lit("no approval is pending"),
					Hint: Textf("the next one is %s %s", BeforeAfter(g), StageName(s)),
				}
			}
		}
	}
	return Refusal{Why: Lit("no approval is pending or ahead"), Hint: needed(v)}
}

// needed returns the next step of a run that needs attention.
func needed(v *RunView) Text {
	if v.NeedsAttention() {
		return v.Why.Next
	}
	return Text{}
}

func acceptHint(v *RunView) Text {
	if v.State.String() != string(placement.StateRun) && !v.State.IsZero() {
		return Lit("the controller accepts it when the run continues")
	}
	return Lit("wait until it is loaded")
}
