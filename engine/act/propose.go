package act

import (
	"cmp"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// Propose decides whether an act on a run is possible, for every key, menu and
// command, and returns the Intent with everything that must be shown before it
// is confirmed. If the act is not possible, the Refusal has the reason and the
// Intent is zero. now is the hub's time; the kubectl command of an approval
// contains it.
func Propose(s *engine.Snapshot, act engine.Act, run engine.ID, now time.Time) (Intent, engine.Refusal) {
	v, r := proposable(s, act, run)
	if r.Refused() {
		return Intent{}, r
	}
	var i Intent
	switch act {
	case engine.ActApprove:
		i, r = proposeApprove(s, v, now)
	case engine.ActRun:
		i, r = proposeRun(s, v, now)
	case engine.ActStop:
		i, r = proposeStop(s, v)
	case engine.ActClone:
		i, r = proposeClone(s, v, Choice{})
	case engine.ActDelete:
		i = proposeDelete(s, v)
	case engine.ActNone:
	}
	return protect(s, i), r
}

// proposable refuses what is not possible whatever the phase of the run.
func proposable(s *engine.Snapshot, act engine.Act, run engine.ID) (*engine.RunView, engine.Refusal) {
	if s == nil {
		return nil, engine.Refusal{Why: engine.Lit("not loaded yet"), Hint: engine.Lit("wait until it is loaded")}
	}
	v := s.Find(run)
	if v == nil {
		return nil, gone(s, run)
	}
	if !s.WritesOff.IsZero() {
		return nil, engine.Refusal{Why: s.WritesOff, Hint: writesHint(s)}
	}
	if act == engine.ActNone || act > engine.ActDelete {
		return nil, engine.Refusal{Why: engine.Lit("unknown act")}
	}
	if r := actable(v, act); r.Refused() {
		return nil, r
	}
	return v, engine.Allowed(s, act, run)
}

// protect makes the intent require the context's name in a protected context
// (docs/architecture.md#writes).
func protect(s *engine.Snapshot, i Intent) Intent {
	if s.Hub.Protected && i.Act != engine.ActNone {
		i.Protected, i.Confirm = true, s.Hub.Context
	}
	return i
}

func gone(s *engine.Snapshot, run engine.ID) engine.Refusal {
	for _, v := range s.Runs {
		if v.ID.SameName(run) {
			return engine.Refusal{
				Why:  engine.Textf("%s was deleted and created again", run.Title()),
				Hint: engine.Lit("go back to the list and select it again"),
			}
		}
	}
	if run.IsZero() {
		return engine.Refusal{Why: engine.Lit("no run is selected")}
	}
	return engine.Refusal{Why: engine.Textf("%s was deleted", run.Title()), Hint: engine.Lit("go back to the list")}
}

func writesHint(s *engine.Snapshot) engine.Text {
	switch s.Link.State {
	case engine.LinkLive:
		return engine.Text{}
	case engine.LinkLoading:
		return engine.Lit("wait until everything is loaded")
	case engine.LinkRefused:
		return s.Link.Hint
	default:
		return engine.Lit("wait until the connection is live")
	}
}

// actable refuses what the act cannot move.
func actable(v *engine.RunView, act engine.Act) engine.Refusal {
	switch {
	case v.Word == engine.WordNoRun && act == engine.ActClone:
		return engine.Refusal{}
	case v.Word == engine.WordNoRun:
		return engine.Refusal{Why: engine.Lit("the placement has no run"), Hint: engine.Lit("create a run with clone")}
	case v.Word == engine.WordUnreadable:
		return engine.Refusal{Why: engine.Lit("the run cannot be decoded"), Hint: engine.Lit("look at it with kubectl")}
	case v.Partial:
		return engine.Refusal{Why: engine.Lit("the details of this run are still loading"), Hint: engine.Lit("wait until it is loaded")}
	case act == engine.ActClone:
		return engine.Refusal{}
	case v.Word == engine.WordDeleting:
		return engine.Refusal{Why: engine.Lit("the run is being deleted")}
	case act == engine.ActDelete:
		return engine.Refusal{}
	case v.Word == engine.WordDone:
		return engine.Refusal{Why: engine.Lit("the run is done"), Hint: engine.Lit("clone it into a new run")}
	case v.Terminal:
		return engine.Refusal{Why: engine.Lit("the run has failed permanently"), Hint: engine.Lit("clone it into a new run")}
	}
	return engine.Refusal{}
}

// seen notes in the intent what the person saw of the run.
func (i *Intent) seen(v *engine.RunView) {
	i.Run, i.Target = v.ID, v.ID
	i.seenGeneration, i.seenVersion = v.Generation, v.ResourceVersion.Value()
	i.seenState, i.seenPlacement = v.State.String(), v.PlacementRaw.Value()
	i.Object = engine.Textf("%s %s, generation %d", v.ID.Kind(), v.ID.Title(), v.Generation)
	i.Confirm = v.ID.Name()
	if v.Word == engine.WordNotObserved {
		i.Warn = append(i.Warn, engine.Lit("The controller has not observed the last change yet."))
	}
}

func proposeRun(s *engine.Snapshot, v *engine.RunView, now time.Time) (Intent, engine.Refusal) {
	switch v.State.String() {
	case string(placement.StateRun):
		return Intent{}, engine.Refusal{Why: engine.Lit("its state is already Run"), Hint: needed(v)}
	case "":
		return Intent{}, engine.Refusal{Why: engine.Lit("runs on this hub have no spec.state: they start automatically"), Hint: needed(v)}
	case string(placement.StateInitialize), string(placement.StateStop):
	default:
		return Intent{}, engine.Refusal{Why: engine.Textf("state %s belongs to an older API version", v.State), Hint: engine.Lit("create a new run")}
	}
	if v.Word == engine.WordPending || v.Word == engine.WordNotObserved && len(v.Stages) == 0 {
		return Intent{}, engine.Refusal{Why: engine.Lit("the run is not initialized yet"), Hint: engine.Lit("wait until it is READY")}
	}
	i := Intent{Act: engine.ActRun, wantState: string(placement.StateRun)}
	i.seen(v)
	i.Title = engine.Textf("Run %s", v.ID.Title())
	if v.StopWanted {
		i.Title = engine.Textf("Resume %s", v.ID.Title())
	}
	i.Effect = runEffect(v, now)
	i.Warn = append(i.Warn, runWarnings(s, v)...)
	i.Undo = engine.Textf("Stop the run: no new cluster is started. Started clusters keep snapshot %s.", engine.OrUnknown(v.Index))
	if v.ReportDiff {
		i.Undo = engine.Lit("Stop the run: no new cluster is started.")
	}
	i.Kubectl = stateCommand(s, v.ID, i.wantState)
	return i, engine.Refusal{}
}

// stopHint says what a run that is already stopping waits for.
func stopHint(v *engine.RunView) engine.Text {
	s := v.Current()
	switch {
	case s != nil && s.Deletion && len(s.Coming) > 0:
		return engine.Lit("it stays STOPPING until it is resumed: deletions are left that are not started")
	case s != nil && s.Deletion:
		return engine.Lit("started deletions finish first")
	case v.Updating+v.Stuck == 0:
		return engine.Lit("the controller has not reported it as stopped yet")
	}
	return engine.Lit("updating clusters finish first")
}

func proposeStop(s *engine.Snapshot, v *engine.RunView) (Intent, engine.Refusal) {
	switch v.State.String() {
	case string(placement.StateStop):
		if v.Word == engine.WordStopped {
			return Intent{}, engine.Refusal{Why: engine.Lit("it is already stopped"), Hint: engine.Lit("resume it to continue")}
		}
		return Intent{}, engine.Refusal{Why: engine.Lit("it is already stopping"), Hint: stopHint(v)}
	case string(placement.StateInitialize):
		if !v.Started.IsZero() { // a hub before v0.2 began it, or still does not read the state
			return Intent{}, engine.Refusal{Why: engine.Lit("its state is Initialize; the API server rejects Stop for it"), Hint: engine.Lit("start it and then stop it, or delete it to end it")}
		}
		return Intent{}, engine.Refusal{Why: engine.Lit("it is not started; the API server rejects Stop for a run in state Initialize"), Hint: engine.Lit("a run that is not started changes nothing")}
	case "":
		return Intent{}, engine.Refusal{Why: engine.Lit("runs on this hub have no spec.state: they cannot be stopped"), Hint: engine.Lit("delete the run to end it")}
	case string(placement.StateRun):
	default:
		return Intent{}, engine.Refusal{Why: engine.Textf("state %s belongs to an older API version", v.State), Hint: engine.Lit("delete the run to end it")}
	}
	i := Intent{Act: engine.ActStop, wantState: string(placement.StateStop)}
	i.seen(v)
	i.Title = engine.Textf("Stop %s", v.ID.Title())
	i.Effect = stopEffect(v)
	i.Warn = append(i.Warn, stopWarnings(v)...)
	i.Undo = engine.Lit("Resume the run: it continues where it stopped.")
	if v.Why.Fails {
		i.Undo = engine.Lit("A run that has failed cannot be resumed.")
	}
	i.Kubectl = stateCommand(s, v.ID, i.wantState)
	return i, engine.Refusal{}
}

func proposeApprove(s *engine.Snapshot, v *engine.RunView, now time.Time) (Intent, engine.Refusal) {
	g, r := approvable(v, now)
	if r.Refused() {
		return Intent{}, r
	}
	stage := v.Current()
	i := Intent{Act: engine.ActApprove, Irreversible: true}
	i.seen(v)
	i.Target = g.Request
	i.seenGeneration, i.seenVersion = g.Generation, g.Seen.ResourceVersion.Value()
	i.stage = g.Seen.Stage.Value()
	i.repair = g.State == engine.GateNotAccepted
	i.Title = engine.Textf("Approve %s, %s %s", v.ID.Title(), engine.BeforeAfter(g), engine.StageName(stage))
	i.Object = engine.Textf("%s %s, generation %d", g.Request.Kind(), g.Request.Title(), g.Generation)
	i.Confirm = stage.Name
	i.Effect = ApproveEffect(v, g, now)
	if i.repair {
		i.Warn = append(i.Warn, engine.Textf("The earlier approval is ignored: it has observedGeneration %d, the request has generation %d. This approves it again.", g.Sent, g.Generation))
	}
	if g.Seen != nil && !g.Seen.Rejected.IsZero() {
		i.Warn = append(i.Warn, engine.Textf("The approval was rejected: Approved is False (%s).", g.Seen.Rejected))
	} else if g.Seen != nil && !g.Seen.Undecided.IsZero() {
		i.Warn = append(i.Warn, engine.Textf("Somebody set Approved to Unknown (%s).", g.Seen.Undecided))
	}
	i.Warn = append(i.Warn, ApproveWarnings(s, v)...)
	i.Undo = engine.Lit("An approval cannot be undone. Stop the run: no new cluster is started.")
	switch {
	case InVain(v):
		i.Undo = engine.Lit("An approval cannot be undone.")
	case deferred(v) != nil && !v.Started.IsZero() && !v.StopWanted:
		i.Undo = engine.Lit("An approval cannot be undone.")
	case deferred(v) != nil:
		i.Undo = engine.Lit("An approval cannot be undone. It has no effect until the run continues.")
	}
	i.Kubectl = approveCommand(s, g, now)
	return i, engine.Refusal{}
}

// approvable picks the gate of the current stage that an approval would open:
// one that was approved wrongly, else one that is open.
func approvable(v *engine.RunView, now time.Time) (*engine.GateView, engine.Refusal) {
	g := v.Gate(engine.GateNotAccepted)
	if g == nil {
		g = v.Gate(engine.GateOpen)
	}
	if g == nil {
		return nil, notOpen(v, now)
	}
	if no := ApproveRefusal(g, now); no.Refused() {
		return nil, no
	}
	return g, engine.Refusal{}
}

// Approvable returns the approval of a run that can be given now; nil for none.
func Approvable(v *engine.RunView, now time.Time) *engine.GateView {
	if actable(v, engine.ActApprove).Refused() {
		return nil
	}
	g, _ := approvable(v, now)
	return g
}

// ApproveRefusal says why an approval whose time has come cannot be given; empty when it can.
func ApproveRefusal(g *engine.GateView, now time.Time) engine.Refusal {
	if g.Foreign() {
		return engine.Refusal{
			Why:  engine.Textf("approval request %s is for another run or stage: the run will fail", g.Name),
			Hint: engine.Lit("delete that request; the controller creates a new one"),
		}
	}
	if g.Deleting() {
		hint := engine.Lit("approve the request that the controller then creates (while the run's state is Run)")
		if len(g.Seen.Finalizers) > 0 {
			hint = engine.Textf("check why the controller that set %s has not removed it; if that controller is gone, remove the finalizer; %s", engine.Enumerate(g.Seen.Finalizers, 3), hint)
		}
		return engine.Refusal{Why: g.DeletionSays(now), Hint: hint}
	}
	if !g.Unread.IsZero() {
		return engine.Refusal{
			Why:  engine.Textf("approval request %s is not known: %s", g.Name, g.Unread),
			Hint: engine.Lit("it can be approved once approval requests are read"),
		}
	}
	if g.Request.IsZero() || g.Seen == nil {
		return engine.Refusal{
			Why:  engine.Textf("approval request %s not found", g.Name),
			Hint: engine.Lit("the controller creates a missing request while the run's state is Run"),
		}
	}
	return engine.Refusal{}
}

// notOpen says why there is nothing to approve now, and what comes.
func notOpen(v *engine.RunView, now time.Time) engine.Refusal {
	if g := v.SentGate(); g != nil {
		return alreadyApproved(v, v.Current(), g, now)
	}
	if over := !v.Until.IsZero() && !v.Until.After(now); v.Word == engine.WordWaiting && over {
		return engine.Refusal{
			Why:  engine.Textf("the timed wait of %s ended at %s; the controller has not continued yet", engine.StageName(v.Current()), engine.Clock(v.Until, now)),
			Hint: needed(v),
		}
	}
	if v.Word == engine.WordWaiting {
		return engine.Refusal{
			Why:  engine.Textf("%s is in a timed wait", engine.StageName(v.Current())),
			Hint: engine.Textf("it continues automatically at %s", engine.Clock(v.Until, now)),
		}
	}
	if v.Word == engine.WordPending || len(v.Stages) == 0 {
		return engine.Refusal{Why: engine.Lit("the run is not initialized yet"), Hint: neededOr(v, engine.Lit("the controller normally initializes a run within a second"))}
	}
	from := max(v.At, 0)
	for i := from; i < len(v.Stages); i++ {
		s := &v.Stages[i]
		for g := range s.Gates() {
			if g.State == engine.GateSent {
				return alreadyApproved(v, s, g, now)
			}
			if !g.Timed && g.State == engine.GateComing {
				next := engine.Textf("the next one is %s %s", engine.BeforeAfter(g), engine.StageName(s))
				switch {
				case v.Word == engine.WordReady:
					next = engine.Textf("start the run first; %s", next)
				case v.StopWanted || v.Word == engine.WordStopped:
					next = engine.Textf("resume the run first; %s", next)
				}
				return engine.Refusal{Why: engine.Lit("no approval is open"), Hint: next}
			}
		}
	}
	return engine.Refusal{Why: engine.Lit("no approval is open or ahead"), Hint: needed(v)}
}

// needed returns the next step of a run that needs attention.
func needed(v *engine.RunView) engine.Text {
	if v.NeedsAttention() {
		return v.Why.Next
	}
	return engine.Text{}
}

// neededOr is needed, or a hint for a run that needs no attention.
func neededOr(v *engine.RunView, hint engine.Text) engine.Text { return cmp.Or(needed(v), hint) }

// alreadyApproved says that an approval is given, and when the controller accepts it.
func alreadyApproved(v *engine.RunView, s *engine.StageView, g *engine.GateView, now time.Time) engine.Refusal {
	if when := v.AcceptedWhen(s, g); !when.IsZero() {
		return engine.Refusal{
			Why:  engine.Textf("already approved (%s, at %s)", g.Name, engine.Clock(g.Since, now)),
			Hint: engine.Textf("the approval takes effect %s", when),
		}
	}
	return engine.Refusal{
		Why:  engine.Textf("it was approved at %s; the controller has not accepted it yet", engine.Clock(g.Since, now)),
		Hint: neededOr(v, engine.Lit("the controller normally accepts it within a second")),
	}
}
