package forecast

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// reach returns the last pass before a time and the first that is not before it, at
// least one after from, with the failures that are counted then: every pass decides d.
func reach(t pass.Timing, d drive.Decision, from time.Time, failures int, until time.Time) (before, next time.Time, count int) {
	next, count = from, failures
	for {
		before = next
		wait, _, n := d.Schedule(count, t)
		// The waits stay the same: statuses may hold times that are years apart.
		if left := until.Sub(before); wait > 0 && left > wait && (d.Next == drive.After || wait >= t.BackoffMax) {
			before = before.Add((left - 1) / wait * wait)
		}
		if next, count = before.Add(wait), n; !next.Before(until) {
			return before, next, count
		}
	}
}

// around returns the last poll before a time and the first that is not before it, with
// the failures that are counted then. After a clean pass the waits are ClusterCheck while
// members look healthy, and the backoff while they look failed
// (docs/kubefleet.md#execute, #cluster-checks).
func (h *history) around(clean []time.Time, at time.Time) (before, next time.Time, failures int) {
	i, _ := slices.BinarySearchFunc(clean, at, time.Time.Compare)
	if i == 0 {
		return at, at, 0
	}
	first := at
	if h.backsOff {
		first = clean[i-1]
	}
	before, next, failures = reach(h.timing, drive.Decision{Next: drive.After, Wait: h.timing.ClusterCheck}, clean[i-1], 0, first)
	if next.Before(at) {
		return reach(h.timing, drive.Decision{Next: drive.Retry}, next, failures, at)
	}
	return before, next, failures
}

// cleanPasses lists the passes over a stage that reset the failure count, soonest first:
// one that starts a cluster while no other is updating meets no error. Clusters start in
// their order.
func cleanPasses(stage *placement.StageStatus) (clean []time.Time) {
	var busy time.Time // until when the clusters that started earlier are updating
	for i := range stage.Clusters {
		started, ended := since(stage.Clusters[i].Conditions, placement.ClusterStarted), since(stage.Clusters[i].Conditions, placement.ClusterSucceeded)
		if !started.IsZero() && !busy.After(started) {
			clean = append(clean, started)
		}
		if ended.IsZero() {
			return clean // busy until now
		}
		if ended.After(busy) {
			busy = ended
		}
	}
	return clean
}

// since is when a condition became True; zero if it is not.
func since(conditions []metav1.Condition, kind string) time.Time {
	if c := meta.FindStatusCondition(conditions, kind); c != nil && c.Status == metav1.ConditionTrue {
		return c.LastTransitionTime.Time
	}
	return time.Time{}
}
