package engine

// Gate returns the approval of the current stage that is in the given state.
func (v *RunView) Gate(state GateState) *GateView {
	s := v.Current()
	if s == nil {
		return nil
	}
	for g := range s.Gates() {
		if !g.Timed && g.State == state {
			return g
		}
	}
	return nil
}

// Beside is the mark beside the word, empty for none: LATE when the controller's next step is overdue (DELETING has none: its time
// says it); beside RUNNING also SENT when an approval is not accepted yet, and SLOW when a cluster is past half of the stuck threshold.
func (v *RunView) Beside() Text {
	switch {
	case v.Late && v.Word == WordDeleting:
		return Text{}
	case v.Late:
		return Lit("LATE")
	case v.Word != WordRunning:
		return Text{}
	case v.Sent:
		return Lit("SENT")
	case v.Slow:
		return Lit("SLOW")
	}
	return Text{}
}

// NeedsAttention reports whether the run may stay in its state for ever unless somebody acts on it,
// on the hub or on a member. It alone decides what is counted, listed first and selected as "needs
// attention". A run that will fail is one, too: the time to prevent that is now.
func (v *RunView) NeedsAttention() bool {
	return v.Late || v.Word.NeedsPerson() && !v.Settled() || v.Why.Fails || v.Word == WordWaiting && v.Why.Recovery == RecoveryByNewRun
}

// Settled reports whether nothing is left to do for a run that has failed: another run has
// rolled out what it was for.
func (v *RunView) Settled() bool { return v.Terminal && v.Why.Recovery == RecoveryNotNeeded }

// Over reports whether the run updates nothing more: it has ended, or is being deleted.
func (v *RunView) Over() bool { return v.Terminal || v.Word == WordDeleting }

// Stalled reports whether a run has no estimated completion because of its diagnosis: it is
// stuck, preempted, overdue or not observed, or it runs and continues only after a fix.
func (v *RunView) Stalled() bool {
	switch v.Word {
	case WordStuck, WordPreempted, WordNotObserved:
		return !v.StopWanted
	case WordPending:
		return v.Late
	case WordRunning, WordWaiting:
	default:
		return false
	}
	switch v.Why.Recovery {
	case RecoveryOnHub, RecoveryOnMember, RecoveryByNewRun:
		return true
	case RecoveryUnknown:
		return v.Late || v.Slow || !v.Why.Unread.IsZero()
	}
	return v.Late
}

// InTrouble reports whether the run has a problem: it needs attention without a person
// having parked it, or may soon.
func (v *RunView) InTrouble() bool {
	return v.NeedsAttention() && !v.Word.Parked() || v.Slow || v.Why.Fails
}

// NeverStops reports whether the run was stopped before its deletion stage started every
// deletion: the controller reports it as stopping until it is resumed (docs/kubefleet.md#stop).
func (v *RunView) NeverStops() bool {
	s := v.Current()
	return v.Word == WordStopping && v.StopWanted && v.Observed >= v.Generation &&
		s != nil && s.Deletion && len(s.Coming) > 0
}

// Attention is the rank of the row in a list sorted attention first. A late run
// stands with those that the controller has not observed, one that will fail with those
// that have failed, one that is Settled with those that are done.
func (v *RunView) Attention() int {
	if v.Why.Fails {
		return min(v.Word.Attention(), WordFailed.Attention())
	}
	if v.Late {
		return min(v.Word.Attention(), WordNotObserved.Attention())
	}
	if v.Settled() {
		return WordDone.Attention()
	}
	return v.Word.Attention()
}

// UsedSnapshot returns the index of the resource snapshot that the run uses, or
// was told to use; empty when it has none yet.
func (v *RunView) UsedSnapshot() Text {
	if v.Word == WordNoRun {
		return Text{} // Index is what its clusters have
	}
	if v.Index.IsZero() {
		return v.IndexAsked
	}
	return v.Index
}

// Percent is the share of the clusters that are done, 100 only for a run that is DONE: until
// then a gate or the controller is left.
func (v *RunView) Percent() int {
	n := v.Done * 100 / max(1, v.Total)
	if v.Word != WordDone {
		return min(n, 99)
	}
	return n
}

// PlacementName returns the name of the placement that the run gives.
func (v *RunView) PlacementName() Text { return v.Placement.Name() }

// PlanSpec is what decides the plan of a run that is not initialized, beside its
// placement: runs of equal PlanSpec share a plan.
type PlanSpec struct{ Strategy, Index Text }

// PlanSpec returns what decides the plan of the run.
func (v *RunView) PlanSpec() PlanSpec { return PlanSpec{v.Strategy, v.IndexAsked} }

// WantsNearby reports whether the diagnosis of the run, or of the placement
// without a run, uses Nearby.
func (v *RunView) WantsNearby() bool {
	switch v.Word {
	case WordInitFailed, WordFailed, WordPreempted, WordStuck, WordNoRun:
		return !v.Partial
	}
	return v.WantsPlan() || v.WantsOwnPlan() || len(v.Why.HubReads) > 0
}

// WantsNearbyOpened reports whether the diagnosis of the opened run uses Nearby: it does
// for any run that the controller may fail at its next check, also for one that goes on.
func (v *RunView) WantsNearbyOpened() bool { return v.WantsNearby() || v.GoesOn() }

// GoesOn reports whether the run updates clusters or stops, on time: the controller
// checks it within its cluster wait, and fails it if a check fails.
func (v *RunView) GoesOn() bool {
	return !v.Partial && !v.Terminal && len(v.Stages) > 0 && !v.Late && (v.Word == WordRunning || v.Word == WordStopping)
}

// WantsPlan reports whether the diagnosis of the run uses its plan: the
// controller retries initialization without writing why.
func (v *RunView) WantsPlan() bool {
	return !v.Partial && (v.Word == WordPending || v.Word == WordNotObserved && len(v.Stages) == 0)
}

// WantsOwnPlan reports whether the diagnosis of the run uses the plan of an initialized
// run: the run waits, and the controller may fail it when it continues.
func (v *RunView) WantsOwnPlan() bool {
	if v.Partial || v.Terminal || len(v.Stages) == 0 {
		return false
	}
	switch v.Word {
	case WordReady, WordStopped, WordApproval, WordNotAccepted, WordWaiting, WordStuck:
		return true
	case WordRunning, WordStopping:
		return v.Late
	}
	return false
}

// DeletionAhead returns the deletion stage of an unfinished run that has deletions to
// start; nil when there is none.
func (v *RunView) DeletionAhead() *StageView {
	if v.Over() {
		return nil
	}
	for i := range v.Stages {
		if s := &v.Stages[i]; s.Deletion && len(s.Coming) > 0 {
			return s
		}
	}
	return nil
}

// Deletes says from which clusters the deletion stage will delete the resources.
func (s *StageView) Deletes() Text { return Deletes(len(s.Coming)+s.ComingMore, s.Coming) }

// Deletes says from which clusters, n of which the first have names, a run deletes the
// resources at its end.
func Deletes(n int, names []Text) Text {
	const shown = 3
	says := Textf("After the last stage, the run deletes the resources from %s", Count(n, "cluster"))
	if n <= shown {
		return Textf("%s: %s", says, Enumerate(names, shown))
	}
	return Textf("%s: %s and %d more", says, Join(names[:min(shown, len(names))], ", "), n-min(shown, len(names)))
}

// DoneCount says how many clusters are done, and how many of these another run has updated since:
// "5 of 9 done, 2 of them updated by web-r6 since". Without a run it counts the clusters.
func (v *RunView) DoneCount() Text {
	if v.Word == WordNoRun {
		return Count(v.Total, "cluster")
	}
	t := Textf("%d of %d done", v.Done, v.Total)
	switch {
	case v.Replaced == 0:
		return t
	case v.ReplacedBy.IsZero():
		return Textf("%s, %d of them changed since", t, v.Replaced)
	}
	return Textf("%s, %d of them updated by %s since", t, v.Replaced, v.ReplacedBy.Name())
}
