package engine

import (
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// gates makes the views of a stage's tasks on one side. The tasks' status has
// one entry per task; where it is missing the frozen strategy tells what will
// come.
func (r *reader) gates(s *stageRead, before, open bool) []GateView {
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
	out := make([]GateView, len(status))
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
func (r *reader) wait(s *stageRead, t *placement.TaskStatus, config []placement.StageTask, open bool) GateView {
	g := GateView{Timed: true}
	for i := range config {
		if config[i].Type == t.Type && config[i].WaitTime != nil {
			g.Wait = config[i].WaitTime.Duration
		}
	}
	elapsed := ReadCondition(t.Conditions, placement.TaskWaitTimeElapsed)
	switch {
	case s.finished() && s.succ.Reason == placement.ReasonStageSkipped:
		g.State, g.Since = GateSkipped, s.succ.Since
	case s.finished():
		g.State, g.Since = GatePassed, elapsed.Since
	case !open:
		if r.shut(s) {
			g.State = GateSkipped
		}
	case s.prog.Truth == TruthNo && s.prog.Reason == placement.ReasonStageStopped && !r.moving():
		g.State, g.Since = GateOpen, s.prog.Since
	default:
		g.Since = s.prog.Since
		if s.prog.Truth != TruthNo {
			g.Since = s.lastDone() // hubs that do not say that they wait
		}
		g.State = GateRunning
		if !g.Since.IsZero() && g.Wait > 0 {
			g.Until = g.Since.Add(g.Wait)
			r.LookAgain(g.Until)
		}
		if elapsed.Truth == TruthYes && !r.now.Before(g.Until) {
			g.State, g.Since = GatePassed, elapsed.Since
		}
	}
	return g
}

// approval reads an approval task and its request (docs/kubefleet.md#approval).
// The task's own word comes first: once approved the request is not consulted
// any more.
func (r *reader) approval(s *stageRead, t *placement.TaskStatus, open bool) GateView {
	g := GateView{Name: Clean(t.ApprovalRequestName)}
	asked, approved := ReadCondition(t.Conditions, placement.TaskApprovalRequestCreated), ReadCondition(t.Conditions, placement.TaskApprovalRequestApproved)
	req := r.approvals[t.ApprovalRequestName]
	if req != nil && t.ApprovalRequestName != "" {
		r.readRequest(&g, req, s.status.StageName)
	}
	switch {
	case approved.Truth == TruthYes:
		g.State, g.Since = GatePassed, approved.Since
		return g
	case s.finished() && s.succ.Reason != placement.ReasonStageSkipped && len(s.clusters) > 0:
		g.State, g.Since = GatePassed, s.succ.Since
		return g
	case s.finished(), r.shut(s) && asked.Truth != TruthYes, r.terminal:
		g.State = GateSkipped
		return g
	case asked.Truth == TruthYes, open && s.prog.Reason == placement.ReasonStageWaiting:
		g.State, g.Since = GateOpen, asked.Since
		if g.Since.IsZero() {
			g.Since = s.prog.Since
		}
	}
	if req == nil || g.Seen.Foreign {
		return g
	}
	given := ReadCondition(req.Status.Conditions, placement.ApprovalApproved)
	accepted := ReadCondition(req.Status.Conditions, placement.ApprovalAccepted)
	switch {
	case accepted.Truth == TruthYes && accepted.At(req.Generation):
		g.State, g.Since = GatePassed, accepted.Since
	case given.Truth == TruthYes && given.At(req.Generation):
		g.State, g.Since, g.Sent = GateSent, given.Since, given.Generation
	case given.Truth == TruthYes && accepted.Truth != TruthYes:
		g.State, g.Since, g.Sent = GateNotAccepted, given.Since, given.Generation
	}
	return g
}

// readRequest notes what an approval of the request has to carry.
func (r *reader) readRequest(g *GateView, req *placement.ApprovalRequest, stage string) {
	kind := r.id.Kind().Twin(KindClusterApprovalRequest, KindApprovalRequest)
	g.Request = NewID(kind, req.Namespace, req.Name, string(req.UID))
	g.Generation = req.Generation
	g.Seen = &RequestSeen{
		ResourceVersion: NewRaw(req.ResourceVersion),
		Stage:           NewRaw(req.Spec.TargetStage),
		Foreign:         req.Spec.ParentStageRollout != r.id.RawName() || req.Spec.TargetStage != stage,
		Conditions:      len(req.Status.Conditions),
		Approved:        -1,
	}
	for i := range req.Status.Conditions {
		if req.Status.Conditions[i].Type == placement.ApprovalApproved {
			g.Seen.Approved = i
		}
	}
}
