package forecast

import (
	"cmp"
	"slices"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

const (
	// newestRuns is how many runs of the placement are read, the run itself among them.
	newestRuns = 6
	// enough is how many updates of the run suffice without those of earlier runs.
	enough = 8
	// enoughPairs is how many comparable updates suffice to compare two runs.
	enoughPairs = 3
)

// history holds the updates of a placement's clusters that were observed.
type history struct {
	// timing are the controller's waits, shorter where the runs show so.
	timing pass.Timing
	// backsOff is true when bindings look failed while members update, as on real hubs:
	// the controller then backs off (docs/kubefleet.md#cluster-checks).
	backsOff bool
	// deletions are how long members took to release a binding, shortest first.
	deletions []time.Duration
	// now are the updates of the run, before those of earlier runs.
	now, before []update
	// runs is how many runs recorded updates.
	runs int
	durations
}

// update is one that was observed. Its member took a time, give or take off.
type update struct {
	cluster   string
	took, off time.Duration
}

// span is the time from a cluster's start to its success, as a run recorded it; it is
// longer than the member took.
type span struct {
	cluster        string
	started, ended time.Time
	stage          *placement.StageStatus
}

func (s span) length() time.Duration { return s.ended.Sub(s.started) }

// observe collects the updates of the run and of earlier ones.
func observe(in *pass.Input, q *Request) *history {
	h := &history{timing: q.Timing}
	runs := runsOf(in.Run, q.Earlier)
	bindings := bindingUpdates(in)
	recorded := h.recordedIn(runs, bindings)
	h.learnWaits(runs, recorded)
	clean, known := map[*placement.StageStatus][]time.Time{}, map[string]bool{}
	for i, spans := range recorded {
		for _, s := range spans {
			if _, ok := clean[s.stage]; !ok {
				clean[s.stage] = cleanPasses(s.stage)
			}
			// The member was done between two polls. Recorded times are whole seconds: a
			// poll is up to one second earlier.
			before, _, _ := h.around(clean[s.stage], s.ended.Add(-time.Second))
			off := min(s.ended.Sub(before), s.length()) / 2
			u := update{s.cluster, s.length() - off, off}
			known[s.cluster] = true
			if i < len(recorded)-1 {
				h.before = append(h.before, u)
				continue
			}
			if b := bindings[s.cluster]; b.took > 0 && b.took <= s.length()+time.Second {
				u = b.update
			}
			h.now = append(h.now, u)
		}
		if len(spans) > 0 {
			h.runs++
		}
	}
	// Bindings show updates of which no run is left.
	for _, b := range in.Bindings {
		if u := bindings[b.Spec.TargetCluster]; u.took > 0 && !known[u.cluster] {
			known[u.cluster] = true
			h.before = append(h.before, u.update)
		}
	}
	// Updates that were stuck are left out, unless few others are known.
	stuck := func(u update) bool { return u.took+u.off > q.Timing.StuckAfter }
	now, before := slices.DeleteFunc(slices.Clone(h.now), stuck), slices.DeleteFunc(slices.Clone(h.before), stuck)
	if len(now)+len(before) >= enoughPairs {
		h.now, h.before = now, before
	}
	slices.Sort(h.deletions)
	h.durations = summarize(h.now, h.before)
	return h
}

// runsOf returns the runs of the placement, oldest first, the run itself last.
func runsOf(run *placement.StagedUpdateRun, others []*placement.StagedUpdateRun) []*placement.StagedUpdateRun {
	runs := slices.DeleteFunc(slices.Clone(others), func(r *placement.StagedUpdateRun) bool {
		return r.Namespace != run.Namespace || r.Spec.PlacementName != run.Spec.PlacementName || r.Name == run.Name
	})
	slices.SortStableFunc(runs, func(a, b *placement.StagedUpdateRun) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	return append(runs, run)
}

// bindingUpdate is the last update of a cluster, as its binding shows it: when it
// started, and how long the member took if it has reported.
type bindingUpdate struct {
	update
	started time.Time
}

func bindingUpdates(in *pass.Input) map[string]bindingUpdate {
	out := map[string]bindingUpdate{}
	for _, b := range in.Bindings {
		started := since(b.Status.Conditions, placement.BindingRolloutStarted)
		if started.IsZero() || b.Labels[placement.LabelParentPlacement] != in.Run.Spec.PlacementName {
			continue
		}
		u := bindingUpdate{update{cluster: b.Spec.TargetCluster, off: time.Second}, started}
		done := since(b.Status.Conditions, placement.BindingAvailable)
		if done.IsZero() {
			done = since(b.Status.Conditions, placement.BindingDiffReported)
		}
		// A binding that was available all along shows no update.
		if reported(b) && done.After(started) {
			u.took = done.Sub(started)
		}
		out[u.cluster] = u
	}
	return out
}

// recordedIn lists the updates that each of the newest runs recorded, and collects how
// long deletions took. It omits clusters that had the version already: an earlier run
// started them with it, or their last update started before this run's.
func (h *history) recordedIn(runs []*placement.StagedUpdateRun, bindings map[string]bindingUpdate) (perRun [][]span) {
	has := map[string]string{}
	for _, run := range runs {
		var spans []span
		index := run.Status.ResourceSnapshotIndexUsed
		for i := range run.Status.StagesStatus {
			stage := &run.Status.StagesStatus[i]
			for j := range stage.Clusters {
				c := &stage.Clusters[j]
				s := span{c.ClusterName, since(c.Conditions, placement.ClusterStarted), since(c.Conditions, placement.ClusterSucceeded), stage}
				if s.started.IsZero() {
					continue
				}
				b, known := bindings[c.ClusterName]
				had := known && b.started.Add(2*time.Second).Before(s.started) || index != "" && has[c.ClusterName] == index
				if !had && !s.ended.IsZero() && s.length() >= 0 {
					spans = append(spans, s)
				}
				has[c.ClusterName] = index
			}
		}
		if d := run.Status.DeletionStageStatus; d != nil {
			for i := range d.Clusters {
				conditions := d.Clusters[i].Conditions
				if took := since(conditions, placement.ClusterSucceeded).Sub(since(conditions, placement.ClusterStarted)); took > 0 {
					h.deletions = append(h.deletions, max(took-h.timing.ClusterCheck/2, 0))
				}
			}
		}
		perRun = append(perRun, spans)
	}
	return perRun[max(0, len(perRun)-newestRuns):]
}

// learnWaits replaces ClusterCheck and BackoffMax by shorter waits that the runs show, and
// finds out whether the controller backs off. An update is noticed by a poll, unless a
// change of the run makes the controller look at once: one short update alone shows
// nothing. After a backoff the pause before the next stage is as long as all its waits but
// ClusterCheck, unless BackoffMax is shorter. Times are whole seconds: only a clear
// difference counts.
func (h *history) learnWaits(runs []*placement.StagedUpdateRun, recorded [][]span) {
	check := &h.timing.ClusterCheck
	var waits [][2]time.Duration // all waits of a stage, and the pause after it
	for _, run := range runs {
		for i := range max(len(run.Status.StagesStatus)-1, 0) {
			last, next := &run.Status.StagesStatus[i], &run.Status.StagesStatus[i+1]
			clean := cleanPasses(last)
			if last.EndTime != nil && next.StartTime != nil && len(clean) > 0 && len(next.BeforeStageTaskStatus)+len(last.AfterStageTaskStatus) == 0 {
				if pause := next.StartTime.Sub(last.EndTime.Time); pause > time.Second {
					waits = append(waits, [2]time.Duration{last.EndTime.Sub(clean[len(clean)-1]), pause})
				}
			}
		}
	}
	var updates []time.Duration
	for _, s := range slices.Concat(recorded...) {
		updates = append(updates, s.length())
	}
	slices.Sort(updates)
	least := *check
	if len(updates) > 1 {
		least = updates[1]
	}
	for _, w := range waits {
		if d := w[0] - w[1]; d >= time.Second {
			least = min(least, d)
		}
	}
	if least >= time.Second && least < *check*3/4 {
		*check = least
	}
	longest := time.Duration(0)
	for _, w := range waits {
		if w[1]*3/2 < w[0]-*check {
			longest = max(longest, w[1])
		}
	}
	if longest > 0 {
		h.timing.BackoffMax = longest
	}
	polled, other := 0, 0
	for _, d := range updates {
		switch off := d % *check; {
		case d < *check*5/4: // the first poll is the same either way
		case min(off, *check-off) <= time.Second:
			polled++
		default:
			other++
		}
	}
	// Without updates the controller is assumed to back off, as on real hubs, and where
	// ClusterCheck is too short to tell from whole seconds.
	h.backsOff = *check < 8*time.Second || polled == 0 || polled < 4*other
}
