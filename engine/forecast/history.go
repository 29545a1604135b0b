package forecast

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
	// pool are the updates that stand for those of any cluster, shortest first, and
	// deviation how much the logarithms of their durations deviate.
	pool      []update
	deviation float64
	// own is the median update of each cluster of earlier runs, at the pace of this
	// run, and repeat how much updates of the same cluster deviate.
	own    map[string]update
	repeat float64
	// blur is how far, as a logarithm, a duration may be from the observed one,
	// because the controller polls.
	blur float64
	runs int
}

// update is one that was observed.
type update struct {
	cluster string
	// noticed is how long the controller took to record it, took how long the member
	// took, give or take off.
	noticed, took, off time.Duration
	stage              *placement.StageStatus
	ended              time.Time
}

// observe collects the updates of the run and of earlier ones.
func observe(in *pass.Input, q *Request) *history {
	h := &history{timing: q.Timing}
	runs := runsOf(in.Run, q.Earlier)
	started, reports := memberTimes(in)
	perRun, deletions := recordedIn(runs, started)
	h.learnWaits(runs, perRun)
	h.backsOff = h.recognizeBackoff(perRun)
	stages := map[*placement.StageStatus]polls{}
	recorded := map[string]bool{}
	for i, updates := range perRun {
		for _, u := range updates {
			recorded[u.cluster] = true
			if _, ok := stages[u.stage]; !ok {
				stages[u.stage] = h.pollsOf(u.stage)
			}
			// The member was done between two polls. Recorded times are whole seconds: a
			// poll is up to one second earlier.
			before, _, _ := stages[u.stage].around(u.ended.Add(-time.Second))
			u.off = min(u.ended.Sub(before), u.noticed) / 2
			u.took = u.noticed - u.off
			if i < len(perRun)-1 {
				h.before = append(h.before, u)
				continue
			}
			if took, ok := reports[u.cluster]; ok && took <= u.noticed+time.Second {
				u.took, u.off = took, time.Second
			}
			h.now = append(h.now, u)
		}
		if len(updates) > 0 {
			h.runs++
		}
	}
	for i := range in.Run.Status.StagesStatus {
		for _, c := range in.Run.Status.StagesStatus[i].Clusters {
			recorded[c.ClusterName] = recorded[c.ClusterName] || meta.FindStatusCondition(c.Conditions, placement.ClusterStarted) != nil
		}
	}
	// Bindings show updates of which no run is left.
	for _, b := range in.Bindings {
		name := b.Spec.TargetCluster
		if took, ok := reports[name]; ok && !recorded[name] {
			recorded[name] = true
			h.before = append(h.before, update{cluster: name, noticed: took, took: took, off: time.Second})
		}
	}
	h.leaveOutStuck(q.Timing.StuckAfter)
	for _, took := range deletions {
		h.deletions = append(h.deletions, max(took-h.timing.ClusterCheck/2, 0))
	}
	slices.Sort(h.deletions)
	h.summarize()
	return h
}

// runsOf returns the runs of the placement, oldest first, the run itself last.
func runsOf(run *placement.StagedUpdateRun, others []*placement.StagedUpdateRun) []*placement.StagedUpdateRun {
	var runs []*placement.StagedUpdateRun
	for _, r := range others {
		if r.Namespace == run.Namespace && r.Spec.PlacementName == run.Spec.PlacementName && r.Name != run.Name {
			runs = append(runs, r)
		}
	}
	slices.SortStableFunc(runs, func(a, b *placement.StagedUpdateRun) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	return append(runs, run)
}

// memberTimes returns when the last update of each cluster started, and how long those
// members took whose bindings still report it: from RolloutStarted to the report.
func memberTimes(in *pass.Input) (started map[string]time.Time, reports map[string]time.Duration) {
	started, reports = map[string]time.Time{}, map[string]time.Duration{}
	for _, b := range in.Bindings {
		at, ok := trueSince(b.Status.Conditions, placement.BindingRolloutStarted)
		if !ok || b.Labels[placement.LabelParentPlacement] != in.Run.Spec.PlacementName {
			continue
		}
		started[b.Spec.TargetCluster] = at
		done, ok := trueSince(b.Status.Conditions, placement.BindingAvailable)
		if !ok {
			done, ok = trueSince(b.Status.Conditions, placement.BindingDiffReported)
		}
		// A binding that was available all along shows no update.
		if took := done.Sub(at); ok && took > 0 && reported(b) {
			reports[b.Spec.TargetCluster] = took
		}
	}
	return started, reports
}

// recordedIn lists the updates that each of the newest runs recorded, and how long
// deletions took. It omits clusters that had the version already: an earlier run
// started them with it, or their last update started before this run's.
func recordedIn(runs []*placement.StagedUpdateRun, rollout map[string]time.Time) (perRun [][]update, deletions []time.Duration) {
	has := map[string]string{}
	for _, run := range runs {
		updates := []update{}
		index := run.Status.ResourceSnapshotIndexUsed
		for i := range run.Status.StagesStatus {
			stage := &run.Status.StagesStatus[i]
			for j := range stage.Clusters {
				c := &stage.Clusters[j]
				took, ended, done := updateOf(c.Conditions)
				at, known := rollout[c.ClusterName]
				had := known && at.Add(2*time.Second).Before(ended.Add(-took)) || index != "" && has[c.ClusterName] == index
				if done && !had {
					updates = append(updates, update{cluster: c.ClusterName, noticed: took, stage: stage, ended: ended})
				}
				if meta.FindStatusCondition(c.Conditions, placement.ClusterStarted) != nil {
					has[c.ClusterName] = index
				}
			}
		}
		if d := run.Status.DeletionStageStatus; d != nil {
			for i := range d.Clusters {
				if took, _, done := updateOf(d.Clusters[i].Conditions); done && took > 0 {
					deletions = append(deletions, took)
				}
			}
		}
		perRun = append(perRun, updates)
	}
	return perRun[max(0, len(perRun)-newestRuns):], deletions
}

// updateOf returns the time from a cluster's start to its success, and when that was.
func updateOf(conditions []metav1.Condition) (took time.Duration, ended time.Time, ok bool) {
	started, begun := trueSince(conditions, placement.ClusterStarted)
	ended, done := trueSince(conditions, placement.ClusterSucceeded)
	took = ended.Sub(started)
	return took, ended, begun && done && took >= 0
}

// recognizeBackoff reports whether updates were noticed by the backoff: fewer than four
// in five at a multiple of ClusterCheck. Without updates it assumes so, as on real
// hubs, and where ClusterCheck is too short to tell from whole seconds.
func (h *history) recognizeBackoff(perRun [][]update) bool {
	check := h.timing.ClusterCheck
	polled, other := 0, 0
	for _, updates := range perRun {
		for _, u := range updates {
			off := u.noticed % check
			switch {
			case u.noticed < check*5/4: // the first poll is the same either way
			case min(off, check-off) <= time.Second:
				polled++
			default:
				other++
			}
		}
	}
	return check < 8*time.Second || polled == 0 || polled < 4*other
}

// leaveOutStuck removes the updates that were stuck, unless few others are left.
func (h *history) leaveOutStuck(stuckAfter time.Duration) {
	stuck := func(u update) bool { return u.noticed > stuckAfter }
	now, before := slices.DeleteFunc(slices.Clone(h.now), stuck), slices.DeleteFunc(slices.Clone(h.before), stuck)
	if len(now)+len(before) >= enoughPairs {
		h.now, h.before = now, before
	}
}
