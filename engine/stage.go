package engine

import (
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// side is where the gates of a stage stand open.
type side uint8

const (
	sideNone side = iota
	sideBefore
	sideAfter
)

// stageViews makes the views of all stages and finds the one that acts.
func (r *reader) stageViews() (views []StageView, at int) {
	views = make([]StageView, len(r.stages))
	at = r.current()
	for i := range r.stages {
		views[i] = r.stageView(&r.stages[i], i == at)
	}
	return views, at
}

// current returns the index of the stage that acts or waits: the first that is
// not finished. -1 before a run begins and after it has ended well.
func (r *reader) current() int {
	if r.init.Truth != TruthYes || r.succ.Truth == TruthYes {
		return -1
	}
	if !r.begun() && !r.executes() && !r.stopWanted() {
		return -1
	}
	for i := range r.stages {
		if !r.stages[i].finished() {
			return i
		}
	}
	return -1
}

// executes reports whether the hub moves a run in this state: Run does; an
// absent state and the values of old hubs do, since those ignore it (1.10).
func (r *reader) executes() bool {
	return r.run.Spec.State != placement.StateInitialize && r.run.Spec.State != placement.StateStop
}

func (r *reader) stageView(s *stageRead, current bool) StageView {
	v := StageView{
		Name:     Clean(s.status.StageName),
		Deletion: s.deletion,
		Since:    s.prog.Since,
		Total:    len(s.clusters),
	}
	if t := s.status.StartTime; t != nil {
		v.Started = t.Time
	}
	if t := s.status.EndTime; t != nil {
		v.Ended = t.Time
	}
	for i := range s.clusters {
		c := &s.clusters[i]
		switch c.state {
		case ClusterDone, ClusterRemoved:
			v.Done++
		case ClusterUpdating, ClusterSlow, ClusterRemoving:
			v.Updating++
		case ClusterStuck:
			v.Stuck++
		case ClusterTaken:
			v.Taken++
		case ClusterComing:
			if len(v.Coming) < comingLimit {
				v.Coming = append(v.Coming, Clean(c.name))
			} else {
				v.ComingMore++
			}
		default: // a failed one counts in the total only
		}
	}
	if !s.deletion {
		v.AtOnce, v.Concurrency = s.concurrency()
	}
	open := r.openSide(s)
	v.Before = r.gates(s, true, open == sideBefore)
	v.After = r.gates(s, false, open == sideAfter)
	v.State = r.stageState(s, &v, current, open)
	if v.State == StageDone || v.State == StageSkipped || v.State == StageFailed {
		v.Since = Later(s.succ.Since, v.Ended)
		if v.Since.IsZero() {
			v.Since = s.prog.Since
		}
	}
	return v
}

// concurrency computes how many clusters update at once
// (docs/kubefleet.md#execute, row 4): a percentage is of the stage's clusters,
// rounded down, at least 1.
func (s *stageRead) concurrency() (int, Text) {
	if s.config == nil || s.config.MaxConcurrency == nil {
		return 1, Lit("1")
	}
	m := s.config.MaxConcurrency
	if m.Type == intstr.Int {
		return max(1, int(m.IntVal)), Clean(m.String())
	}
	n, err := strconv.Atoi(strings.TrimSuffix(m.StrVal, "%"))
	if err != nil || n < 0 {
		return 1, Clean(m.StrVal)
	}
	return max(1, n*len(s.clusters)/100), Clean(m.StrVal)
}

// openSide tells whether the stage waits at its gates, and on which side. The
// hub says so since April 2025; before, it is derived
// (docs/kubefleet.md#versions).
func (r *reader) openSide(s *stageRead) side {
	if s.finished() || s.deletion || r.terminal {
		return sideNone
	}
	waits := s.prog.Truth == TruthNo && s.prog.Reason == placement.ReasonStageWaiting || r.saidToWait(s)
	switch {
	case s.worked() && (waits || len(s.status.AfterStageTaskStatus) > 0):
		return sideAfter
	case waits && !s.touched():
		return sideBefore
	case !s.touched() && created(s.status.BeforeStageTaskStatus):
		return sideBefore
	}
	return sideNone
}

// saidToWait reports whether the run's own condition says that it waits at this
// stage; it is asked where the stage says nothing of the kind.
func (r *reader) saidToWait(s *stageRead) bool {
	return r.prog.Truth == TruthNo && r.prog.Reason == placement.ReasonRunWaiting &&
		group(patWaiting, r.prog.Message, "stage") == s.status.StageName
}

// touched reports whether any cluster of the stage was started.
func (s *stageRead) touched() bool {
	for i := range s.clusters {
		if s.clusters[i].start.Truth == TruthYes || s.clusters[i].done.Truth == TruthYes {
			return true
		}
	}
	return false
}

// created reports whether an approval of the tasks was asked for and not given.
func created(tasks []placement.TaskStatus) bool {
	for i := range tasks {
		c := tasks[i].Conditions
		if ReadCondition(c, placement.TaskApprovalRequestCreated).Truth == TruthYes && ReadCondition(c, placement.TaskApprovalRequestApproved).Truth != TruthYes {
			return true
		}
	}
	return false
}

// stageState tells where a stage stands. Success needs the stage's own
// Succeeded True; nothing else looks like it.
func (r *reader) stageState(s *stageRead, v *StageView, current bool, open side) StageState {
	switch {
	case s.succ.Truth == TruthYes && (len(s.clusters) == 0 || s.succ.Reason == placement.ReasonStageSkipped):
		return StageSkipped
	case s.succ.Truth == TruthYes:
		return StageDone
	case s.succ.Truth == TruthNo:
		return StageFailed
	case r.terminal && r.succ.Truth == TruthNo && current && s.begun():
		// A run that fails validation leaves its stages as they were
		// (docs/kubefleet.md#quirks, 7.8): the run's word wins.
		return StageFailed
	case r.terminal:
		return StageComing
	case v.Stuck > 0 || current && r.hubSaysStuck():
		return StageStuck
	case s.prog.Truth != TruthAbsent && s.prog.Reason == placement.ReasonStageStopping:
		return StageStopping
	case s.prog.Truth == TruthNo && s.prog.Reason == placement.ReasonStageStopped && !r.moving():
		return StageStopped
	case open != sideNone && pendingGate(v, open):
		return StageGate
	case v.Updating > 0 || v.Taken > 0 || s.touched() || s.prog.Truth == TruthYes:
		return StageUpdating
	case s.prog.Truth == TruthNo && s.prog.Reason == placement.ReasonStageWaiting:
		return StageGate
	}
	return StageComing
}

// moving reports whether the run was resumed: its stage keeps the reason of the
// stop until a cluster starts or the stage ends (docs/kubefleet.md#stop).
func (r *reader) moving() bool {
	return r.run.Spec.State == placement.StateRun && r.prog.Truth != TruthAbsent &&
		r.prog.Reason != placement.ReasonRunStopped && r.prog.Reason != placement.ReasonRunStopping
}

// lastDone returns when the last cluster of the stage was done.
func (s *stageRead) lastDone() time.Time {
	var t time.Time
	for i := range s.clusters {
		t = Later(t, s.clusters[i].done.Since)
	}
	return t
}

// pendingGate reports whether a gate on the side is not passed.
func pendingGate(v *StageView, s side) bool {
	gates := v.Before
	if s == sideAfter {
		gates = v.After
	}
	for i := range gates {
		if gates[i].State != GatePassed && gates[i].State != GateSkipped {
			return true
		}
	}
	return false
}
