package forecast

import (
	"cmp"
	"slices"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// newestRuns is how many runs of the placement are read, the run itself among them.
const newestRuns = 6

// history is what was observed of a placement's runs.
type history struct {
	// timing are the controller's waits, shorter where the runs show so.
	timing pass.Timing
	// backsOff is true when bindings look failed while members update, as on real hubs:
	// the controller then backs off (docs/kubefleet.md#cluster-checks).
	backsOff           bool
	updates, deletions durations
	// seen is how many updates were observed, runs how many runs recorded any.
	seen, runs int
}

// span is the time from a cluster's start to its success, as a run recorded it; it is
// longer than the member took.
type span struct {
	cluster string
	length  time.Duration
	ended   time.Time
}

// observe collects the updates and deletions of the run and of earlier ones.
func observe(in *pass.Input, q *Request) *history {
	h := &history{timing: q.Timing}
	runs := runsOf(in.Run, q.Earlier)
	h.learnWaits(runs)
	var now, before, gone []update
	known := map[string]bool{}
	for _, run := range runs {
		before, now = append(before, now...), nil
		for i := range run.Status.StagesStatus {
			stage := &run.Status.StagesStatus[i]
			clean := cleanPasses(stage)
			for _, s := range spans(stage) {
				// The member was done between two polls. Recorded times are whole seconds: a
				// poll is up to one second earlier.
				poll, _, _ := h.around(clean, s.ended.Add(-time.Second))
				now = append(now, update{s.cluster, s.length - max(min(s.ended.Sub(poll), s.length)/2, 0)})
				known[s.cluster] = true
			}
		}
		if len(now) > 0 {
			h.runs++
		}
		for _, s := range spans(run.Status.DeletionStageStatus) {
			gone = append(gone, update{s.cluster, s.length - min(h.timing.ClusterCheck, s.length)/2})
		}
	}
	// Bindings show updates of which no run is left.
	for _, u := range bindingUpdates(in) {
		if !known[u.cluster] {
			before = append(before, u)
		}
	}
	// Updates that were stuck are left out, unless all were.
	stuck := func(u update) bool { return u.took > q.Timing.StuckAfter }
	if n, b := slices.DeleteFunc(slices.Clone(now), stuck), slices.DeleteFunc(slices.Clone(before), stuck); len(n)+len(b) > 0 {
		now, before = n, b
	}
	h.seen, h.updates, h.deletions = len(now)+len(before), summarize(now, before), summarize(nil, gone)
	return h
}

// runsOf returns the newest runs of the placement, oldest first, the run itself last.
func runsOf(run *placement.StagedUpdateRun, others []*placement.StagedUpdateRun) []*placement.StagedUpdateRun {
	runs := slices.DeleteFunc(slices.Clone(others), func(r *placement.StagedUpdateRun) bool {
		return r.Namespace != run.Namespace || r.Spec.PlacementName != run.Spec.PlacementName || r.Name == run.Name
	})
	slices.SortStableFunc(runs, func(a, b *placement.StagedUpdateRun) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	return append(runs[max(0, len(runs)-newestRuns+1):], run)
}

// bindingUpdates reads the time that members took from the bindings of the placement. One
// that was available all along shows no update.
func bindingUpdates(in *pass.Input) (out []update) {
	for _, b := range in.Bindings {
		started, done := since(b.Status.Conditions, placement.BindingRolloutStarted), since(b.Status.Conditions, placement.BindingAvailable)
		if done.IsZero() {
			done = since(b.Status.Conditions, placement.BindingDiffReported)
		}
		if b.Labels[placement.LabelParentPlacement] == in.Run.Spec.PlacementName && reported(b) && !started.IsZero() && done.After(started) {
			out = append(out, update{b.Spec.TargetCluster, done.Sub(started)})
		}
	}
	return out
}

// spans lists what a stage recorded. A cluster that had the version already starts and
// succeeds in the same pass.
func spans(stage *placement.StageStatus) (out []span) {
	if stage == nil {
		return nil
	}
	for i := range stage.Clusters {
		c := &stage.Clusters[i]
		started, ended := since(c.Conditions, placement.ClusterStarted), since(c.Conditions, placement.ClusterSucceeded)
		if !started.IsZero() && ended.After(started) {
			out = append(out, span{c.ClusterName, ended.Sub(started), ended})
		}
	}
	return out
}

// learnWaits replaces ClusterCheck and BackoffMax by shorter waits that the runs show, and
// finds out whether the controller backs off. An update is noticed by a poll, unless a
// change of the run makes the controller look at once: one short update alone shows
// nothing. After a backoff the pause before the next stage is as long as all its waits but
// ClusterCheck, unless BackoffMax is shorter. Times are whole seconds: only a clear
// difference counts.
func (h *history) learnWaits(runs []*placement.StagedUpdateRun) {
	check, least := &h.timing.ClusterCheck, h.timing.ClusterCheck
	var longest, all time.Duration
	var lengths []time.Duration
	for _, run := range runs {
		for i := range run.Status.StagesStatus {
			for _, s := range spans(&run.Status.StagesStatus[i]) {
				lengths = append(lengths, s.length)
			}
			waited, pause := pauseAfter(run.Status.StagesStatus[i:])
			if d := waited - pause; pause > time.Second && d >= time.Second {
				least, longest, all = min(least, d), max(longest, pause), max(all, waited)
			}
		}
	}
	if slices.Sort(lengths); len(lengths) > 1 {
		least = min(least, lengths[1])
	}
	if least >= time.Second && least < *check*3/4 {
		*check = least
	}
	if longest > 0 && longest*3/2 < all-*check {
		h.timing.BackoffMax = longest
	}
	// Without updates the controller is assumed to back off, as on real hubs, and where
	// ClusterCheck is too short to tell from whole seconds. The first poll is the same
	// either way.
	odd := 0
	first, _ := slices.BinarySearch(lengths, *check*5/4)
	for _, d := range lengths[first:] {
		if off := d % *check; min(off, *check-off) > time.Second {
			odd++
		}
	}
	h.backsOff = *check < 8*time.Second || 5*odd >= len(lengths[first:])
}

// pauseAfter returns how long the first stage waited since its last clean pass, and the
// pause before the second; 0 if a task was awaited.
func pauseAfter(stages []placement.StageStatus) (waited, pause time.Duration) {
	clean := cleanPasses(&stages[0])
	if len(stages) < 2 || len(clean) == 0 || stages[0].EndTime == nil || stages[1].StartTime == nil ||
		len(stages[0].AfterStageTaskStatus)+len(stages[1].BeforeStageTaskStatus) > 0 {
		return 0, 0
	}
	return stages[0].EndTime.Sub(clean[len(clean)-1]), stages[1].StartTime.Sub(stages[0].EndTime.Time)
}
