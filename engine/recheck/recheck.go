// Package recheck bounds when the controller looks at the clusters of a stage again, by what the
// run has recorded (docs/kubefleet.md#cluster-checks).
package recheck

import (
	"sort"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// How long the controller waits between two passes: Wait while clusters update, and after an
// error, which any binding condition that is False counts as, a doubling delay of up to Longest
// (docs/kubefleet.md#constants).
const (
	Wait    = 15 * time.Second
	Longest = 1000 * time.Second
)

// Within bounds the time to the controller's next pass when it may have retried an error for d.
func Within(d time.Duration) time.Duration { return min(max(d, Wait), Longest) }

// Since returns the earliest moment since which the controller may have been retrying errors in
// a stage: a pass that found no other cluster updating had none. It is zero when no cluster has
// started.
func Since(stage *placement.StageStatus) time.Time {
	type update struct{ start, end time.Time }
	updates := make([]update, 0, len(stage.Clusters))
	for i := range stage.Clusters {
		conds := stage.Clusters[i].Conditions
		started := meta.FindStatusCondition(conds, placement.ClusterStarted)
		if started == nil || started.Status != metav1.ConditionTrue {
			continue
		}
		u := update{start: started.LastTransitionTime.Time}
		if done := meta.FindStatusCondition(conds, placement.ClusterSucceeded); done != nil {
			u.end = done.LastTransitionTime.Time
		}
		updates = append(updates, u)
	}
	sort.Slice(updates, func(i, j int) bool { return updates[i].start.Before(updates[j].start) })
	var since, busy time.Time // busy: until when any of the updates so far lasted
	for i, u := range updates {
		if i == 0 || !u.start.Before(busy) {
			since = u.start
		}
		if u.end.IsZero() { // it still updates: no later pass found the stage idle
			break
		}
		if u.end.After(busy) {
			busy = u.end
		}
	}
	return since
}
