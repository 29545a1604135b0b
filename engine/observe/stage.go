package observe

import (
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/message"
)

// side is where the gates of a stage stand open.
type side uint8

const (
	sideNone side = iota
	sideBefore
	sideAfter
)

// stageViews makes the views of all stages and finds the one that acts.
func (r *reader) stageViews() (views []engine.StageView, at int) {
	views = make([]engine.StageView, len(r.stages))
	at = r.current()
	for i := range r.stages {
		views[i] = r.stageView(&r.stages[i], i == at)
	}
	return views, at
}

// current returns the index of the stage that acts or waits: the first that is
// not finished. -1 before a run begins and after it has ended well.
func (r *reader) current() int {
	if r.init.Truth != engine.TruthYes || r.succ.Truth == engine.TruthYes {
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

func (r *reader) stageView(s *stageRead, current bool) engine.StageView {
	v := engine.StageView{
		Name:     engine.Clean(s.status.StageName),
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
		if !c.startBlocked.IsZero() {
			v.StartBlocked++
		}
		switch c.state {
		case engine.ClusterDone, engine.ClusterDeleted:
			v.Done++
			if r.replaced(c) {
				v.Replaced++
			}
		case engine.ClusterUpdating, engine.ClusterSlow, engine.ClusterDeleting:
			v.Updating++
		case engine.ClusterStuck:
			v.Stuck++
		case engine.ClusterPreempted:
			v.Preempted++
		case engine.ClusterComing:
			if s.deletion && c.binding == nil && r.bindings != nil {
				continue // nothing is left to delete: the controller only records it
			}
			if len(v.Coming) < comingLimit {
				v.Coming = append(v.Coming, engine.Clean(c.name))
			} else {
				v.ComingMore++
			}
			switch {
			case !r.movesBack(c):
			case len(v.Back) < comingLimit:
				v.Back = append(v.Back, engine.Clean(c.name))
			default:
				v.BackMore++
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
	if since, stuck := r.stuckSince(s); stuck && r.stopWanted() && !since.IsZero() {
		v.Since = since
	}
	if v.State == engine.StageDone || v.State == engine.StageSkipped || v.State == engine.StageFailed {
		v.Since = engine.Later(s.succ.Since, v.Ended)
		if v.Since.IsZero() {
			v.Since = s.prog.Since
		}
	}
	return v
}

// concurrency computes how many clusters update at once
// (docs/kubefleet.md#execute, row 4): a percentage is of the stage's clusters,
// rounded down, at least 1.
func (s *stageRead) concurrency() (int, engine.Text) {
	if s.config == nil || s.config.MaxConcurrency == nil {
		return 1, engine.Lit("1")
	}
	m := s.config.MaxConcurrency
	if m.Type == intstr.Int {
		return max(1, int(m.IntVal)), engine.Clean(m.String())
	}
	n, err := strconv.Atoi(strings.TrimSuffix(m.StrVal, "%"))
	if err != nil || n < 0 {
		return 1, engine.Clean(m.StrVal)
	}
	return max(1, n*len(s.clusters)/100), engine.Clean(m.StrVal)
}

// openSide reports whether the stage waits at its gates, and on which side. The
// hub says so since April 2025; before, it is derived
// (docs/kubefleet.md#versions).
func (r *reader) openSide(s *stageRead) side {
	if s.finished() || s.deletion || r.terminal {
		return sideNone
	}
	waits := s.prog.Truth == engine.TruthNo && s.prog.Reason == placement.ReasonStageWaiting || r.saidToWait(s)
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
	return r.prog.Truth == engine.TruthNo && r.prog.Reason == placement.ReasonRunWaiting &&
		message.WaitingStage(r.prog.Message) == s.status.StageName
}

// touched reports whether any cluster of the stage was started.
func (s *stageRead) touched() bool {
	for i := range s.clusters {
		if s.clusters[i].start.Truth == engine.TruthYes || s.clusters[i].done.Truth == engine.TruthYes {
			return true
		}
	}
	return false
}

// created reports whether an approval of the tasks was asked for and not given.
func created(tasks []placement.TaskStatus) bool {
	for i := range tasks {
		c := tasks[i].Conditions
		if engine.ReadCondition(c, placement.TaskApprovalRequestCreated).Truth == engine.TruthYes && engine.ReadCondition(c, placement.TaskApprovalRequestApproved).Truth != engine.TruthYes {
			return true
		}
	}
	return false
}

// stageState says where a stage stands. Success needs the stage's own
// Succeeded True; nothing else looks like it.
func (r *reader) stageState(s *stageRead, v *engine.StageView, current bool, open side) engine.StageState {
	switch {
	case s.succ.Truth == engine.TruthYes && (len(s.clusters) == 0 || s.succ.Reason == placement.ReasonStageSkipped):
		return engine.StageSkipped
	case s.succ.Truth == engine.TruthYes:
		return engine.StageDone
	case s.succ.Truth == engine.TruthNo:
		return engine.StageFailed
	case r.terminal && r.succ.Truth == engine.TruthNo && current && s.begun():
		// A run that fails validation leaves its stages as they were
		// (docs/kubefleet.md#quirks, 7.8): the run's word wins.
		return engine.StageFailed
	case r.terminal:
		return engine.StageComing
	case v.Stuck > 0 || current && r.hubSaysStuck():
		return engine.StageStuck
	case s.prog.Truth != engine.TruthAbsent && s.prog.Reason == placement.ReasonStageStopping:
		return engine.StageStopping
	case s.prog.Truth == engine.TruthNo && s.prog.Reason == placement.ReasonStageStopped && !r.moving():
		return engine.StageStopped
	case open != sideNone && pendingGate(v, open):
		return engine.StageGate
	case v.Updating > 0 || v.Preempted > 0 || s.touched() || s.prog.Truth == engine.TruthYes:
		return engine.StageUpdating
	case s.prog.Truth == engine.TruthNo && s.prog.Reason == placement.ReasonStageWaiting:
		return engine.StageGate
	}
	return engine.StageComing
}

// moving reports whether the run was resumed: its stage keeps the reason of the
// stop until a cluster starts or the stage ends (docs/kubefleet.md#stop).
func (r *reader) moving() bool {
	return r.run.Spec.State == placement.StateRun && r.prog.Truth != engine.TruthAbsent &&
		r.prog.Reason != placement.ReasonRunStopped && r.prog.Reason != placement.ReasonRunStopping
}

// lastDone returns when the last cluster of the stage was done.
func (s *stageRead) lastDone() time.Time {
	var t time.Time
	for i := range s.clusters {
		t = engine.Later(t, s.clusters[i].done.Since)
	}
	return t
}

// pendingGate reports whether a gate on the side is not passed.
func pendingGate(v *engine.StageView, s side) bool {
	gates := v.Before
	if s == sideAfter {
		gates = v.After
	}
	for i := range gates {
		if gates[i].State != engine.GatePassed && gates[i].State != engine.GateSkipped {
			return true
		}
	}
	return false
}
