package observe

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// How long the controller may take for its next step. Upstream checks updating
// clusters every clusterWait; after an error, which any binding condition that is
// False counts as, it retries with a doubling delay of up to retryLongest.
const (
	clusterWait  = 15 * time.Second
	retryLongest = 1000 * time.Second
	// lateAfter is added before a step counts as overdue: one controller worker
	// serves all runs of a scope.
	lateAfter = time.Minute
)

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
		return last.Add(clusterWait + lateAfter), true
	}
	return last.Add(retryWithin(2*last.Sub(r.retriesSince(v))) + lateAfter), true
}

// retriesSince returns since when the controller may be retrying errors: the
// start of the current stage, or of the one before while that has not begun,
// since the delay outlives the end of a stage; a gate that was passed ends it.
func (r *reader) retriesSince(v *engine.RunView) time.Time {
	began := r.init.Since
	for i := 0; i < len(r.stages) && i <= max(v.At, 0); i++ {
		if t := r.stages[i].status.StartTime; t != nil {
			began = t.Time
		}
		for g := range v.Stages[i].Gates() {
			if g.State == engine.GatePassed {
				began = engine.Later(began, g.Since)
			}
		}
	}
	return began
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

// retryWithin bounds the time to the controller's next pass when it may have
// retried an error for d.
func retryWithin(d time.Duration) time.Duration {
	return min(max(d, clusterWait), retryLongest)
}
