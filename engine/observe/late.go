package observe

import (
	"slices"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/recheck"
)

// lateAfter is added before a step of the controller counts as overdue: one controller worker
// serves all runs of a scope.
const lateAfter = time.Minute

// late marks a run whose next step is the controller's and is overdue. Without
// the mark such a run would look healthy for ever: the controller is gone, or
// retries an error that it does not record in the run.
func (r *reader) late(v *engine.RunView) {
	v.Sent = v.Word == engine.WordRunning && v.SentGate() != nil
	at, ok := r.due(v)
	if !ok {
		return
	}
	if v.Late = !r.now.Before(at); !v.Late {
		r.LookAgain(at)
		return
	}
	v.Progressed = engine.Later(v.Created, r.Progressed(v))
}

// due returns when the controller's next step is overdue; false where a person,
// a member or nobody has the next step.
func (r *reader) due(v *engine.RunView) (time.Time, bool) {
	switch v.Word {
	case engine.WordDeleting:
		return v.Since.Add(r.stuckAfter()), true
	case engine.WordPending:
		return v.Created.Add(lateAfter), true
	case engine.WordWaiting:
		return r.waitDue(v)
	case engine.WordStopping:
		if v.NeverStops() {
			return v.Since, true
		}
		return r.progressDue(v)
	case engine.WordStuck: // once its clusters have finished
		return r.progressDue(v)
	case engine.WordRunning:
		if at, ok := r.acceptanceDue(v); ok {
			return at, true
		}
		return r.progressDue(v)
	default:
		return time.Time{}, false
	}
}

// waitDue returns when the next step of a run in a timed wait is overdue: the end of the
// wait, or the acceptance of an approval that was given meanwhile. Nothing is lost before the
// wait ends, so that a controller that restarts gets its time for both.
func (r *reader) waitDue(v *engine.RunView) (at time.Time, ok bool) {
	if !v.Until.IsZero() && !r.unobserved(v) {
		at, ok = v.Until.Add(lateAfter), true
	}
	if accepts, given := r.acceptanceDue(v); given && r.executes() && !r.unobserved(v) {
		if accepts = accepts.Add(lateAfter - engine.NotObservedAfter); !ok || accepts.Before(at) {
			at, ok = accepts, true
		}
	}
	return at, ok
}

// acceptanceDue returns when the controller should have accepted an approval that was given;
// false when there is none. Approvals are accepted in state Run only: a resume counts.
func (r *reader) acceptanceDue(v *engine.RunView) (time.Time, bool) {
	g := v.SentGate()
	if g == nil {
		return time.Time{}, false
	}
	since := g.Since
	if seen, ok := r.w.FirstSeen[r.id]; ok && seen.Changed && seen.Generation == v.Generation {
		since = engine.Later(since, seen.At)
	}
	return since.Add(engine.NotObservedAfter), true
}

// unobserved reports whether the controller has not observed the present
// generation yet, for which NOT OBSERVED has a threshold of its own.
func (r *reader) unobserved(v *engine.RunView) bool { return v.Observed < v.Generation }

// progressDue returns when the controller's next step is overdue in a run of
// which every started cluster has finished; false while one has not, since that
// one becomes stuck.
func (r *reader) progressDue(v *engine.RunView) (time.Time, bool) {
	if r.unobserved(v) {
		return time.Time{}, false
	}
	for i := range r.stages {
		for j := range r.stages[i].clusters {
			c := &r.stages[i].clusters[j]
			if c.done.Truth == engine.TruthAbsent && (c.start.Truth == engine.TruthYes || !c.startBlocked.IsZero()) && !c.landed {
				return time.Time{}, false
			}
		}
	}
	last := r.Progressed(v)
	if r.frozen() { // the controller does not retry
		return last.Add(recheck.Wait + lateAfter), true
	}
	return last.Add(recheck.Within(2*last.Sub(r.retriesSince(v))) + lateAfter), true
}

// retriesSince returns since when the controller may be retrying errors in the current
// stage, or in the one before while that has not begun, since the delay outlives the end
// of a stage; a gate that was passed ends it.
func (r *reader) retriesSince(v *engine.RunView) time.Time {
	began := r.init.Since
	for i := 0; i < len(r.stages) && i <= max(v.At, 0); i++ {
		if r.stages[i].status.StartTime != nil {
			began = r.cleanSince(i)
		}
		// A run is stopped by a pass without an error, and a resume is its next one.
		if s := r.stages[i].prog; s.Reason == placement.ReasonStageStopped && r.prog.Truth == engine.TruthYes {
			began = engine.Later(began, r.prog.Since)
		}
		for g := range v.Stages[i].Gates() {
			if g.State == engine.GatePassed {
				began = engine.Later(began, g.Since)
			}
		}
	}
	return began
}

// cleanSince returns the earliest moment since which the controller may be retrying errors
// in a stage that has started. A cluster that it does not start because its binding fails
// causes errors that the run does not record.
func (r *reader) cleanSince(stage int) time.Time {
	s := &r.stages[stage]
	since := s.status.StartTime.Time
	if slices.ContainsFunc(s.clusters, func(c clusterRead) bool { return !c.startBlocked.IsZero() }) {
		return since
	}
	return engine.Later(since, recheck.Since(s.status))
}

// Progressed returns the last moment at which the run is known to have moved.
func (r *reader) Progressed(v *engine.RunView) time.Time {
	last := engine.Later(r.init.Since, r.prog.Since)
	for i := range r.stages {
		s := &r.stages[i]
		last = engine.Later(last, engine.Later(s.prog.Since, s.succ.Since))
		for j := range s.clusters {
			c := &s.clusters[j]
			last = engine.Later(last, engine.Later(c.start.Since, engine.Later(c.done.Since, c.landedAt)))
		}
		for g := range v.Stages[i].Gates() {
			if g.State == engine.GatePassed {
				last = engine.Later(last, g.Since)
			}
		}
	}
	return last
}
