package act

import (
	"iter"
	"slices"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// runEffect says what a start or a resume does next.
func runEffect(v *engine.RunView, now time.Time) []engine.Text {
	if v.Why.Fails {
		return nothingStarts()
	}
	i := firstOpen(v)
	if i < 0 {
		return []engine.Text{engine.Lit("Nothing is left to update; the run finishes.")}
	}
	s := &v.Stages[i]
	var out []engine.Text
	if n := s.Updating + s.Stuck; n > 0 && !s.Deletion {
		out = append(out, engine.Textf("%s: %s still updating.", engine.Capital(engine.StageName(s)), engine.Are(n, "cluster")))
	}
	return slices.Concat(out, enter(v, i, now), reportsOnly(v), getStuck(v))
}

// snapshotGone is the cause of a run whose resource snapshot was deleted.
var snapshotGone = engine.Cause("snapshot-deleted")

// getStuck says of a run whose resource snapshot was deleted what becomes of the clusters
// that it starts.
func getStuck(v *engine.RunView) []engine.Text {
	if v.Why.Cause != snapshotGone && !slices.ContainsFunc(v.Why.Also, func(f engine.Finding) bool { return f.Cause == snapshotGone }) {
		return nil
	}
	return []engine.Text{engine.Textf("Every cluster that the run starts gets stuck: resource snapshot %s no longer exists.", engine.OrUnknown(v.Index))}
}

// reportsOnly says of a run that reports differences that it changes nothing on its clusters.
func reportsOnly(v *engine.RunView) []engine.Text {
	if !v.ReportDiff || !slices.ContainsFunc(v.Stages, func(s engine.StageView) bool { return !s.Deletion && s.Done < s.Total }) {
		return nil
	}
	return []engine.Text{engine.Lit("Clusters only report differences: no resource is changed there (ReportDiff).")}
}

// firstOpen returns the index of the first stage that is not behind the run, -1
// when all are.
func firstOpen(v *engine.RunView) int {
	for i := range v.Stages {
		if s := v.Stages[i].State; s != engine.StageDone && s != engine.StageSkipped {
			return i
		}
	}
	return -1
}

// enter says what happens when the run comes to a stage, or goes on in it:
// which clusters start and how many at once, or which gate holds it.
func enter(v *engine.RunView, i int, now time.Time) []engine.Text {
	for ; i < len(v.Stages); i++ {
		s := &v.Stages[i]
		if s.State == engine.StageSkipped {
			continue
		}
		if s.Total == 0 && !s.Deletion {
			return append([]engine.Text{engine.Textf("%s has no clusters and is skipped.", engine.Capital(engine.StageName(s)))}, enter(v, i+1, now)...)
		}
		if s.Deletion {
			return []engine.Text{deletionEffect(s)}
		}
		switch gates := s.Gated(now); {
		case len(gates) > 0 && s.Done < s.Total:
			return []engine.Text{engine.Textf("%s waits for %s before it updates its %s.", engine.Capital(engine.StageName(s)), engine.Enumerate(gates, len(gates)), engine.Count(s.Total, "cluster"))}
		case len(gates) > 0:
			return []engine.Text{engine.Textf("%s waits for %s. Its clusters are done.", engine.Capital(engine.StageName(s)), engine.Enumerate(gates, len(gates)))}
		case s.Done == s.Total:
			continue
		}
		return []engine.Text{starting(s)}
	}
	return []engine.Text{engine.Lit("The run finishes.")}
}

// firstComing names the next n clusters of a stage, at most five by name.
func firstComing(s *engine.StageView, n int) engine.Text {
	shown := s.Coming[:min(n, 5, len(s.Coming))]
	if n > len(shown) {
		return engine.Textf("%s and %d more", engine.Join(shown, ", "), n-len(shown))
	}
	return engine.Enumerate(shown, n)
}

// starting says which clusters of a stage start at once, and how many follow.
func starting(s *engine.StageView) engine.Text {
	free := max(0, s.AtOnce-s.Updating-s.Stuck-s.Preempted)
	coming := len(s.Coming) + s.ComingMore
	at := min(free, coming)
	rest := coming - at
	switch {
	case coming == 0:
		return engine.Textf("%s: all clusters are started already.", engine.Capital(engine.StageName(s)))
	case at == 0:
		return engine.Textf("%s starts %s when updating clusters finish (%s).", engine.Capital(engine.StageName(s)), engine.Count(coming, "more cluster"), engine.Concurrency(s.AtOnce))
	}
	starts := engine.Textf("%s starts %s", engine.Capital(engine.StageName(s)), firstComing(s, at))
	if rest == 0 {
		return engine.Textf("%s.", starts)
	}
	return engine.Textf("%s, then %d more (%s).", starts, rest, engine.Concurrency(s.AtOnce))
}

func runWarnings(s *engine.Snapshot, v *engine.RunView) []engine.Text {
	var out []engine.Text
	if v.Word == engine.WordStopping {
		out = append(out, stillStopping(v))
	}
	if v.Stuck > 0 {
		out = append(out, engine.Textf("%s stuck.", engine.Capital(engine.Are(v.Stuck, "cluster"))))
	}
	out = append(append(out, inVain(v)...), v.Why.Warnings...)
	switch by := v.PreemptedBy; {
	case v.Word == engine.WordPreempted && by.IsZero():
		out = append(out, engine.Lit("The binding of a cluster was changed, by another run or by hand: this run fails when it resumes."))
	case v.Word == engine.WordPreempted:
		out = append(out, engine.Textf("Run %s preempted this run on a cluster: this run fails when it resumes.", by.Title()))
	// The controller compares the bindings of started clusters again once the state is Run.
	case v.Held > 0 && by.IsZero():
		out = append(out, engine.Lit("The binding of a cluster that is still updating was changed, by another run or by hand: this run fails when it resumes, unless that cluster finishes first."))
	case v.Held > 0:
		out = append(out, engine.Textf("Run %s holds a cluster that is still updating: this run fails when it resumes, unless that cluster finishes first.", by.Title()))
	}
	out = append(append(out, superseded(s, v)...), replacedWarnings(v)...)
	return append(out, competingRuns(s, v, v.Placement, v.Index)...)
}

// stillStopping says what a run in state Stop has not finished.
func stillStopping(v *engine.RunView) engine.Text {
	s := v.Current()
	switch {
	case s != nil && s.Deletion && s.Updating+s.Stuck == 0:
		return engine.Lit("The run is still stopping: deletions are left that are not started.")
	case s != nil && s.Deletion:
		return engine.Textf("The run is still stopping: resources are still being deleted from %s.", engine.Count(s.Updating+s.Stuck, "cluster"))
	case v.Updating+v.Stuck == 0:
		return engine.Lit("The run is still stopping: the controller has not reported it as stopped.")
	}
	return engine.Lit("The run is still stopping: updating clusters have not finished.")
}

// nothingStarts is the effect of what continues a run that the controller will fail.
func nothingStarts() []engine.Text {
	return []engine.Text{engine.Lit("Nothing is started: the run will fail.")}
}

// InVain reports whether a run waits for a person and its diagnosis says that the controller
// will fail it, or that only a new run helps: what continues it is in vain.
func InVain(v *engine.RunView) bool {
	switch v.Word {
	case engine.WordReady, engine.WordStopped, engine.WordApproval, engine.WordNotAccepted:
		return v.Why.Fails || v.Why.Recovery == engine.RecoveryByNewRun
	}
	return false
}

// inVain warns of a run that InVain is about, with what comes first.
func inVain(v *engine.RunView) []engine.Text {
	switch {
	case !InVain(v):
		return nil
	case v.Why.Fails:
		return []engine.Text{engine.Textf("The run will fail. %s", v.Why.Next)}
	}
	return []engine.Text{engine.Textf("Only a new run helps. %s", v.Why.Next)}
}

// updates reports whether the run has clusters to update, or updates some: one that has done
// all of them neither preempts another run nor is preempted (docs/kubefleet.md#cluster-checks).
func updates(v *engine.RunView) bool {
	return len(v.Stages) == 0 || slices.ContainsFunc(v.Stages, func(s engine.StageView) bool { return !s.Deletion && s.Done < s.Total })
}

// superseded warns of a run that was created later and has finished: this one gives its
// pending clusters another snapshot than that run did, or the same again.
func superseded(s *engine.Snapshot, v *engine.RunView) []engine.Text {
	var last *engine.RunView
	for _, o := range s.Runs {
		if o.Word == engine.WordDone && engine.IsRun(o.ID.Kind()) && o.Placement.SameName(v.Placement) && v.Created.Before(o.Created) && (last == nil || last.Created.Before(o.Created)) {
			last = o
		}
	}
	if last == nil || v.Terminal {
		return nil
	}
	if used := last.UsedSnapshot(); !used.IsZero() && used == v.UsedSnapshot() {
		return []engine.Text{engine.Textf("Run %s, created later, has finished with snapshot %s, too: check that this run still changes anything.", last.ID.Title(), used)}
	}
	return []engine.Text{engine.Textf("Run %s, created later, has finished with snapshot %s: this run gives its pending clusters snapshot %s.", last.ID.Title(), engine.OrUnknown(last.UsedSnapshot()), engine.OrUnknown(v.UsedSnapshot()))}
}

// replacedWarnings warns of done clusters that the run does not update again, and of
// pending clusters that have a newer snapshot.
func replacedWarnings(v *engine.RunView) []engine.Text {
	var out []engine.Text
	if back := v.MovesBack(); !back.IsZero() {
		out = append(out, back)
	}
	if v.Replaced > 0 {
		out = append(out, engine.Textf("Clusters: %s. This run does not update these again.", v.DoneCount()))
	}
	return out
}

// competingRuns warns of other unfinished runs of the placement that take clusters from
// a run of snapshot index. Of those with the same snapshot, the ones compete that
// differ in overrides or apply strategy (engine.SameRollout).
func competingRuns(s *engine.Snapshot, v *engine.RunView, place engine.ID, index engine.Text) []engine.Text {
	var out []engine.Text
	for o := range unfinishedRuns(s, v, place) {
		if !updates(o) || untouched(o) {
			continue
		}
		if !index.IsZero() && o.Index == index {
			if !slices.Contains(v.Competes, o.ID) {
				continue
			}
			out = append(out, engine.Textf("Run %s (%s) of this placement has snapshot %s too, with other overrides or another apply strategy: the run that updates a cluster later preempts the other.", o.ID.Title(), o.Word, index))
			continue
		}
		unless := engine.Text{}
		if index.IsZero() { // of the newest snapshot, whichever that is
			unless = engine.Lit(", unless both have the same snapshot, overrides and apply strategy")
		}
		if o.StopWanted && o.Updating+o.Stuck == 0 {
			out = append(out, engine.Textf("Run %s (%s, snapshot %s) of this placement is unfinished: it competes if it is resumed.", o.ID.Title(), o.Word, engine.OrUnknown(o.Index)))
			continue
		}
		out = append(out, engine.Textf("Run %s (%s, snapshot %s) of this placement is unfinished and competes: the run that updates a cluster later preempts the other%s.",
			o.ID.Title(), o.Word, engine.OrUnknown(o.Index), unless))
	}
	return out
}

// unfinishedRuns yields the other unfinished runs of a placement that were read.
func unfinishedRuns(s *engine.Snapshot, v *engine.RunView, place engine.ID) iter.Seq[*engine.RunView] {
	return func(yield func(*engine.RunView) bool) {
		for _, o := range s.Runs {
			if o.ID != v.ID && engine.IsRun(o.ID.Kind()) && !o.Partial && !o.Over() && o.Placement.SameName(place) && !yield(o) {
				return
			}
		}
	}
}

// untouched reports whether a run changes nothing before it is started.
func untouched(o *engine.RunView) bool {
	return o.State.String() == string(placement.StateInitialize) && o.Started.IsZero()
}

// stopEffect says what a stop keeps from happening, and what goes on.
func stopEffect(v *engine.RunView) []engine.Text {
	if s := deletionStage(v); s != nil {
		return stopDeletions(s)
	}
	left := 0
	for i := range v.Stages {
		if s := &v.Stages[i]; !s.Deletion {
			left += len(s.Coming) + s.ComingMore
		}
	}
	out := []engine.Text{engine.Lit("No new cluster is started.")}
	if left > 0 {
		out[0] = engine.Textf("No new cluster is started: %s.", keep(v, left))
	}
	held := startBlocked(v)
	if held > 0 {
		out = append(out, engine.Textf("%s not started because the resources already fail; the run does not wait.", engine.Are(held, "cluster")))
	}
	switch flying := v.Updating + v.Stuck - held; {
	case v.Preempted > 0: // a stop makes no check whose they are (docs/kubefleet.md#stop)
		out = append(out, engine.Textf("The run stops when every started cluster has finished, also the %s. It does not fail for the preemption before it is resumed.", engine.Count(v.Preempted, "preempted one")))
	case flying <= 0:
		out = append(out, engine.Lit("No cluster is updating, so the run stops immediately."))
	case v.Stuck > 0 && flying == 1:
		out = append(out, engine.Lit("The run stops when its stuck cluster has finished; nothing is rolled back."))
	case v.Stuck > 0:
		out = append(out, engine.Textf("The run stops when %d clusters in progress have finished, %d of them stuck; nothing is rolled back.", flying, min(v.Stuck, flying)))
	case flying == 1:
		out = append(out, engine.Lit("1 cluster in progress finishes first; nothing is rolled back."))
	default:
		out = append(out, engine.Textf("%d clusters in progress finish first; nothing is rolled back.", flying))
	}
	return out
}

// keep says that clusters stay as they are: "3 clusters keep their version". Those of a run that
// only reports differences keep it anyway, and are not compared.
func keep(v *engine.RunView, n int) engine.Text {
	if v.ReportDiff {
		return engine.Textf("%s not compared", engine.Are(n, "cluster"))
	}
	if n == 1 {
		return engine.Lit("1 cluster keeps its version")
	}
	return engine.Textf("%d clusters keep their version", n)
}

// startBlocked counts the clusters of the run that are in progress and that the controller has
// not started.
func startBlocked(v *engine.RunView) int {
	n := 0
	for i := range v.Stages {
		n += v.Stages[i].StartBlocked
	}
	return n
}

func stopWarnings(v *engine.RunView) []engine.Text {
	var out []engine.Text
	s := v.Current()
	if s == nil || v.Why.Fails { // a run that fails stops and waits for nothing
		return nil
	}
	for i := range s.After {
		if w := &s.After[i]; w.Timed && (w.State == engine.GateRunning || w.State == engine.GatePassed) { // also one that has ended
			out = append(out, engine.Lit("The timed wait restarts at the time of the stop."))
		}
	}
	if v.Gate(engine.GateOpen) != nil && !InVain(v) {
		out = append(out, engine.Lit("An approval while the run is stopped takes effect when it is resumed."))
	}
	if s.Deletion && len(s.Coming) > 0 && s.Updating+s.Stuck == 0 {
		out = append(out, engine.Lit("A run that is stopped before its deletion stage starts stays STOPPING until it is resumed."))
	}
	switch {
	case s.Deletion && s.Stuck > 0:
		out = append(out, engine.Lit("A stuck deletion keeps the run from stopping: it stays STUCK until the deletion finishes."))
	case v.Stuck > 0 && v.Updating+v.Stuck > startBlocked(v):
		out = append(out, engine.Lit("A stuck cluster keeps the run from stopping: it stays STUCK until that cluster finishes."))
		if v.Why.Recovery == engine.RecoveryByNewRun {
			out = append(out, engine.Lit("The stuck cluster cannot finish in this run. Only a new run ({clone}) can update it; this run stops after that."))
		}
	}
	return out
}
