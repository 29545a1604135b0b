package observe

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// gates makes the views of a stage's tasks on one side. The tasks' status has
// one entry per task; where it is missing the frozen strategy tells what will
// come.
func (r *reader) gates(s *stageRead, before, open bool) []engine.GateView {
	status, config := s.status.AfterStageTaskStatus, []placement.StageTask(nil)
	if before {
		status = s.status.BeforeStageTaskStatus
	}
	if s.config != nil {
		config = s.config.AfterStageTasks
		if before {
			config = s.config.BeforeStageTasks
		}
	}
	if len(status) == 0 {
		for i := range config {
			status = append(status, placement.TaskStatus{Type: config[i].Type})
		}
	}
	if len(status) == 0 {
		return nil
	}
	out := make([]engine.GateView, len(status))
	for i := range status {
		t := &status[i]
		if t.Type == placement.TaskTimedWait {
			out[i] = r.wait(s, t, config, open)
		} else {
			out[i] = r.approval(s, t, open)
		}
		out[i].Before = before
	}
	return out
}

// shut reports whether a gate of the stage will never open: the stage has no
// clusters (docs/kubefleet.md#execute, row 2) or the run has ended.
func (r *reader) shut(s *stageRead) bool {
	return r.terminal || s.succ.Reason == placement.ReasonStageSkipped || len(s.clusters) == 0
}

// wait reads a timed wait. Its end is counted from the stage's Progressing
// condition, again on each pass of the hub (docs/kubefleet.md#execute,
// row 8): an earlier WaitTimeElapsed counts only once the stage is behind
// the run.
func (r *reader) wait(s *stageRead, t *placement.TaskStatus, config []placement.StageTask, open bool) engine.GateView {
	g := engine.GateView{Timed: true}
	for i := range config {
		if config[i].Type == t.Type && config[i].WaitTime != nil {
			g.Wait = config[i].WaitTime.Duration
		}
	}
	elapsed := engine.ReadCondition(t.Conditions, placement.TaskWaitTimeElapsed)
	switch {
	case s.finished() && s.succ.Reason == placement.ReasonStageSkipped:
		g.State, g.Since = engine.GateSkipped, s.succ.Since
	case s.finished():
		g.State, g.Since = engine.GatePassed, elapsed.Since
	case !open:
		if r.shut(s) {
			g.State = engine.GateSkipped
		}
	case s.prog.Truth == engine.TruthNo && s.prog.Reason == placement.ReasonStageStopped && !r.moving():
		// The wait restarts at the stop; the controller checks it once the run is resumed.
		g.State, g.Since = engine.GateOpen, s.prog.Since
		if !g.Since.IsZero() && g.Wait > 0 {
			g.Until = g.Since.Add(g.Wait)
			r.LookAgain(g.Until)
		}
	default:
		g.Since = s.prog.Since
		if s.prog.Truth != engine.TruthNo {
			g.Since = s.lastDone() // hubs that do not say that they wait
		}
		g.State = engine.GateRunning
		if !g.Since.IsZero() && g.Wait > 0 {
			g.Until = g.Since.Add(g.Wait)
			r.LookAgain(g.Until)
		}
		// One from before a stop keeps its time when the wait ends again: it counts while the
		// stage waits for something else too.
		if elapsed.Truth == engine.TruthYes && !r.now.Before(g.Until) && (!elapsed.Since.Before(g.Until.Add(-time.Second)) || asks(s)) {
			g.State, g.Since = engine.GatePassed, elapsed.Since
		}
	}
	return g
}

// asks reports whether an approval after the stage is not given.
func asks(s *stageRead) bool {
	return slices.ContainsFunc(s.status.AfterStageTaskStatus, func(t placement.TaskStatus) bool {
		return t.Type == placement.TaskApproval && engine.ReadCondition(t.Conditions, placement.TaskApprovalRequestApproved).Truth != engine.TruthYes
	})
}

// approval reads an approval task and its request (docs/kubefleet.md#approval).
// The task's own word comes first: once approved the request is not consulted
// any more.
func (r *reader) approval(s *stageRead, t *placement.TaskStatus, open bool) engine.GateView {
	g := engine.GateView{Name: engine.Clean(t.ApprovalRequestName)}
	asked, approved := engine.ReadCondition(t.Conditions, placement.TaskApprovalRequestCreated), engine.ReadCondition(t.Conditions, placement.TaskApprovalRequestApproved)
	req := r.approvals[t.ApprovalRequestName]
	if req != nil && t.ApprovalRequestName != "" {
		r.readRequest(&g, req, s.status.StageName)
	}
	switch {
	case approved.Truth == engine.TruthYes:
		g.State, g.Since = engine.GatePassed, approved.Since
		return g
	case s.finished() && s.succ.Reason != placement.ReasonStageSkipped && len(s.clusters) > 0:
		g.State, g.Since = engine.GatePassed, s.succ.Since
		return g
	case s.finished(), r.shut(s) && asked.Truth != engine.TruthYes, r.terminal:
		g.State = engine.GateSkipped
		return g
	case asked.Truth == engine.TruthYes, open && s.prog.Reason == placement.ReasonStageWaiting:
		g.State, g.Since = engine.GateOpen, asked.Since
		if g.Since.IsZero() {
			g.Since = s.prog.Since
		}
	}
	if req == nil && g.State == engine.GateOpen {
		g.Unread = r.unreadRequests(g.Since)
	}
	if req == nil || g.Seen.Foreign {
		return g
	}
	given := engine.ReadCondition(req.Status.Conditions, placement.ApprovalApproved)
	given.Since = engine.Later(given.Since, req.CreationTimestamp.Time) // who approves writes the time, right or wrong
	accepted := engine.ReadCondition(req.Status.Conditions, placement.ApprovalAccepted)
	due := g.State == engine.GateOpen
	switch {
	case accepted.Truth == engine.TruthYes && accepted.At(req.Generation) && due:
		g.State, g.Since = engine.GatePassed, accepted.Since
	case accepted.Truth == engine.TruthYes && accepted.At(req.Generation): // the run passes the gate when it reaches it
		g.State, g.Since, g.Sent = engine.GateSent, accepted.Since, accepted.Generation
	case given.Truth == engine.TruthYes && given.At(req.Generation):
		g.State, g.Since, g.Sent = engine.GateSent, given.Since, given.Generation
	case given.Truth == engine.TruthYes && accepted.Truth != engine.TruthYes && due: // it can be approved again only then
		g.State, g.Since, g.Sent = engine.GateNotAccepted, given.Since, given.Generation
	}
	return g
}

// unreadRequests says why an approval request of the run's scope that was created at a moment is not
// known; zero if it should be: a set may be older than another by StaleAfter.
func (r *reader) unreadRequests(created time.Time) engine.Text {
	kind, ns := r.id.Kind().InScope(engine.KindClusterApprovalRequest, engine.KindApprovalRequest), r.id.RawNamespace()
	if by := created.Add(engine.StaleAfter); r.w.Known(kind, ns) && r.now.Before(by) {
		r.LookAgain(by)
		return engine.Lit("it was just created")
	} else if r.w.Known(kind, ns) {
		return engine.Text{}
	}
	c := r.w.Covered[world.CoverAll(kind)]
	if c.State == engine.CoverNotAsked {
		c = r.w.Covered[world.CoverKey{Kind: kind, Namespace: ns}]
	}
	return world.Unread(c, engine.Lit("approval requests"))
}

// readRequest notes what an approval of the request has to carry.
func (r *reader) readRequest(g *engine.GateView, req *placement.ApprovalRequest, stage string) {
	kind := r.id.Kind().InScope(engine.KindClusterApprovalRequest, engine.KindApprovalRequest)
	g.Request = r.id.Beside(kind, req.Namespace, req.Name, string(req.UID))
	g.Generation = req.Generation
	g.Seen = &engine.RequestSeen{
		ResourceVersion: engine.NewRaw(req.ResourceVersion),
		Stage:           engine.NewRaw(req.Spec.TargetStage),
		Unlabelled:      req.Labels[placement.LabelTargetUpdateRun] != r.id.RawName(),
		Foreign:         req.Spec.ParentStageRollout != r.id.RawName() || req.Spec.TargetStage != stage,
		Conditions:      len(req.Status.Conditions),
		Approved:        -1,
	}
	if t := req.DeletionTimestamp; t != nil {
		g.Seen.Deleting, g.Seen.Finalizers = t.Time, engine.CleanAll(placement.ForeignFinalizers(req.Finalizers))
	}
	for i := range req.Status.Conditions {
		if req.Status.Conditions[i].Type == placement.ApprovalApproved {
			g.Seen.Approved = i
			c := &req.Status.Conditions[i]
			at := engine.Later(c.LastTransitionTime.Time, req.CreationTimestamp.Time)
			switch c.Status {
			case metav1.ConditionFalse:
				g.Seen.Rejected, g.Seen.AnsweredAt = engine.Textf("%s: %s", c.Reason, engine.Message(c.Message)), at
			case metav1.ConditionUnknown:
				g.Seen.Undecided, g.Seen.AnsweredAt = engine.Textf("%s: %s", c.Reason, engine.Message(c.Message)), at
			}
		}
	}
}
