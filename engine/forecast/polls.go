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

// cleanPasses lists the passes over a stage that reset the failure count, soonest first:
// one that starts a cluster while no other is updating meets no error.
func cleanPasses(stage *placement.StageStatus) []time.Time {
	clusters := slices.Clone(stage.Clusters)
	slices.SortStableFunc(clusters, func(a, b placement.ClusterStatus) int {
		return since(a.Conditions, placement.ClusterStarted).Compare(since(b.Conditions, placement.ClusterStarted))
	})
	var clean []time.Time
	var busy time.Time // until when the clusters that started earlier are updating
	for i := range clusters {
		started, ended := since(clusters[i].Conditions, placement.ClusterStarted), since(clusters[i].Conditions, placement.ClusterSucceeded)
		if started.IsZero() {
			continue
		}
		if !busy.After(started) {
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

// around returns the last poll before a time and the first that is not before it, with
// the failures that are counted then. After a clean pass the waits are ClusterCheck while
// members look healthy, and the backoff while they look failed
// (docs/kubefleet.md#execute, #cluster-checks).
func (h *history) around(clean []time.Time, at time.Time) (before, next time.Time, failures int) {
	i, _ := slices.BinarySearchFunc(clean, at, time.Time.Compare)
	if i == 0 {
		return at, at, 0
	}
	before = clean[i-1]
	for d := (drive.Decision{Next: drive.After, Wait: h.timing.ClusterCheck}); ; before = next {
		if !h.backsOff || d.Next == drive.Retry {
			before = before.Add(skipped(h.timing, d, failures, at.Sub(before)))
		}
		wait, _, count := d.Schedule(failures, h.timing)
		if next, failures = before.Add(wait), count; !next.Before(at) {
			return before, next, failures
		}
		if h.backsOff {
			d.Next = drive.Retry
		}
	}
}

// skipped is how much of a time passes in waits that stay the same: statuses may hold
// times that are years apart.
func skipped(t pass.Timing, d drive.Decision, failures int, left time.Duration) time.Duration {
	wait := d.Wait
	if d.Next == drive.Retry {
		wait = drive.Backoff(failures, t)
	}
	if wait <= 0 || left <= wait || d.Next == drive.Retry && wait < t.BackoffMax || d.Next == drive.Again {
		return 0
	}
	return (left - 1) / wait * wait
}
