package forecast

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

const (
	// runsSeen is how many runs of the placement, newest first, are looked at:
	// what is older says little about now.
	runsSeen = 6
	// ownEnough is how many updates of a run tell enough about clusters without
	// a history of their own, without those of earlier runs.
	ownEnough = 8
	// pairsEnough is how many clusters must have been seen in this run and
	// before to say that the new version is faster or slower.
	pairsEnough = 3
)

// history is what was seen of updates of a placement's clusters.
type history struct {
	// timing are the controller's waits, its ClusterCheck as it shows.
	timing pass.Timing
	// backsOff is true when members report trouble while they are at work, as
	// real ones do: the controller then backs off instead of polling
	// (docs/kubefleet.md#cluster-checks).
	backsOff bool
	// deletions are how long members took to let go of a binding, in order.
	deletions []time.Duration

	// now are the updates of this run, before those of earlier ones.
	now, before []update
	// pool are the updates that stand for any cluster's, shortest first; usual
	// is the middle one's duration and spread how all deviate from it, as
	// logarithms.
	pool   []update
	usual  time.Duration
	spread []float64
	// own is the usual update of a cluster that was seen before. Of how it
	// deviates from the pool, trust is its own, from 0 to 1; chance is how it
	// deviates from itself.
	own           map[string]update
	trust, chance float64
	// blur is how little is known of a duration, from when the controller
	// looked.
	blur float64
	runs int
}

// update is one cluster's, as it was seen.
type update struct {
	cluster string
	// noticed is how long the controller took to see it done, took how long the
	// member took, as far as that can be told.
	noticed, took time.Duration
	// blur is how far took may be off either way.
	blur time.Duration
	// stage is where it was updated; ended is when it was noticed.
	stage *placement.StageStatus
	ended time.Time
}

// lookBack collects the updates of this run and of earlier ones.
func lookBack(in *pass.Input, q *Request) *history {
	h := &history{timing: q.Timing}
	runs := sameRollout(in.Run, q.Earlier)
	perRun, deletions := noticedIn(runs, rolledOut(in))
	h.timing.ClusterCheck = h.shortestCheck(runs, perRun)
	h.backsOff = h.failsMeanwhile(in, perRun)
	h.timing.BackoffMax = h.longestBackoff(runs)
	exact := h.reportedIn(in)
	seen := map[*placement.StageStatus]looks{}
	for i, updates := range perRun {
		for _, u := range updates {
			if _, ok := seen[u.stage]; !ok {
				seen[u.stage] = h.looksAt(u.stage)
			}
			// The member was done between the look before and this one. Times are
			// stored to the second: a look is up to one earlier than it says.
			before, _, _ := seen[u.stage].around(u.ended.Add(-time.Second))
			u.blur = min(u.ended.Sub(before), u.noticed) / 2
			u.took = u.noticed - u.blur
			mine := i == len(perRun)-1
			if took, ok := exact[u.cluster]; ok && mine && took <= u.noticed+time.Second {
				u.took, u.blur = took, time.Second
			}
			if mine {
				h.now = append(h.now, u)
			} else {
				h.before = append(h.before, u)
			}
		}
		if len(updates) > 0 {
			h.runs++
		}
	}
	h.before = append(h.before, leftBehind(exact, perRun, in.Run)...)
	h.now, h.before = withoutIncidents(h.now, h.before, q.Timing.StuckAfter)
	for _, took := range deletions {
		h.deletions = append(h.deletions, max(took-h.timing.ClusterCheck/2, 0))
	}
	slices.Sort(h.deletions)
	h.summarize()
	return h
}

// leftBehind are updates of clusters of which no run tells any more: their
// bindings do.
func leftBehind(exact map[string]time.Duration, perRun [][]update, run *placement.StagedUpdateRun) []update {
	told := map[string]bool{}
	for _, updates := range perRun {
		for _, u := range updates {
			told[u.cluster] = true
		}
	}
	for i := range run.Status.StagesStatus {
		for _, c := range run.Status.StagesStatus[i].Clusters {
			told[c.ClusterName] = told[c.ClusterName] || meta.FindStatusCondition(c.Conditions, placement.ClusterStarted) != nil
		}
	}
	var out []update
	for _, cluster := range slices.Sorted(maps.Keys(exact)) {
		if !told[cluster] {
			out = append(out, update{cluster: cluster, noticed: exact[cluster], took: exact[cluster], blur: time.Second})
		}
	}
	return out
}

// sameRollout returns the newest runs of the placement, oldest first, the run
// itself last.
func sameRollout(run *placement.StagedUpdateRun, others []*placement.StagedUpdateRun) []*placement.StagedUpdateRun {
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

// rolledOut tells when each cluster was last given a version.
func rolledOut(in *pass.Input) map[string]time.Time {
	out := map[string]time.Time{}
	for _, b := range in.Bindings {
		if at, ok := since(b.Status.Conditions, placement.BindingRolloutStarted); ok && b.Labels[placement.LabelParentPlacement] == in.Run.Spec.PlacementName {
			out[b.Spec.TargetCluster] = at
		}
	}
	return out
}

// noticedIn lists the updates that each of the newest runs saw, and how long
// deletions took. A cluster that had the version already was not updated: it
// is left out. That shows by the runs, or by the time when it was last given
// one.
func noticedIn(runs []*placement.StagedUpdateRun, given map[string]time.Time) (perRun [][]update, deletions []time.Duration) {
	has := map[string]string{}
	for _, run := range runs {
		updates := []update{}
		for i := range run.Status.StagesStatus {
			for j := range run.Status.StagesStatus[i].Clusters {
				c := &run.Status.StagesStatus[i].Clusters[j]
				index := run.Status.ResourceSnapshotIndexUsed
				took, ended, done := updateOf(c.Conditions)
				at, known := given[c.ClusterName]
				idle := known && at.Add(2*time.Second).Before(ended.Add(-took)) || index != "" && has[c.ClusterName] == index
				if done && !idle {
					updates = append(updates, update{cluster: c.ClusterName, noticed: took, stage: &run.Status.StagesStatus[i], ended: ended})
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
	return perRun[max(0, len(perRun)-runsSeen):], deletions
}

// updateOf is the time between a cluster's start and its success, and when that
// was.
func updateOf(conditions []metav1.Condition) (took time.Duration, ended time.Time, ok bool) {
	started, begun := since(conditions, placement.ClusterStarted)
	ended, done := since(conditions, placement.ClusterSucceeded)
	took = ended.Sub(started)
	return took, ended, begun && done && took >= 0
}

// failsMeanwhile tells whether bindings look failed while members are at work:
// from one that is, else from what was noticed when, else as on real hubs,
// where they do.
func (h *history) failsMeanwhile(in *pass.Input, perRun [][]update) bool {
	if looks, known := h.looksNow(in); known {
		return looks
	}
	polls, backs := 0, 0
	for _, updates := range perRun {
		for _, u := range updates {
			// The first look comes at the same time either way.
			if u.noticed < h.timing.ClusterCheck*5/4 {
				continue
			}
			if off := u.noticed % h.timing.ClusterCheck; min(off, h.timing.ClusterCheck-off) <= time.Second {
				polls++
			} else {
				backs++
			}
		}
	}
	// Times are whole seconds: a short poll cannot be told from chance.
	return h.timing.ClusterCheck < 8*time.Second || polls == 0 || polls < 4*backs
}

// looksNow tells whether a member at work lets its binding look failed. It is
// known once one has been at work for as long as the controller waits.
func (h *history) looksNow(in *pass.Input) (looks, known bool) {
	started := map[string]bool{}
	for i := range in.Run.Status.StagesStatus {
		for _, c := range in.Run.Status.StagesStatus[i].Clusters {
			if meta.IsStatusConditionTrue(c.Conditions, placement.ClusterStarted) && meta.FindStatusCondition(c.Conditions, placement.ClusterSucceeded) == nil {
				started[c.ClusterName] = true
			}
		}
	}
	for _, b := range in.Bindings {
		if !started[b.Spec.TargetCluster] || b.Labels[placement.LabelParentPlacement] != in.Run.Spec.PlacementName || reported(b) {
			continue
		}
		if drive.BindingFailed(b) {
			return true, true
		}
		// Some word of the member at this generation, and none of trouble.
		for _, kind := range []string{placement.BindingWorkSynchronized, placement.BindingApplied} {
			known = known || pass.TrueAt(b.Status.Conditions, kind, b.Generation)
		}
	}
	return false, known
}

// reportedIn tells how long the members took whose bindings still say so: from
// the start of their rollout to their report.
func (h *history) reportedIn(in *pass.Input) map[string]time.Duration {
	out := map[string]time.Duration{}
	for _, b := range in.Bindings {
		if b.Labels[placement.LabelParentPlacement] != in.Run.Spec.PlacementName || !reported(b) {
			continue
		}
		started := meta.FindStatusCondition(b.Status.Conditions, placement.BindingRolloutStarted)
		done := meta.FindStatusCondition(b.Status.Conditions, placement.BindingAvailable)
		if done == nil || done.Status != metav1.ConditionTrue {
			done = meta.FindStatusCondition(b.Status.Conditions, placement.BindingDiffReported)
		}
		if started == nil || done == nil {
			continue
		}
		// A member that was available all along says nothing.
		if took := done.LastTransitionTime.Sub(started.LastTransitionTime.Time); took > 0 {
			out[b.Spec.TargetCluster] = took
		}
	}
	return out
}

// withoutIncidents leaves out updates that were stuck, unless there is little
// else: what happened then is not what usually happens.
func withoutIncidents(now, before []update, stuckAfter time.Duration) (a, b []update) {
	stuck := func(u update) bool { return u.noticed > stuckAfter }
	a, b = slices.DeleteFunc(slices.Clone(now), stuck), slices.DeleteFunc(slices.Clone(before), stuck)
	if len(a)+len(b) < pairsEnough {
		return now, before
	}
	return a, b
}

// Count returns how many updates were seen, in how many runs.
func (h *history) Count() (updates, runs int) { return len(h.now) + len(h.before), h.runs }
