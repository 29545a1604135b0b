package observe

import (
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/message"
)

// view makes the RunView of the run.
func (r *reader) view() *engine.RunView {
	r.read()
	run := r.run
	v := &engine.RunView{
		ID:              r.id,
		Terminal:        r.terminal,
		Outdated:        r.outdated,
		Placement:       r.placementID(),
		Strategy:        engine.Clean(run.Spec.StagedRolloutStrategyName),
		Index:           engine.Clean(run.Status.ResourceSnapshotIndexUsed),
		IndexAsked:      engine.Clean(run.Spec.ResourceSnapshotIndex),
		State:           engine.Clean(string(run.Spec.State)),
		PolicyIndex:     engine.Clean(run.Status.PolicySnapshotIndexUsed),
		Generation:      run.Generation,
		Observed:        engine.NewestObserved(run.Status.Conditions),
		Created:         run.CreationTimestamp.Time,
		StopWanted:      r.stopWanted(),
		ReportDiff:      engine.ReportsDiff(run.Status.AppliedStrategy),
		ResourceVersion: engine.NewRaw(run.ResourceVersion),
		PlacementRaw:    engine.NewRaw(run.Spec.PlacementName),
	}
	if v.Index.IsZero() && r.init.Truth == engine.TruthYes {
		v.Index = v.IndexAsked // hubs that do not record the index in use
	}
	v.Fields = fields(run, r.w.Paths[r.id], r.w.Settings.Fields)
	v.Bound, v.Near = r.bindings != nil, r.w.NearbyOf(r.placementID()) != nil
	v.Stages, v.At = r.stageViews()
	for i := range v.Stages {
		s := &v.Stages[i]
		v.Started = engine.Earlier(v.Started, s.Started)
		v.Total += s.Total
		v.Done += s.Done
		v.Updating += s.Updating
		v.Stuck += s.Stuck
		v.Preempted += s.Preempted
		v.Replaced += s.Replaced
	}
	for i := range r.stages {
		for j := range r.stages[i].clusters {
			c := &r.stages[i].clusters[j]
			v.Slow = v.Slow || c.state == engine.ClusterSlow || c.state == engine.ClusterStuck
			if r.stopWanted() && !r.terminal && !c.preemptedAt.IsZero() && c.done.Truth == engine.TruthAbsent {
				v.Held++
			}
			if c.preemptedBy != "" && v.PreemptedBy.IsZero() {
				v.PreemptedBy = r.runs(c.preemptedBy)
			}
			if v.Replaced > 0 && v.ReplacedBy.IsZero() && r.replaced(c) {
				if owner := r.otherOwner(c.binding); owner != "" {
					v.ReplacedBy = r.runs(owner)
				}
			}
		}
	}
	if r.succ.Truth == engine.TruthYes || r.succ.Truth == engine.TruthNo {
		v.Ended = r.succ.Since
	}
	for i := range r.competing {
		if r.competing[i].Same {
			v.Competes = append(v.Competes, r.competing[i].ID)
		}
	}
	r.word(v)
	r.late(v)
	if t := r.w.Triage; t != nil {
		v.Why = t.Run(r.theCase(v))
	}
	v.Next = r.next
	return v
}

func (r *reader) placementID() engine.ID {
	if r.place != nil {
		return r.place.ID
	}
	return engine.PlacementKey(r.id, r.run.Spec.PlacementName)
}

// word decides the run's word, since when it holds, and when a wait ends. The
// first of rules that matches decides (docs/architecture.md#state-words).
func (r *reader) word(v *engine.RunView) {
	for _, rule := range rules {
		if since, ok := rule.when(r, v); ok {
			v.Word, v.Since = rule.word, since
			break
		}
	}
	// The hub rewrites the conditions of a stopped run on every pass (docs/kubefleet.md#quirks,
	// 7.1): its state lasts as long as it was seen to.
	if was := r.was; was != nil && v.StopWanted && (v.Word == engine.WordStopped || v.Word == engine.WordStuck) && was.Word == v.Word && was.Generation == v.Generation {
		v.Since = engine.Earlier(was.Since, v.Since)
	}
	// A stage that waits keeps the time of its condition while the run is stopped.
	if seen, ok := r.w.FirstSeen[r.id]; ok && seen.Changed && seen.Generation == v.Generation && (v.Word == engine.WordApproval || v.Word == engine.WordWaiting) {
		v.Since = engine.Later(v.Since, seen.At)
	}
	if v.Word == engine.WordWaiting {
		for _, g := range v.Current().After {
			if g.State == engine.GateRunning {
				v.Until = g.Until
			}
		}
	}
}

// rule is a state word and the condition under which a run has it.
type rule struct {
	word engine.Word
	when func(r *reader, v *engine.RunView) (since time.Time, ok bool)
}

var rules = []rule{
	{engine.WordDeleting, func(r *reader, _ *engine.RunView) (time.Time, bool) {
		if t := r.run.DeletionTimestamp; t != nil {
			return t.Time, true
		}
		return time.Time{}, false
	}},
	{engine.WordInitFailed, func(r *reader, _ *engine.RunView) (time.Time, bool) {
		return r.init.Since, r.init.Truth == engine.TruthNo
	}},
	{engine.WordPreempted, (*reader).whenPreempted},
	{engine.WordFailed, func(r *reader, _ *engine.RunView) (time.Time, bool) {
		return r.succ.Since, r.succ.Truth == engine.TruthNo
	}},
	{engine.WordDone, func(r *reader, _ *engine.RunView) (time.Time, bool) {
		return r.succ.Since, r.succ.Truth == engine.TruthYes
	}},
	{engine.WordNotObserved, (*reader).whenNotObserved},
	{engine.WordPending, func(r *reader, _ *engine.RunView) (time.Time, bool) {
		return r.run.CreationTimestamp.Time, r.init.Truth != engine.TruthYes
	}},
	{engine.WordNotAccepted, func(_ *reader, v *engine.RunView) (time.Time, bool) {
		g := v.Gate(engine.GateNotAccepted)
		if g == nil {
			return time.Time{}, false
		}
		return g.Since, true
	}},
	{engine.WordStuck, (*reader).whenStuck},
	{engine.WordStopping, func(r *reader, v *engine.RunView) (time.Time, bool) {
		asked := r.stopWanted() && !r.stopped() || r.prog.Truth != engine.TruthAbsent && r.prog.Reason == placement.ReasonRunStopping
		return r.stoppingSince(v), asked
	}},
	{engine.WordStopped, func(r *reader, v *engine.RunView) (time.Time, bool) { return r.stageSince(v), r.stopped() }},
	{engine.WordApproval, func(r *reader, v *engine.RunView) (time.Time, bool) {
		g := v.Gate(engine.GateOpen)
		if g == nil {
			return time.Time{}, false
		}
		if s := v.Current(); s.State == engine.StageGate && !s.Since.IsZero() && r.stages[v.At].prog.Reason == placement.ReasonStageWaiting {
			return s.Since, true
		}
		return g.Since, true
	}},
	{engine.WordWaiting, func(_ *reader, v *engine.RunView) (time.Time, bool) {
		if s := v.Current(); s != nil {
			for i := range s.After {
				if s.After[i].State == engine.GateRunning {
					return s.After[i].Since, true
				}
			}
		}
		return time.Time{}, false
	}},
	{engine.WordReady, func(r *reader, _ *engine.RunView) (time.Time, bool) {
		return r.init.Since, r.run.Spec.State == placement.StateInitialize && !r.begun()
	}},
	{engine.WordRunning, func(r *reader, v *engine.RunView) (time.Time, bool) { return r.runningSince(v), true }},
}

// whenPreempted matches the hub's own verdict, and the binding that shows it
// before the controller's next check. While stopping there is no such check.
func (r *reader) whenPreempted(*engine.RunView) (time.Time, bool) {
	if r.succ.Truth == engine.TruthNo && message.Preempted(r.succ.Message) {
		return r.succ.Since, true
	}
	var since time.Time
	found := false
	for i := range r.stages {
		for j := range r.stages[i].clusters {
			if c := &r.stages[i].clusters[j]; c.state == engine.ClusterPreempted {
				since, found = engine.Earlier(since, c.preemptedAt), true
			}
		}
	}
	if !found || r.succ.Truth == engine.TruthYes {
		return time.Time{}, false
	}
	if r.succ.Truth == engine.TruthNo {
		since = r.succ.Since
	}
	return since, true
}

// whenNotObserved matches a change that the hub has not noticed for too long.
func (r *reader) whenNotObserved(v *engine.RunView) (time.Time, bool) {
	silent := len(r.run.Status.Conditions) == 0
	if !silent && v.Observed >= v.Generation {
		return time.Time{}, false
	}
	seen, ok := r.w.FirstSeen[r.id]
	if !ok || seen.Generation != v.Generation {
		return time.Time{}, false
	}
	at := seen.At.Add(engine.NotObservedAfter)
	if r.now.Before(at) {
		r.LookAgain(at)
		return time.Time{}, false
	}
	r.LookAgain(seen.At.Add(lateAfter)) // from then on it ends a wait
	return seen.At, true
}

// whenStuck matches the hub's verdict, and a cluster past the stuck mark before
// the hub looks, which may be late (docs/kubefleet.md#cluster-checks,
// #observed, 10.1).
func (r *reader) whenStuck(*engine.RunView) (time.Time, bool) {
	var since time.Time
	found := r.hubSaysStuck()
	for i := range r.stages {
		at, stuck := r.stuckSince(&r.stages[i])
		since, found = engine.Earlier(since, at), found || stuck
	}
	if r.hubSaysStuck() && !r.prog.Since.IsZero() && (since.IsZero() || !r.stopWanted()) {
		since = engine.Earlier(since, r.prog.Since) // the hub's threshold may be shorter than ours
	}
	return since, found
}

// stuckSince returns since when the first stuck cluster of a stage is stuck, and whether
// one is. The hub's threshold may be shorter than ours; then its condition says since when,
// but not while it stops the run: it rewrites the condition on every pass
// (docs/kubefleet.md#quirks, 7.1), so the start of the cluster counts.
func (r *reader) stuckSince(s *stageRead) (since time.Time, stuck bool) {
	for i := range s.clusters {
		c := &s.clusters[i]
		if c.state != engine.ClusterStuck {
			continue
		}
		stuck = true
		switch {
		case c.stuckAt.IsZero():
		case !c.stuckAt.After(r.now):
			since = engine.Earlier(since, c.stuckAt)
		case r.stopWanted():
			since = engine.Earlier(since, c.start.Since)
		}
	}
	return since, stuck
}

func (r *reader) stopped() bool {
	return r.prog.Truth == engine.TruthNo && r.prog.Reason == placement.ReasonRunStopped
}

// stageSince returns the time of the current stage's Progressing condition: the
// run's own is rewritten on every pass (docs/kubefleet.md#quirks, 7.1).
func (r *reader) stageSince(v *engine.RunView) time.Time {
	if v.At >= 0 {
		if t := r.stages[v.At].prog.Since; !t.IsZero() {
			return t
		}
	}
	return r.prog.Since
}

// stoppingSince returns when the stop was asked for, as far as it shows. The
// hub rewrites the condition of the run in some situations and that of the
// stage in others (docs/kubefleet.md#quirks, 7.1 and 7.3), so the
// earliest counts; a stop is also no younger than its generation, which was
// seen to come.
func (r *reader) stoppingSince(v *engine.RunView) time.Time {
	var t time.Time
	if r.prog.Reason == placement.ReasonRunStopping {
		t = r.prog.Since
	}
	if v.At >= 0 {
		if p := r.stages[v.At].prog; p.Reason == placement.ReasonStageStopping || p.Reason == placement.ReasonStageStopped {
			t = engine.Earlier(t, p.Since)
		}
	}
	if seen, ok := r.w.FirstSeen[r.id]; ok && r.stopWanted() && seen.Generation == v.Generation {
		t = engine.Earlier(t, seen.At)
	}
	if t.IsZero() {
		return r.stageSince(v)
	}
	return t
}

// runningSince returns when the stage that runs began or was resumed, or the
// one before it ended when the hub is between two; with an approval that the
// hub has not accepted yet, when that was given. A run that was seen to be started or resumed
// does not run for longer than that, whether the hub has looked at the change or not.
func (r *reader) runningSince(v *engine.RunView) time.Time {
	seen, ok := r.w.FirstSeen[r.id]
	switch ok = ok && seen.Generation == v.Generation; {
	case ok && v.Observed < v.Generation:
		return seen.At
	case ok && seen.Changed:
		return engine.Later(r.workingSince(v), seen.At)
	}
	return r.workingSince(v)
}

// workingSince is runningSince by the status of the run.
func (r *reader) workingSince(v *engine.RunView) time.Time {
	if g := v.SentGate(); g != nil {
		return g.Since
	}
	at := v.At
	if s := v.Current(); s == nil { // none has begun, or all have ended
		at = len(v.Stages)
	} else if since := s.Started; !since.IsZero() {
		if p := r.stages[v.At].prog; p.Truth == engine.TruthYes {
			since = engine.Later(since, p.Since)
		}
		for i := range s.Before {
			if s.Before[i].State == engine.GatePassed {
				since = engine.Later(since, s.Before[i].Since)
			}
		}
		return since
	}
	for i := at - 1; i >= 0; i-- {
		if t := v.Stages[i].Since; !t.IsZero() {
			return t
		}
	}
	return engine.Later(v.Started, r.init.Since)
}
